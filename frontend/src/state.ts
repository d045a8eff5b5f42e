// What the reader has chosen; every part of the page listens to it.

import type { EdgeSet } from "./graph";

export type Selection = { node: number } | { edge: number } | null;
export type Change = "level" | "selection" | "theme";

export class State {
  level: number;
  count: number;
  degrees: Uint32Array;
  selection: Selection = null;
  private readonly listeners: [Change[], () => void][] = [];
  private readonly pending = new Set<Change>();

  constructor(readonly edges: EdgeSet) {
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
    this.count = this.edges.countAt(level);
    this.degrees = this.edges.degrees(this.count);
    this.changed("level");
  }

  select(selection: Selection): void {
    this.selection = selection;
    this.changed("selection");
  }

  changed(change: Change): void {
    if (this.pending.size === 0) requestAnimationFrame(() => this.tell());
    this.pending.add(change);
  }

  private tell(): void {
    const changes = new Set(this.pending);
    this.pending.clear();
    for (const [wanted, listener] of this.listeners) {
      if (wanted.some((change) => changes.has(change))) listener();
    }
  }
}
