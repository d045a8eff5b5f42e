// The chosen variable with its neighbours, or the chosen edge with its two ends.
// Before a choice: the variables with most neighbours, as places to begin.

import { byId, el, nameOf } from "../dom";
import { count, plural, signed } from "../format";
import { strengthOf } from "../graph";
import type { State } from "../state";
import { histogramOf } from "./columns";
import { story } from "./pair";

const SHOWN = 300;
const SUGGESTED = 6;
const OTHERS = 12;

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
  if ("node" in selection) return variable(state, selection.node);
  return "edge" in selection ? edge(state, selection.edge) : pair(state, selection.pair);
}

/** For those who listen: what was chosen, in a few words. */
function summary(state: State): string {
  const { selection, edges, count: shown } = state;
  const { names } = edges;
  if (selection === null) return "Nothing chosen";
  if ("node" in selection)
    return `${names[selection.node]}, ${plural(edges.edgesOf(selection.node, shown).length, "neighbour")}`;
  return state
    .chosen()
    .map((node) => names[node])
    .join(" and ");
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
  const rest = others(state, node);
  if (found.length === 0)
    return [title, ...look, el("p", { class: "note" }, `No neighbours ${where}.`), ...rest];
  found.sort((a, b) => Math.abs(partialCorr[b]) - Math.abs(partialCorr[a]));
  const rows = found
    .slice(0, SHOWN)
    .map((e) =>
      el(
        "tr",
        {},
        el("td", {}, variableButton(state, edges.otherEnd(e, node))),
        el("td", { class: partialCorr[e] < 0 ? "negative" : "positive" }, edgeButton(state, e)),
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
  const hidden = found.length - rows.length;
  const weaker = hidden > 0 ? [el("p", { class: "note" }, `and ${count(hidden)} weaker ones`)] : [];
  return [title, ...look, note, table, ...weaker, ...rest];
}

/** Variables that are correlated with one, and not joined to it: why not? */
function others(state: State, node: number): HTMLElement[] {
  const { edges } = state;
  const pairs = edges.othersOf(node, state.count).slice(0, OTHERS);
  if (pairs.length === 0) return [];
  const items = pairs.map((pair) => {
    const { source, target } = edges.pairs[pair];
    const name = nameOf(edges.names[source === node ? target : source]);
    return el(
      "li",
      {},
      el(
        "button",
        { class: "link", type: "button", click: () => state.select(edges.choose(source, target)) },
        name,
      ),
    );
  });
  return [
    el("h3", { class: "small" }, "Correlated, and not joined"),
    el("ul", { class: "others", "aria-label": "Correlated, and not joined" }, ...items),
  ];
}

function pair(state: State, number: number): HTMLElement[] {
  const { edges } = state;
  const told = edges.pairs[number];
  return [
    title(state, told.source, told.target),
    el("p", { class: "note" }, "Not joined by an edge"),
    ...story(edges.names, told, false),
  ];
}

function title(state: State, one: number, other: number): HTMLElement {
  return heading(state, variableButton(state, one), " and ", variableButton(state, other));
}

function edge(state: State, e: number): HTMLElement[] {
  const { data, measures, words } = state.edges;
  const facts = [
    [strengthOf(data), signed(data.partialCorr[e], 4)],
    ...measures.map(({ title, values, text }) => [title, text(values[e])]),
  ];
  const list = el("dl", {}, ...facts.flatMap(([term, value]) => [el("dt", {}, term), el("dd", {}, value)]));
  const absent = el("p", { class: "note" }, `Not in the graph ${words.scope(state.level)}.`);
  const told = state.edges.toldOf(e);
  return [
    title(state, data.source[e], data.target[e]),
    ...(e < state.count ? [] : [absent]),
    ...(told ? story(state.edges.names, told, e < state.count) : []),
    list,
  ];
}

function edgeButton(state: State, e: number): HTMLElement {
  const { data, names } = state.edges;
  const about = `About ${names[data.source[e]]} and ${names[data.target[e]]}`;
  return el(
    "button",
    { class: "link number", type: "button", title: about, click: () => state.select({ edge: e }) },
    signed(data.partialCorr[e], 3),
  );
}

function variableButton(state: State, node: number): HTMLElement {
  return el(
    "button",
    { class: "link", type: "button", click: () => state.select({ node }) },
    nameOf(state.edges.names[node]),
  );
}
