// The error level: a slider for the hand, a field for an exact value, and what the level promises.

import { byId } from "../dom";
import { count, percent, plain } from "../format";
import { unitsOf } from "../graph";
import { levelStops, stopBelow } from "../levels";
import type { State } from "../state";

const KIND = {
  fdr: "False discovery rate",
  fwer: "Family-wise error rate",
  balanced: "Estimated share of false edges",
};

export function setUpLevel(state: State): void {
  const slider = byId<HTMLInputElement>("level");
  const exact = byId<HTMLInputElement>("level-exact");
  const reset = byId("level-reset");
  const given = () => state.edges.data;
  let stops: number[] = [];
  // Nobody typed the level of a balanced graph, so not all its digits matter.
  const shown = (value: number) => plain(given().error === "balanced" ? Number(value.toPrecision(3)) : value);

  const showCount = () => {
    const units = unitsOf(state.edges);
    slider.setAttribute("aria-valuetext", `${shown(state.level)}, ${count(state.count)} ${units[1]}`);
    byId("count").textContent = count(state.count);
    byId("count-unit").textContent = units[state.count === 1 ? 0 : 1];
  };
  const show = () => {
    slider.value = String(stopBelow(stops, state.level));
    exact.value = shown(state.level);
    exact.removeAttribute("aria-invalid");
    showCount();
    byId("promise").textContent = promise(state);
    reset.hidden = state.level === given().level;
  };
  const choose = (value: number) => {
    state.setLevel(value);
    show();
  };
  /** Follow what the graph was made with, which another group's need not share. */
  const read = () => {
    const { level, maxLevel, error } = given();
    stops = levelStops(level, maxLevel);
    byId("level-label").textContent = KIND[error];
    byId("level-low").textContent = plain(stops[0]);
    byId("level-high").textContent = plain(maxLevel);
    reset.textContent = `back to ${shown(level)}`;
    slider.max = String(stops.length - 1);
  };

  slider.addEventListener("input", () => choose(stops[Number(slider.value)]));
  reset.addEventListener("click", () => {
    choose(given().level);
    slider.focus();
  });
  exact.addEventListener("change", () => {
    const value = Number(exact.value.replace(",", "."));
    if (value > 0 && value <= given().maxLevel) choose(value);
    else exact.setAttribute("aria-invalid", "true");
  });
  const setting = () => [given().level, given().maxLevel, given().error, unitsOf(state.edges)[0]].join();
  let known = setting();
  state.on(["edges"], () => {
    if (setting() === known) return showCount();
    known = setting();
    read();
    show();
  });
  read();
  show();
}

function promise({ edges, level, count: some }: State): string {
  const many = unitsOf(edges)[1];
  const { error } = edges.data;
  if (error === "balanced") {
    if (!some) return "No edge is as sure as this.";
    return `About ${percent(level)} of these edges are false: an estimate, and too low where rows are few.`;
  }
  const bound =
    error === "fdr"
      ? `On average at most ${percent(level)} of these ${many} are false.`
      : `The chance that any of these ${many} is false is at most ${percent(level)}.`;
  return `${bound} That holds for a level chosen before looking.`;
}
