// How often edges must be found again in halves of the rows to be shown, where that is known.

import { byId, el } from "../dom";
import { percent } from "../format";
import type { State } from "../state";

const STEP = 5; // percent

export function setUpReturns(state: State): void {
  const shown = el("output", { for: "returns" });
  const slider = el("input", { id: "returns", type: "range", min: 0, max: 100, step: STEP, value: 0 });
  const note = el(
    "p",
    { class: "note" },
    "The error rate is kept for all edges at the level, not for these.",
  );
  const part = el(
    "div",
    { id: "returns-part" },
    el("div", { class: "level-row" }, el("label", { for: "returns" }, "Found again in at least"), shown),
    slider,
    note,
  );
  const show = () => {
    part.hidden = !state.all.data.returns;
    shown.textContent = percent(state.least);
    slider.setAttribute("aria-valuetext", `${percent(state.least)} of the halves of the rows`);
    note.hidden = state.least === 0;
  };
  slider.addEventListener("input", () => {
    state.setLeast(Number(slider.value) / 100);
    show();
  });
  state.on(["edges"], show);
  byId("promise").after(part);
  show();
}
