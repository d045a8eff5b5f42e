// The chosen variable with its neighbours, or the chosen edge with its two ends.
// Before a choice: the variables with most neighbours, as places to begin.

import { byId, el, nameOf } from "../dom";
import { count, plural, signed } from "../format";
import { strengthOf } from "../graph";
import type { State } from "../state";
import { histogramOf } from "./columns";

const SHOWN = 300;
const SUGGESTED = 6;

export function setUpDetails(state: State): void {
  const place = byId("details");
  const buttons = () => [...place.querySelectorAll("button")];
  const show = () => {
    const focused = place.contains(document.activeElement);
    place.replaceChildren(...content(state));
    // A button that was pressed here is gone; stay with what took its place.
    if (focused) buttons()[0]?.focus();
  };
  const refresh = () => {
    const focused = buttons().findIndex((button) => button === document.activeElement);
    const { scrollTop } = place;
    place.replaceChildren(...content(state));
    buttons()[focused]?.focus({ preventScroll: true });
    place.scrollTop = scrollTop;
  };
  state.on(["edges"], refresh);
  state.on(["level", "selection"], show);
  state.on(["selection"], () => (byId("said").textContent = summary(state)));
  show();
}

function content(state: State): HTMLElement[] {
  const { selection } = state;
  if (selection === null) return suggestions(state);
  return "node" in selection ? variable(state, selection.node) : edge(state, selection.edge);
}

/** For those who listen: what was chosen, in a few words. */
function summary({ selection, edges, count: shown }: State): string {
  const { names, data } = edges;
  if (selection === null) return "Nothing chosen";
  if ("edge" in selection)
    return `${names[data.source[selection.edge]]} and ${names[data.target[selection.edge]]}`;
  return `${names[selection.node]}, ${plural(edges.edgesOf(selection.node, shown).length, "neighbour")}`;
}

function heading(state: State, ...content: (Node | string)[]): HTMLElement {
  const clear = el("button", { class: "link", type: "button", click: () => state.select(null) }, "clear");
  return el("div", { class: "chosen" }, el("h3", {}, ...content), clear);
}

function suggestions(state: State): HTMLElement[] {
  const { degrees } = state;
  const connected = [...degrees.keys()].filter((node) => degrees[node] > 0);
  const best = connected.sort((a, b) => degrees[b] - degrees[a]).slice(0, SUGGESTED);
  const note = el(
    "p",
    { class: "note" },
    "Choose a variable here, in the drawing or in the table to see its neighbours.",
  );
  if (best.length === 0) return [note];
  const items = best.map((node) =>
    el("li", {}, variableButton(state, node), el("span", { class: "degree" }, count(degrees[node]))),
  );
  return [note, el("h3", { class: "small" }, "Most connected"), el("ol", { class: "hubs" }, ...items)];
}

function variable(state: State, node: number): HTMLElement[] {
  const { edges, count: shown } = state;
  const { partialCorr } = edges.data;
  const measures = edges.measures.slice(-2); // there is no room for more
  const where = edges.words.scope(state.level);
  const found = edges.edgesOf(node, shown);
  const title = heading(state, nameOf(edges.names[node]));
  const look = histogramOf(edges.data, node);
  if (found.length === 0) return [title, ...look, el("p", { class: "note" }, `No neighbours ${where}.`)];
  found.sort((a, b) => Math.abs(partialCorr[b]) - Math.abs(partialCorr[a]));
  const rows = found
    .slice(0, SHOWN)
    .map((e) =>
      el(
        "tr",
        {},
        el("td", {}, variableButton(state, edges.otherEnd(e, node))),
        el("td", { class: partialCorr[e] < 0 ? "negative" : "positive" }, signed(partialCorr[e], 3)),
        ...measures.map(({ values, text }) => el("td", {}, text(values[e]))),
      ),
    );
  const titles = ["Neighbour", strengthOf(edges.data, true), ...measures.map(({ title }) => title)];
  const head = titles.map((text) => el("th", { scope: "col" }, text));
  const table = el(
    "table",
    { class: "neighbours" },
    el("thead", {}, el("tr", {}, ...head)),
    el("tbody", {}, ...rows),
  );
  const note = el(
    "p",
    { class: "note" },
    `${plural(found.length, "neighbour")} ${where}, the strongest first`,
  );
  const rest = found.length - rows.length;
  return rest > 0
    ? [title, ...look, note, table, el("p", { class: "note" }, `and ${count(rest)} weaker ones`)]
    : [title, ...look, note, table];
}

function edge(state: State, e: number): HTMLElement[] {
  const { data, measures, words } = state.edges;
  const facts = [
    [strengthOf(data), signed(data.partialCorr[e], 4)],
    ...measures.map(({ title, values, text }) => [title, text(values[e])]),
  ];
  const list = el("dl", {}, ...facts.flatMap(([term, value]) => [el("dt", {}, term), el("dd", {}, value)]));
  const title = heading(
    state,
    variableButton(state, data.source[e]),
    " and ",
    variableButton(state, data.target[e]),
  );
  return e < state.count
    ? [title, list]
    : [title, el("p", { class: "note" }, `Not in the graph ${words.scope(state.level)}.`), list];
}

function variableButton(state: State, node: number): HTMLElement {
  return el(
    "button",
    { class: "link", type: "button", click: () => state.select({ node }) },
    nameOf(state.edges.names[node]),
  );
}
