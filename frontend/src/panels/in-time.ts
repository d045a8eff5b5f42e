// What rows do in time: how much they resemble the rows before them.

import { el, svg } from "../dom";
import { signed } from "../format";

const WIDTH = 360;
const HALF = 40;
const FOOT = 16;
const EVERY = 8; // lags between two that are written

/** A bar for each number of rows apart; nothing where rows are not related. */
export function inTime(autocorrelation: number[]): HTMLElement[] {
  if (autocorrelation.length === 0) return [];
  const largest = autocorrelation.reduce((a, b) => (Math.abs(b) > Math.abs(a) ? b : a));
  const picture = svg("svg", {
    viewBox: `0 0 ${WIDTH} ${2 * HALF + FOOT}`,
    role: "img",
    class: "chart",
    "aria-label": `Autocorrelation by rows apart: ${signed(autocorrelation[0], 2)} for the next row; ${signed(largest, 2)} at most.`,
  });
  const step = WIDTH / autocorrelation.length;
  autocorrelation.forEach((value, i) => {
    const height = HALF * Math.abs(value);
    const title = svg("title", {}, `${i + 1} apart: ${signed(value, 2)}`);
    const y = value < 0 ? HALF : HALF - height;
    picture.append(svg("rect", { x: (i + 0.15) * step, y, width: 0.7 * step, height }, title));
    if (i === 0 || (i + 1) % EVERY === 0)
      picture.append(svg("text", { x: (i + 0.5) * step, y: 2 * HALF + FOOT - 4 }, String(i + 1)));
  });
  picture.append(svg("path", { d: `M0 ${HALF}H${WIDTH}` }));
  const note = el(
    "figcaption",
    { class: "note" },
    "How much a row resembles the one so many rows before it, beyond what other columns explain: from −1 to 1, the median of the columns",
  );
  return [el("figure", { class: "in-time" }, picture, note)];
}
