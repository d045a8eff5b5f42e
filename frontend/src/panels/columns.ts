// What the variables look like: a small histogram of each, which leads to its neighbours.

import type { Histogram } from "../data";
import { byId, el, nameOf, svg } from "../dom";
import type { State } from "../state";

const WIDTH = 96;
const HEIGHT = 32;

export function setUpColumns(state: State): void {
  const { histograms = [], names } = state.edges.data;
  byId("columns").hidden = histograms.length === 0;
  byId("histograms").replaceChildren(
    ...histograms.map((histogram, node) =>
      el(
        "button",
        { class: "column", type: "button", click: () => state.select({ node }) },
        picture(histogram, names[node]),
        nameOf(names[node]),
      ),
    ),
  );
}

/** The histogram of a variable with the ends of its bins. */
export function histogramOf({ histograms = [], names }: State["edges"]["data"], node: number): HTMLElement[] {
  const histogram = histograms[node];
  if (!histogram) return [];
  const ends = el(
    "figcaption",
    {},
    el("span", {}, short(histogram.start)),
    el("span", {}, short(histogram.stop)),
  );
  return [el("figure", { class: "histogram" }, picture(histogram, names[node]), ends)];
}

function picture({ start, stop, counts }: Histogram, name: string): SVGElement {
  const tallest = Math.max(...counts);
  const total = counts.reduce((sum, count) => sum + count, 0);
  const highest = counts.indexOf(tallest);
  const edge = (bin: number) => short(start + ((stop - start) * bin) / counts.length);
  const label =
    counts.length === 1
      ? `${name}: always ${short(start)}`
      : `${name}: from ${short(start)} to ${short(stop)}, most often between ${edge(highest)} and ${edge(highest + 1)}`;
  const bars = svg("svg", {
    viewBox: `0 0 ${WIDTH} ${HEIGHT}`,
    preserveAspectRatio: "none",
    role: "img",
    class: "chart",
    "aria-label": label,
  });
  const step = WIDTH / counts.length;
  counts.forEach((count, bin) => {
    if (count <= 0) return;
    const height = Math.max(0.8, (HEIGHT * count) / tallest);
    const share = `${edge(bin)} to ${edge(bin + 1)}: ${Number(((100 * count) / total).toPrecision(2))}% of rows`;
    const title = svg("title", {}, share);
    bars.append(svg("rect", { x: bin * step, y: HEIGHT - height, width: step * 0.9, height }, title));
  });
  return bars;
}

function short(value: number): string {
  return String(Number(value.toPrecision(3))).replace("-", "−");
}
