// What the reader has chosen; every part of the page listens to it.

import type { EdgeSet } from "./graph";

/** A pair is one of those that the page tells about, and has no edge at any level of it. */
export type Selection = { node: number } | { edge: number } | { pair: number } | null;
export type Change = "edges" | "level" | "selection" | "theme";

export class State {
  level: number;
  least = 0; // share of halves of the rows in which edges must be found again
  edges: EdgeSet;
  count: number;
  degrees: Uint32Array;
  selection: Selection = null;
  private readonly listeners: [Change[], () => void][] = [];
  private readonly pending = new Set<Change>();

  /** `all` edges, of which `edges` are those that return often enough. */
  constructor(public all: EdgeSet) {
    this.edges = all;
    this.level = all.data.level;
    this.count = all.countAt(this.level);
    this.degrees = all.degrees(this.count);
  }

  /** Call `listener` once a frame after any of `changes`. */
  on(changes: Change[], listener: () => void): void {
    this.listeners.push([changes, listener]);
  }

  setLevel(level: number): void {
    this.level = level;
    this.admit();
    this.changed("level");
  }

  /** Go on with other edges of the same variables; what was chosen stays so if it is still there. */
  setEdges(all: EdgeSet): void {
    this.all = all;
    this.show(all.returning(this.least));
  }

  /** Show only edges that are found again in so many of the halves of the rows, if that is known. */
  setLeast(share: number): void {
    this.least = share;
    this.show(this.all.returning(share));
  }

  private show(edges: EdgeSet): void {
    if (this.selection !== null && "edge" in this.selection) {
      const { source, target } = this.edges.data;
      this.selection = edges.choose(source[this.selection.edge], target[this.selection.edge]);
    } else if (this.selection !== null && "pair" in this.selection) {
      const { source, target } = this.edges.pairs[this.selection.pair];
      this.selection = edges.choose(source, target);
    }
    this.edges = edges;
    this.admit();
    // At once: the numbers of edges that listeners remember are no longer right.
    this.pending.add("edges");
    this.tell();
  }

  /** The chosen variables: one, the two of an edge or a pair, or none. */
  chosen(): number[] {
    const { selection, edges } = this;
    if (selection === null) return [];
    if ("node" in selection) return [selection.node];
    if ("pair" in selection) {
      const { source, target } = edges.pairs[selection.pair];
      return [source, target];
    }
    return [edges.data.source[selection.edge], edges.data.target[selection.edge]];
  }

  select(selection: Selection): void {
    this.selection = selection;
    this.changed("selection");
  }

  changed(change: Change): void {
    if (this.pending.size === 0) requestAnimationFrame(() => this.tell());
    this.pending.add(change);
  }

  private admit(): void {
    this.count = this.edges.countAt(this.level);
    this.degrees = this.edges.degrees(this.count);
  }

  private tell(): void {
    const changes = new Set(this.pending);
    this.pending.clear();
    for (const [wanted, listener] of this.listeners) {
      if (wanted.some((change) => changes.has(change))) listener();
    }
  }
}
