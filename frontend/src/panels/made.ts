// The heading, and how the graph was made.

import { byId, el } from "../dom";
import { count, plain, plural, probability } from "../format";
import { type EdgeSet, key, unitsOf } from "../graph";
import type { State } from "../state";
import { inTime } from "./in-time";
import { leftOutOf } from "./left-out";

const OF_EDGES =
  "An edge joins two variables that stay correlated when all others are held fixed. Its q is the smallest level at which it is in the graph.";
const OF_DIFFERENCES =
  "A difference is that of two partial correlations, the second group's less the first's. Its q is the smallest level at which it is reported. Grey lines are edges of either graph.";
const KIND = {
  fdr: "false discovery rate",
  fwer: "family-wise error rate",
  balanced: "none kept: false and missed edges weigh the same",
};

export function setUpMasthead(state: State): void {
  const { title, made } = state.edges.data;
  document.title = title;
  byId("title").textContent = title;
  const show = () => {
    const { rows, names, warnings } = state.edges.data;
    const facts = [plural(rows, "row"), plural(names.length, "variable")];
    if (made) facts.push(made);
    const summary = byId("summary");
    summary.replaceChildren(facts.join(" · "));
    if (warnings.length)
      summary.append(" · ", el("a", { href: "#made", class: "caution" }, plural(warnings.length, "warning")));
  };
  state.on(["edges"], show);
  show();
}

export function setUpMade(state: State): void {
  const show = () => byId("made").replaceChildren(...content(state.all));
  state.on(["edges"], show);
  show();
}

function content(edges: EdgeSet): HTMLElement[] {
  const { data } = edges;
  const compared: [string, string][] = data.compared
    ? [
        ["Compared", `${data.compared.first} → ${data.compared.second}`],
        ["That nothing differs", `p = ${probability(data.compared.p)}`],
      ]
    : [];
  const [, many] = unitsOf(edges);
  const facts: [string, string][] = [
    ...compared,
    ["Rows", count(data.rows)],
    ["Columns", count(data.columns)],
    ["Pairs tested", count((edges.order * (edges.order - 1)) / 2)],
    ["Error kind", KIND[data.error]],
    ["Level", data.error === "balanced" ? probability(data.level) : plain(data.level)],
    [`${capital(many)} at that level`, count(edges.countAt(data.level))],
    [`${capital(many)} up to ${plain(data.maxLevel)}`, count(edges.size)],
    ["Made", data.made || "date not recorded"],
    ["Hedgerow", data.version],
  ];
  if (data.columns !== edges.order)
    facts.splice(compared.length + 2, 0, ["Columns used", count(edges.order)]);
  const warnings = el(
    "ul",
    { class: "warnings", "aria-label": "Warnings" },
    ...data.warnings.map((warning) => el("li", {}, warning)),
  );
  return [
    ...(data.warnings.length ? [warnings] : []),
    ...(data.said.length ? [el("p", { class: "said" }, data.said.join(" "))] : []),
    ...inTime(data.autocorrelation ?? []),
    ...aboutPairs(edges),
    ...leftOutOf(data),
    el("dl", {}, ...facts.flatMap(([term, value]) => [el("dt", {}, term), el("dd", {}, value)])),
    el("p", { class: "note" }, data.compared ? OF_DIFFERENCES : OF_EDGES),
  ];
}

function capital(text: string): string {
  return text[0].toUpperCase() + text.slice(1);
}

/** Of which pairs the page can tell more, so that it is clear of which it cannot. */
function aboutPairs({ data, pairs }: EdgeSet): HTMLElement[] {
  if (pairs.length === 0) return [];
  const joined = new Set(data.source.map((one, edge) => key(one, data.target[edge])));
  const edges = pairs.filter(({ source, target }) => joined.has(key(source, target))).length;
  const drawn = pairs.some(({ points }) => points) ? " and pictures" : "";
  const text =
    `The page has explanations${drawn} of ${plural(edges, "edge")}, the surest, and of ` +
    `${plural(pairs.length - edges, "pair")} without an edge, the most correlated.`;
  return [el("p", { class: "note" }, text)];
}
