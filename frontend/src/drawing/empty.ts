// What to say where there is nothing to draw, and why.

import type { ReportData } from "../data";
import { el } from "../dom";
import { count, plain, plural, probability } from "../format";
import type { State } from "../state";

export function emptyMessage(state: State): HTMLElement {
  const { data, order, size, words } = state.edges;
  if (order < 2) return message("Nothing to connect", "A graph needs at least two variables.");
  if (words.none) return message("No edges", words.none);
  if (size > 0) {
    return message(
      `No edges at level ${plain(state.level)}`,
      `The first edge enters the graph at ${probability(data.q[0])}. Move the slider to the right to see it.`,
    );
  }
  if (data.whyNone) {
    return message("No edges", `A balanced graph is left without any, because ${data.whyNone}.`);
  }
  const pairs = (order * (order - 1)) / 2;
  const lacking = data.error === "balanced" ? "stands out from chance" : `has q ≤ ${plain(data.maxLevel)}`;
  return message(
    "No edges",
    `None of the ${plural(pairs, "pair")} of variables ${lacking}. ${reason(data, pairs)}`,
  );
}

function reason({ rows, detectable, odds }: ReportData, pairs: number): string {
  if (detectable === null || detectable >= 1) {
    return `With ${plural(rows, "row")} no edge among so many pairs could be told from chance; more rows are needed.`;
  }
  return (
    `Either the variables are not directly connected, or the connections are too weak for ${plural(rows, "row")}: ` +
    `among ${count(pairs)} pairs a ${odds ? "log odds ratio" : "partial correlation"} stands out from about ` +
    `${(odds ? 4 * Math.atanh(detectable) : detectable).toPrecision(2)}.`
  );
}

function message(title: string, text: string): HTMLElement {
  return el("div", {}, el("h3", {}, title), el("p", {}, text));
}
