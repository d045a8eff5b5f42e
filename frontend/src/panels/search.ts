// Find a variable by part of its name.

import { byId, el, nameOf } from "../dom";
import { count, plural } from "../format";
import type { State } from "../state";

const SHOWN = 12;

export function setUpSearch(state: State): void {
  const input = byId<HTMLInputElement>("search");
  const list = byId("matches");
  const lower = state.edges.names.map((name) => name.toLowerCase());
  let matches: number[] = [];
  let active = -1;

  const close = () => {
    list.hidden = true;
    active = -1;
    input.setAttribute("aria-expanded", "false");
    input.removeAttribute("aria-activedescendant");
  };
  const choose = (node: number) => {
    input.value = "";
    close();
    state.select({ node });
  };
  const mark = (next: number) => {
    active = (next + matches.length) % matches.length;
    [...list.children].forEach((item, i) => item.setAttribute("aria-selected", String(i === active)));
    input.setAttribute("aria-activedescendant", `match-${active}`);
    list.children[active].scrollIntoView({ block: "nearest" });
  };
  const open = () => {
    const found = find(lower, input.value.trim().toLowerCase());
    matches = found.slice(0, SHOWN);
    list.replaceChildren(...matches.map((node, i) => option(node, i)));
    if (input.value.trim() === "") return close();
    if (found.length === 0)
      list.append(el("li", { class: "note", role: "presentation" }, "No variable has this in its name."));
    if (found.length > SHOWN)
      list.append(
        el("li", { class: "note", role: "presentation" }, `and ${count(found.length - SHOWN)} more: type on`),
      );
    list.hidden = false;
    input.setAttribute("aria-expanded", "true");
    if (matches.length) mark(0);
  };
  const option = (node: number, i: number) =>
    el(
      "li",
      {
        id: `match-${i}`,
        role: "option",
        "aria-selected": "false",
        "aria-label": `${state.edges.names[node]}, ${plural(state.degrees[node], "neighbour")}`,
        mousedown: (event) => event.preventDefault(),
        click: () => choose(node),
      },
      nameOf(state.edges.names[node]),
      el("span", { class: "degree" }, count(state.degrees[node])),
    );

  input.addEventListener("input", open);
  input.addEventListener("blur", close);
  input.addEventListener("keydown", (event) => {
    if (event.key === "Escape") close();
    if (list.hidden || matches.length === 0) return;
    if (event.key === "Enter") choose(matches[active]);
    else if (event.key === "ArrowDown") mark(active + 1);
    else if (event.key === "ArrowUp") mark(active - 1);
    else return;
    event.preventDefault();
  });
}

/** Names that begin with the text come before names that contain it. */
function find(lower: string[], text: string): number[] {
  const begin: number[] = [];
  const contain: number[] = [];
  lower.forEach((name, node) => {
    const at = name.indexOf(text);
    if (at === 0) begin.push(node);
    else if (at > 0) contain.push(node);
  });
  return begin.concat(contain);
}
