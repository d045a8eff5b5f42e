// The change log: edges that appeared or vanished, the newest first.

import { el, nameOf } from "../dom";
import { count, signed } from "../format";
import type { State } from "../state";
import type { Change } from "./news";

const KEPT = 200;

export class ChangeLog {
  private newest = "";
  private readonly list = el("ol", { class: "changes", tabindex: "0", "aria-labelledby": "changes-heading" });
  private readonly none = el("p", { class: "note" }, "Edges that appear or vanish will be listed here.");

  constructor(private readonly state: () => State | null) {
    const heading = el("h2", { id: "changes-heading" }, "Changes");
    const card = el(
      "section",
      { class: "card grow", "aria-labelledby": "changes-heading" },
      heading,
      this.none,
      this.list,
    );
    document.querySelector(".side")!.prepend(card);
    this.list.hidden = true;
  }

  /** Put what is new on top; what is there already is not made again, so that nobody loses focus. */
  take(changes: Change[]): void {
    const keys = changes.map((change) => JSON.stringify(change));
    const known = keys.indexOf(this.newest);
    const fresh = changes.slice(0, known < 0 ? changes.length : known);
    this.list.prepend(...fresh.map((change) => this.entry(change)));
    while (this.list.childElementCount > KEPT) this.list.lastElementChild!.remove();
    this.newest = keys[0] ?? "";
    this.none.hidden = this.list.childElementCount > 0;
    this.list.hidden = !this.none.hidden;
  }

  private entry({ row, time, kind, source, target, partialCorr }: Change): HTMLElement {
    const date = new Date(1000 * time);
    return el(
      "li",
      { class: kind },
      el("p", {}, this.variable(source), el("span", { class: "and" }, "–"), this.variable(target)),
      el(
        "p",
        { class: "note" },
        el("span", { class: partialCorr < 0 ? "negative" : "positive" }, signed(partialCorr, 3)),
        ` ${kind} at row ${count(row)}, `,
        el("time", { datetime: date.toISOString(), title: date.toLocaleString() }, date.toLocaleTimeString()),
      ),
    );
  }

  private variable(name: string): HTMLElement {
    const choose = () => {
      const state = this.state();
      const node = state?.edges.data.names.indexOf(name) ?? -1;
      if (node >= 0) state!.select({ node });
    };
    return el("button", { class: "link", type: "button", click: choose }, nameOf(name));
  }
}
