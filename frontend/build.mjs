// Bundle the script and the style of all pages into the Python package, or the folder that is named,
// with the licences of what is inside. The same sources give the same bytes: a test compares them.

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { build } from "esbuild";

const TARGET = process.argv[2] ?? "../src/hedgerow/report";

function licences(inputs) {
  const packages = new Set(inputs.map((path) => path.match(/node_modules\/([^/]+)/)?.[1]).filter(Boolean));
  return [...packages].sort().map((name) => {
    const folder = `node_modules/${name}`;
    const file = ["LICENSE.txt", "LICENSE"].map((base) => `${folder}/${base}`).find(existsSync);
    return `${name} ${JSON.parse(readFileSync(`${folder}/package.json`)).version}\n\n${readFileSync(file, "utf8").trim()}`;
  });
}

async function bundle(entry, target) {
  const result = await build({
    entryPoints: [entry],
    bundle: true,
    minify: true,
    charset: "ascii",
    format: "iife",
    target: "es2022",
    legalComments: "none",
    metafile: true,
    write: false,
    outdir: ".",
  });
  const notices = licences(Object.keys(result.metafile.inputs));
  const note = ["Built by frontend/build.mjs", ...notices].join("\n\n---\n\n");
  writeFileSync(`${TARGET}/${target}`, `/*\n${note}\n*/\n${result.outputFiles[0].text}`);
}

await bundle("src/main.ts", "bundle.js");
await bundle("src/style.css", "bundle.css");
