// The heading, and how the graph was made.

import type { ReportData } from "../data";
import { byId, el } from "../dom";
import { count, plain, plural } from "../format";
import type { EdgeSet } from "../graph";

const KIND = { fdr: "false discovery rate", fwer: "family-wise error rate" };

export function setUpMasthead(data: ReportData): void {
  document.title = data.title;
  byId("title").textContent = data.title;
  const facts = [plural(data.rows, "row"), plural(data.names.length, "variable")];
  if (data.made) facts.push(data.made);
  const summary = byId("summary");
  summary.append(facts.join(" · "));
  if (data.warnings.length)
    summary.append(
      " · ",
      el("a", { href: "#made", class: "caution" }, plural(data.warnings.length, "warning")),
    );
}

export function setUpMade(edges: EdgeSet): void {
  const { data } = edges;
  const facts: [string, string][] = [
    ["Rows", count(data.rows)],
    ["Columns", count(data.columns)],
    ["Pairs tested", count((edges.order * (edges.order - 1)) / 2)],
    ["Error kind", KIND[data.error]],
    ["Level", plain(data.level)],
    ["Edges at that level", count(edges.countAt(data.level))],
    [`Edges up to ${plain(data.maxLevel)}`, count(edges.size)],
    ["Made", data.made || "date not recorded"],
    ["Hedgerow", data.version],
  ];
  if (data.columns !== edges.order) facts.splice(2, 0, ["Columns used", count(edges.order)]);
  const place = byId("made");
  if (data.warnings.length) {
    place.append(
      el(
        "ul",
        { class: "warnings", "aria-label": "Warnings" },
        ...data.warnings.map((warning) => el("li", {}, warning)),
      ),
    );
  }
  place.append(
    el("dl", {}, ...facts.flatMap(([term, value]) => [el("dt", {}, term), el("dd", {}, value)])),
    el(
      "p",
      { class: "note" },
      "An edge joins two variables that stay correlated when all others are held fixed. Its q is the smallest level at which it is in the graph.",
    ),
  );
}
