// What is known of two variables: sentences, and what their neighbours leave of them, row by row.

import type { PairTold } from "../data";
import { el, svg } from "../dom";
import { shortened, signed } from "../format";

const SIZE = 240;
const HALF = SIZE / 2;
const ROOM = 8; // around the points
const DOT = 2.6;

/** Sentences, and the picture where rows are kept. */
export function story(names: string[], told: PairTold, joined: boolean): HTMLElement[] {
  const sentences = told.said.slice(1).map((sentence) => el("p", {}, sentence)); // the first is the heading
  return [...picture(names, told, joined), el("div", { class: "story" }, ...sentences)];
}

function picture(names: string[], told: PairTold, joined: boolean): HTMLElement[] {
  const { source, target, points, partialCorr } = told;
  if (!points || partialCorr === undefined) return [];
  const bytes = Int8Array.from(atob(points), (character) => (character.charCodeAt(0) << 24) >> 24);
  const unit = (HALF - ROOM) / 127;
  const sign = joined ? (partialCorr < 0 ? "negative" : "positive") : "absent";
  const label =
    `What is left of ${names[source]} (across) and ${names[target]} (up) without their neighbours, ` +
    `in ${bytes.length / 2} rows: partial correlation ${signed(partialCorr, 2)}`;
  const drawing = svg("svg", {
    viewBox: `${-HALF} ${-HALF} ${SIZE} ${SIZE}`,
    class: `scatter ${sign}`,
    role: "img",
    "aria-label": label,
  });
  drawing.append(svg("path", { class: "axes", d: `M${-HALF} 0H${HALF}M0 ${-HALF}V${HALF}` }));
  for (let i = 0; i < bytes.length; i += 2)
    drawing.append(svg("circle", { cx: bytes[i] * unit, cy: -bytes[i + 1] * unit, r: DOT }));
  // Through the middle, with the slope of the partial correlation, to the edge of the picture.
  const slope = (partialCorr * spread(bytes, 1)) / (spread(bytes, 0) || 1);
  const across = Math.min(HALF - 2, (HALF - 2) / Math.max(Math.abs(slope), 1e-9));
  drawing.append(
    svg("path", { class: "slope", d: `M${-across} ${slope * across}L${across} ${-slope * across}` }),
  );
  const caption = el(
    "figcaption",
    {},
    el("span", { class: "name" }, `↑ ${shortened(names[target], 20)}`),
    el("span", { class: "name" }, `${shortened(names[source], 20)} →`),
  );
  const note = `Without their neighbours, in ${bytes.length / 2} rows`;
  return [el("figure", { class: "pair" }, drawing, caption, el("p", { class: "note" }, note))];
}

function spread(bytes: Int8Array, offset: number): number {
  let [sum, squares] = [0, 0];
  for (let i = offset; i < bytes.length; i += 2) {
    sum += bytes[i];
    squares += bytes[i] ** 2;
  }
  const rows = bytes.length / 2;
  return Math.sqrt(Math.max(0, squares / rows - (sum / rows) ** 2));
}
