// How many neighbours the variables have: a small chart.

import { byId, el, svg } from "../dom";
import { count, plural } from "../format";
import type { State } from "../state";

const WIDTH = 360;
const HEIGHT = 150;
const BASE = HEIGHT - 22;
const TOP = 16;
const MOST_BARS = 24;
const FEW_BARS = 12; // each of these has room for its number

interface Bar {
  from: number;
  to: number;
  variables: number;
}

export function setUpDegrees(state: State): void {
  const place = byId("degrees");
  const show = () => {
    const total = state.degrees.reduce((sum, degree) => sum + degree, 0);
    const mean = state.edges.order ? total / state.edges.order : 0;
    const note = el(
      "p",
      { class: "note" },
      `Variables by number of neighbours; ${mean.toFixed(2)} on average`,
    );
    place.replaceChildren(chart(bars(state.degrees), mean), note);
  };
  state.on(["edges", "level"], show);
  show();
}

/** One bar for each degree, or for a few neighbouring ones where there are many. */
function bars(degrees: Uint32Array): Bar[] {
  const most = degrees.reduce((a, b) => Math.max(a, b), 0);
  const width = Math.ceil((most + 1) / MOST_BARS);
  const made: Bar[] = [];
  for (let from = 0; from <= most; from += width) made.push({ from, to: from + width - 1, variables: 0 });
  for (const degree of degrees) made[Math.floor(degree / width)].variables++;
  return made;
}

function range(bar: Bar): string {
  return bar.from === bar.to ? count(bar.from) : `${count(bar.from)}–${count(bar.to)}`;
}

function chart(made: Bar[], mean: number): SVGElement {
  const tallest = Math.max(1, ...made.map((bar) => bar.variables));
  const step = WIDTH / Math.max(made.length, 8);
  const every = Math.ceil(made.length / 8);
  const said = made
    .filter((bar) => bar.variables)
    .map((bar) => `${bar.variables} with ${range(bar)}`)
    .join(", ");
  const picture = svg("svg", {
    viewBox: `0 0 ${WIDTH} ${HEIGHT}`,
    role: "img",
    class: "chart",
    "aria-label": `Number of variables by number of neighbours: ${said}. Mean ${mean.toFixed(2)}.`,
  });
  made.forEach((bar, i) => {
    const height = bar.variables ? Math.max(1.5, ((BASE - TOP) * bar.variables) / tallest) : 0;
    const x = i * step;
    const title = svg("title", {}, `${plural(bar.variables, "variable")} with ${range(bar)} neighbours`);
    picture.append(
      svg(
        "rect",
        { x: x + step * 0.1, y: BASE - height, width: step * 0.8, height, rx: Math.min(2, height / 2) },
        title,
      ),
    );
    if (bar.variables && (made.length <= FEW_BARS || bar.variables === tallest))
      picture.append(svg("text", { x: x + step / 2, y: BASE - height - 4 }, count(bar.variables)));
    if (i % every === 0) picture.append(svg("text", { x: x + step / 2, y: HEIGHT - 6 }, range(bar)));
  });
  picture.append(svg("path", { d: `M0 ${BASE + 0.5}H${WIDTH}` }));
  return picture;
}
