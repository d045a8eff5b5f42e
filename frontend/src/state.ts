// What the reader has chosen; every part of the page listens to it.

import type { EdgeSet } from "./graph";

export type Selection = { node: number } | { edge: number } | null;
export type Change = "edges" | "level" | "selection" | "theme";

export class State {
  level: number;
  count: number;
  degrees: Uint32Array;
  selection: Selection = null;
  private readonly listeners: [Change[], () => void][] = [];
  private readonly pending = new Set<Change>();

  constructor(public edges: EdgeSet) {
    this.level = edges.data.level;
    this.count = edges.countAt(this.level);
    this.degrees = edges.degrees(this.count);
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
  setEdges(edges: EdgeSet): void {
    if (this.selection !== null && "edge" in this.selection) {
      const { source, target } = this.edges.data;
      const edge = edges.between(source[this.selection.edge], target[this.selection.edge]);
      this.selection = edge === undefined ? null : { edge };
    }
    this.edges = edges;
    this.admit();
    // At once: the numbers of edges that listeners remember are no longer right.
    this.pending.add("edges");
    this.tell();
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
