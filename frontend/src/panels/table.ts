// All edges of the graph, sortable. Only the rows in sight exist, so 20,000 edges stay quick.

import { byId, el, nameOf } from "../dom";
import { plural, signed } from "../format";
import { strengthOf, unitsOf } from "../graph";
import type { State } from "../state";

const ROW = 36; // pixels; the style sheet says the same
const MANY = 8; // columns; more need narrow ones, and a table that is wider than narrow screens
const MARGIN = 8; // rows kept ready above and below those in sight

interface Column {
  title: string;
  key: (edge: number) => number;
  cell: (edge: number) => Node | string;
  kind?: (edge: number) => string;
}

export function setUpTable(state: State): void {
  new EdgeTable(state, byId("edge-table"));
}

class EdgeTable {
  private columns: Column[];
  private sorted: Uint32Array = new Uint32Array(); // every edge
  private rows: Uint32Array = new Uint32Array(); // those in the graph at this level
  private sortedBy: number;
  private ascending = true;
  private active = 0;
  private readonly body = el("tbody");
  private heads: HTMLElement[] = [];
  private readonly head = el("tr");
  private readonly table: HTMLTableElement;
  private readonly note = el("p", { class: "note" });

  constructor(
    private readonly state: State,
    private readonly scroller: HTMLElement,
  ) {
    this.columns = columnsOf(state);
    this.sortedBy = this.columns.length - 1;
    this.table = el(
      "table",
      {
        role: "grid",
        tabindex: "0",
        "aria-label": "Edges. Arrow keys move, Enter shows an edge.",
        keydown: (event) => this.onKey(event as KeyboardEvent),
      },
      el("thead", {}, this.head),
      this.body,
    );
    scroller.append(this.table);
    scroller.after(this.note);
    scroller.addEventListener("scroll", () => this.draw());
    new ResizeObserver(() => this.draw()).observe(scroller);
    state.on(["edges"], () => this.follow());
    state.on(["level"], () => this.restart());
    state.on(["selection"], () => this.draw());
    this.writeHeads();
    this.sort();
  }

  /** Take other edges, of which something else may be known. */
  private follow(): void {
    const columns = columnsOf(this.state);
    if (columns.map(({ title }) => title).join("\n") !== this.columns.map(({ title }) => title).join("\n")) {
      this.columns = columns;
      this.sortedBy = columns.length - 1;
      this.ascending = true;
      this.writeHeads();
    }
    this.sort();
  }

  private writeHeads(): void {
    this.heads = this.columns.map(({ title }, i) =>
      el("th", { scope: "col", title }, el("button", { type: "button", click: () => this.sortBy(i) }, title)),
    );
    this.head.replaceChildren(...this.heads);
    this.table.classList.toggle("many", this.columns.length > MANY);
    this.table.style.setProperty("--numbers", String(this.columns.length - 2));
  }

  private sortBy(column: number): void {
    this.ascending = column === this.sortedBy ? !this.ascending : true;
    this.sortedBy = column;
    this.sort();
    this.restart();
  }

  private sort(): void {
    const { key } = this.columns[this.sortedBy];
    const sign = this.ascending ? 1 : -1;
    const keys = Float64Array.from({ length: this.state.edges.size }, (_, edge) => key(edge));
    this.sorted = Uint32Array.from(keys.keys());
    this.sorted.sort((a, b) => sign * (keys[a] - keys[b]) || a - b);
    this.filter();
  }

  /** Begin at the top. */
  private restart(): void {
    this.active = 0;
    this.scroller.scrollTop = 0;
    this.filter();
  }

  private filter(): void {
    const { count, level, edges } = this.state;
    const { words } = edges;
    this.rows = this.sorted.filter((edge) => edge < count);
    this.active = Math.max(0, Math.min(this.active, count - 1));
    this.table.setAttribute("aria-rowcount", String(count + 1));
    this.heads.forEach((head, i) =>
      head.setAttribute(
        "aria-sort",
        i !== this.sortedBy ? "none" : this.ascending ? "ascending" : "descending",
      ),
    );
    this.scroller.hidden = count === 0;
    const [one, many] = unitsOf(edges);
    byId("edges-heading").textContent = `All ${many}`;
    this.note.textContent = count
      ? `${plural(count, one, many)} ${words.rule(level)}`
      : `No ${many} ${words.rule(level)}.`;
    this.draw();
  }

  private draw(): void {
    const first = Math.max(0, Math.floor(this.scroller.scrollTop / ROW) - MARGIN);
    const last = Math.min(
      this.rows.length,
      Math.ceil((this.scroller.scrollTop + this.scroller.clientHeight) / ROW) + MARGIN,
    );
    const made: HTMLElement[] = [];
    for (let i = first; i < last; i++) made.push(this.row(i));
    this.body.replaceChildren(gap(first), ...made, gap(this.rows.length - last));
    if (this.active >= first && this.active < last)
      this.table.setAttribute("aria-activedescendant", `row-${this.active}`);
    else this.table.removeAttribute("aria-activedescendant");
  }

  private row(i: number): HTMLElement {
    const edge = this.rows[i];
    const { selection } = this.state;
    const selected = selection !== null && "edge" in selection && selection.edge === edge;
    const cells = this.columns.map((column) =>
      el("td", { class: column.kind?.(edge) ?? "" }, column.cell(edge)),
    );
    return el(
      "tr",
      {
        id: `row-${i}`,
        "aria-rowindex": i + 2,
        "aria-selected": String(selected),
        class: i === this.active ? "active" : "",
        click: () => this.choose(i),
      },
      ...cells,
    );
  }

  private choose(i: number): void {
    this.active = i;
    this.state.select({ edge: this.rows[i] });
  }

  private onKey(event: KeyboardEvent): void {
    if (event.target !== this.table || this.rows.length === 0) return;
    const page = Math.max(1, Math.floor(this.scroller.clientHeight / ROW) - 2);
    const moves: Record<string, number> = {
      ArrowDown: 1,
      ArrowUp: -1,
      PageDown: page,
      PageUp: -page,
      Home: -Infinity,
      End: Infinity,
    };
    if (event.key in moves) this.move(this.active + moves[event.key]);
    else if (event.key === "Enter" || event.key === " ") this.choose(this.active);
    else return;
    event.preventDefault();
  }

  private move(to: number): void {
    this.active = Math.min(this.rows.length - 1, Math.max(0, to));
    const top = this.active * ROW;
    const sight = this.scroller.clientHeight - 2 * ROW; // the head covers one row
    if (top < this.scroller.scrollTop) this.scroller.scrollTop = top;
    else if (top > this.scroller.scrollTop + sight) this.scroller.scrollTop = top - sight;
    this.draw();
    this.body.querySelector(".active")?.scrollIntoView({ block: "nearest" });
  }
}

function columnsOf(state: State): Column[] {
  const { names } = state.edges;
  const rank = ranks(names);
  const name = (end: "source" | "target"): Column => ({
    title: "Variable",
    key: (edge) => rank[state.edges.data[end][edge]],
    cell: (edge) => nameOf(names[state.edges.data[end][edge]]),
  });
  const corr = (edge: number) => state.edges.data.partialCorr[edge];
  // Through the state each time, as other edges may have taken their place.
  const measures = state.edges.measures.map(
    ({ title, text }, i): Column => ({
      title,
      key: (edge) => state.edges.measures[i].values[edge],
      cell: (edge) => text(state.edges.measures[i].values[edge]),
      kind: () => "number",
    }),
  );
  return [
    name("source"),
    name("target"),
    {
      title: strengthOf(state.edges.data, true),
      key: corr,
      cell: (edge) => signed(corr(edge), 3),
      kind: (edge) => (corr(edge) < 0 ? "number negative" : "number positive"),
    },
    ...measures,
  ];
}

/** Alphabetical places, x2 before x10; made once, so that sorting edges compares numbers. */
function ranks(names: string[]): Uint32Array {
  const collator = new Intl.Collator(undefined, { numeric: true });
  const rank = new Uint32Array(names.length);
  [...names.keys()]
    .sort((a, b) => collator.compare(names[a], names[b]) || a - b)
    .forEach((node, place) => (rank[node] = place));
  return rank;
}

function gap(rows: number): HTMLElement {
  const row = el("tr", { class: "gap", "aria-hidden": "true" });
  row.style.height = `${rows * ROW}px`;
  return row;
}
