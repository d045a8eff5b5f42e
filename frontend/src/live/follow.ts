// Bring the parts of the graph together, and give the page each new graph when it can take it.

import type { Edges, Places, ReportData, Variables } from "../data";
import { EdgeSet } from "../graph";
import { setUpPage } from "../page";
import { State } from "../state";

export class Follower {
  state: State | null = null;
  private variables: Variables | null = null;
  private places: Places | null = null;
  private edges: Edges | null = null;
  private pressed = false;
  private leaving = false;
  private news = false;
  private frame = 0;

  constructor(
    private readonly version: string,
    private readonly onStart: (state: State) => void,
  ) {
    // What is under the pointer must not change between press and release, or the click is lost.
    addEventListener("pointerdown", () => (this.pressed = true), { capture: true });
    const onRelease = ({ buttons }: PointerEvent) => {
      if (this.pressed && buttons === 0) setTimeout(() => this.release());
    };
    // A release in a menu or outside the window is only seen when the pointer moves here again.
    for (const end of ["pointerup", "pointercancel", "pointermove"] as const)
      addEventListener(end, onRelease, { capture: true });
  }

  takeVariables(variables: Variables): void {
    const known = this.variables ?? variables;
    const same = JSON.stringify(known) === JSON.stringify(variables);
    this.variables = variables;
    if (same && variables.version === this.version) return;
    // Another program, or another stream, has taken the server's place: begin anew.
    this.leaving = true;
    location.reload();
  }

  takePlaces(places: Places): void {
    this.places = places;
    this.schedule();
  }

  takeEdges(edges: Edges): void {
    this.edges = edges;
    this.schedule();
  }

  private release(): void {
    this.pressed = false;
    if (this.news) this.schedule();
  }

  private schedule(): void {
    this.news = true;
    if (!this.frame) this.frame = requestAnimationFrame(() => this.show());
  }

  private show(): void {
    this.frame = 0;
    const { variables, places, edges } = this;
    if (this.pressed || this.leaving || !variables || !places || !edges) return;
    const data: ReportData = { ...variables, ...places, ...edges, made: "as rows arrive" };
    this.news = false;
    if (this.state) this.state.setEdges(new EdgeSet(data));
    else this.start(new State(new EdgeSet(data)));
  }

  private start(state: State): void {
    this.state = state;
    setUpPage(state);
    this.onStart(state);
  }
}
