// The error level: a slider for the hand, a field for an exact value, and what the level promises.

import type { Promised } from "../data";
import { byId } from "../dom";
import { count, percent, plain } from "../format";
import { levelStops, stopBelow } from "../levels";
import type { State } from "../state";

const KIND = {
  fdr: "False discovery rate",
  fwer: "Family-wise error rate",
  balanced: "Estimated share of false edges",
};

export function setUpLevel(state: State): void {
  const { level, maxLevel, error } = state.edges.data;
  const stops = levelStops(level, maxLevel);
  const slider = byId<HTMLInputElement>("level");
  const exact = byId<HTMLInputElement>("level-exact");
  const reset = byId("level-reset");
  // Nobody typed the level of a balanced graph, so not all its digits matter.
  const shown = (value: number) => plain(error === "balanced" ? Number(value.toPrecision(3)) : value);

  const showCount = () => {
    slider.setAttribute("aria-valuetext", `${shown(state.level)}, ${count(state.count)} edges`);
    byId("count").textContent = count(state.count);
    byId("count-unit").textContent = state.count === 1 ? "edge" : "edges";
  };
  const show = () => {
    slider.value = String(stopBelow(stops, state.level));
    exact.value = shown(state.level);
    exact.removeAttribute("aria-invalid");
    showCount();
    byId("promise").textContent = promise(error, state.level, state.count);
    reset.hidden = state.level === level;
  };
  const choose = (value: number) => {
    state.setLevel(value);
    show();
  };

  byId("level-label").textContent = KIND[error];
  byId("level-low").textContent = plain(stops[0]);
  byId("level-high").textContent = plain(maxLevel);
  reset.textContent = `back to ${shown(level)}`;
  slider.max = String(stops.length - 1);
  slider.addEventListener("input", () => choose(stops[Number(slider.value)]));
  reset.addEventListener("click", () => {
    choose(level);
    slider.focus();
  });
  exact.addEventListener("change", () => {
    const value = Number(exact.value.replace(",", "."));
    if (value > 0 && value <= maxLevel) choose(value);
    else exact.setAttribute("aria-invalid", "true");
  });
  state.on(["edges"], showCount);
  show();
}

function promise(error: Promised, level: number, edges: number): string {
  if (error === "balanced") {
    if (!edges) return "No edge is as sure as this.";
    return `About ${percent(level)} of these edges are false: an estimate, and too low where rows are few.`;
  }
  const bound =
    error === "fdr"
      ? `On average at most ${percent(level)} of these edges are false.`
      : `The chance that any of these edges is false is at most ${percent(level)}.`;
  return `${bound} That holds for a level chosen before looking.`;
}
