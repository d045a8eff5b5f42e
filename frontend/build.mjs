// Bundle the pages' scripts and styles into the Python package, with the licences of what is inside
// and a digest of the sources, by which a test knows that the bundles are up to date.

import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";

const PACKAGE = "../src/hedgerow";

function sources() {
  const inside = readdirSync("src", { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).replaceAll("\\", "/"));
  return [...inside, "build.mjs", "package.json", "tsconfig.json"].sort();
}

function digest() {
  const hash = createHash("sha256");
  for (const path of sources()) hash.update(path).update("\0").update(readFileSync(path)).update("\0");
  return hash.digest("hex");
}

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
  const note = [`Built by frontend/build.mjs from sources ${digest()}`, ...notices].join("\n\n---\n\n");
  writeFileSync(`${PACKAGE}/${target}`, `/*\n${note}\n*/\n${result.outputFiles[0].text}`);
}

await bundle("src/main.ts", "report/bundle.js");
await bundle("src/style.css", "report/bundle.css");
await bundle("src/live.ts", "live/bundle.js");
await bundle("src/live.css", "live/bundle.css");
