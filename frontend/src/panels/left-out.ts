// What the graph was not learned from: nothing is left out unsaid.

import type { LeftOut } from "../data";
import { el, nameOf } from "../dom";
import { count, plural } from "../format";

/** A list of columns, by the reason, and of numbers of rows; nothing where all were used. */
export function leftOutOf({ columnsLeftOut, rowsLeftOut }: LeftOut): HTMLElement[] {
  const columns = columnsLeftOut.map(({ reason, count: number, names }) => {
    const shown = names.flatMap((name) => [nameOf(name), ", "]).slice(0, -1);
    const more = number > names.length ? [` and ${count(number - names.length)} more`] : [];
    return el("li", {}, `Left out ${plural(number, "column")} (${reason}): `, ...shown, ...more);
  });
  const rows = rowsLeftOut.map(({ reason, count: number }) =>
    el("li", {}, `Left out ${plural(number, "row")} ${reason}`),
  );
  const items = [...columns, ...rows];
  return items.length ? [el("ul", { class: "left-out", "aria-label": "Left out" }, ...items)] : [];
}
