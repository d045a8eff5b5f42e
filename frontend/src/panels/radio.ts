// One choice among graphs of the same variables.

import { el, nameOf } from "../dom";
import { count } from "../format";

/** A radio button with a name and how many edges there are. */
export function radio(
  group: string,
  name: string,
  edges: number,
  checked: boolean,
  choose: () => void,
): HTMLElement {
  return el(
    "label",
    { class: "choice" },
    el("input", { type: "radio", name: group, value: name, checked, change: choose }),
    nameOf(name),
    el("span", { class: "degree" }, count(edges)),
  );
}
