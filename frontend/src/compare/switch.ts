// The switch between methods, and what is known of the one that is shown.

import { el, nameOf } from "../dom";
import { count, percent } from "../format";
import { leftOutOf } from "../panels/left-out";
import { radio } from "../panels/radio";
import type { Choice, ComparisonData, Method } from "./data";

/** A card with one radio button for each graph; methods without one are listed with the reason. */
export function switchCard(
  data: ComparisonData,
  offered: Choice[],
  choose: (choice: Choice) => void,
): HTMLElement {
  const heading = el("h2", { id: "method-heading" }, "Method");
  const buttons = offered.map((choice, i) =>
    radio("method", choice.name, choice.source.length, i === 0, () => choose(choice)),
  );
  const group = el("div", { role: "radiogroup", "aria-labelledby": "method-heading" }, ...buttons);
  const without = data.methods.filter(({ status }) => status !== "ok");
  const reasons = without.map(({ name, status, reason }) =>
    el("li", {}, nameOf(name), ` ${[status, reason].filter(Boolean).join(": ")}`),
  );
  const rest = reasons.length
    ? [
        el("h3", { class: "small" }, "Without a graph"),
        el("ul", { class: "without note", tabindex: "0" }, ...reasons),
      ]
    : [];
  return el(
    "section",
    { class: "card", id: "methods", "aria-labelledby": "method-heading" },
    heading,
    group,
    ...rest,
  );
}

/** What goes into the card that says how a graph was made. */
export function facts(data: ComparisonData, method: Method | null): HTMLElement[] {
  const common: [string, string][] = [
    ["Rows", count(data.rows)],
    ["Columns", count(data.columns)],
    ["Made", data.made],
    ["Hedgerow", data.version],
  ];
  const lines = method ? [...measured(method, data.budget), ...common] : common;
  const list = el("dl", {}, ...lines.flatMap(([term, value]) => [el("dt", {}, term), el("dd", {}, value)]));
  const warnings = [...data.warnings, ...(method?.warnings ?? [])];
  const note = el(
    "p",
    { class: "note" },
    "Partial correlations are those of the most likely Gaussian model on the graph that is shown. " +
      "Scores are in each method's own units, larger is surer.",
  );
  const rest = [...leftOutOf(data), list, note];
  if (warnings.length === 0) return rest;
  const items = warnings.map((warning) => el("li", {}, warning));
  return [el("ul", { class: "warnings", "aria-label": "Warnings" }, ...items), ...rest];
}

function measured(method: Method, budget: number): [string, string][] {
  const lines: [string, string][] = [
    ["Method", method.name],
    ["Seconds", `${Number(method.seconds!.toPrecision(2))} of ${budget}`],
    ["Shared by graphs of two halves", method.stability === null ? "–" : percent(method.stability)],
  ];
  if (method.f1 != null) {
    lines.push(["F1", method.f1.toFixed(3)], ["False edges", percent(method.fdp!)]);
    lines.push(["Exactly right", method.exact ? "yes" : "no"]);
  }
  return lines;
}
