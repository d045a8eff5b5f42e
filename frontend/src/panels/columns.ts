// What the variables look like: a small histogram of each, which leads to its neighbours.

import type { Histogram } from "../data";
import { byId, el, nameOf, svg } from "../dom";
import { plural } from "../format";
import type { State } from "../state";

const WIDTH = 96;
const HEIGHT = 32;

export function setUpColumns(state: State): void {
  let shown: unknown = null;
  const show = () => {
    if (state.edges.data.histograms === shown) return;
    shown = state.edges.data.histograms;
    showColumns(state);
  };
  state.on(["edges"], show);
  showColumns(state);
}

function showColumns(state: State): void {
  const { data } = state.edges;
  const { histograms = [], names } = data;
  byId("columns").hidden = histograms.length === 0;
  byId("histograms").replaceChildren(
    ...histograms.map((histogram, node) =>
      el(
        "button",
        { class: "column", type: "button", title: about(data, node), click: () => state.select({ node }) },
        picture(histogram, labelOf(histogram, names[node], about(data, node))),
        nameOf(names[node]),
      ),
    ),
  );
}

/** The histogram of a variable with the ends of its bins, its kind, and how many cells were missing. */
export function histogramOf(data: State["edges"]["data"], node: number): HTMLElement[] {
  const histogram = data.histograms?.[node];
  if (!histogram) return [];
  const said = about(data, node);
  const ends = el(
    "figcaption",
    {},
    el("span", {}, short(histogram.start)),
    ...(said ? [el("span", { class: "about" }, said)] : []),
    el("span", {}, short(histogram.stop)),
  );
  return [
    el(
      "figure",
      { class: "histogram" },
      picture(histogram, labelOf(histogram, data.names[node], said)),
      ends,
    ),
  ];
}

/** What kind of column it is, and how many of its cells were missing, as far as there is something to say. */
function about({ kinds = [], missing = [] }: State["edges"]["data"], node: number): string {
  const kind = kinds[node] === "zeros" ? "many equal values" : kinds[node];
  const gaps = missing[node] ? `${plural(missing[node], "cell")} missing` : "";
  return [kind === "continuous" ? "" : kind, gaps].filter(Boolean).join(", ");
}

function labelOf({ start, stop, counts, values }: Histogram, name: string, said: string): string {
  const highest = counts.indexOf(Math.max(...counts));
  const edge = (bin: number) => short(start + ((stop - start) * bin) / counts.length);
  const often = values ? short(values[highest]) : `between ${edge(highest)} and ${edge(highest + 1)}`;
  const shape =
    counts.length === 1
      ? `always ${short(start)}`
      : `from ${short(start)} to ${short(stop)}, most often ${often}`;
  return `${name}: ${shape}${said && ` (${said})`}`;
}

function picture({ start, stop, counts, values }: Histogram, label: string): SVGElement {
  const tallest = Math.max(...counts);
  const total = counts.reduce((sum, some) => sum + some, 0);
  const edge = (bin: number) => short(start + ((stop - start) * bin) / counts.length);
  const bars = svg("svg", {
    viewBox: `0 0 ${WIDTH} ${HEIGHT}`,
    preserveAspectRatio: "none",
    role: "img",
    class: "chart",
    "aria-label": label,
  });
  const step = WIDTH / counts.length;
  counts.forEach((some, bin) => {
    if (some <= 0) return;
    const height = Math.max(0.8, (HEIGHT * some) / tallest);
    const where = values ? short(values[bin]) : `${edge(bin)} to ${edge(bin + 1)}`;
    const share = `${where}: ${Number(((100 * some) / total).toPrecision(2))}% of rows`;
    const title = svg("title", {}, share);
    const width = step * (values ? 0.7 : 0.9);
    bars.append(svg("rect", { x: bin * step, y: HEIGHT - height, width, height }, title));
  });
  return bars;
}

function short(value: number): string {
  return String(Number(value.toPrecision(3))).replace("-", "−");
}
