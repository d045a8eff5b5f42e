// The drawing with its tools and keys.

import { byId, el } from "../dom";
import { shortened } from "../format";
import type { State } from "../state";
import { Arrangement } from "./arrange";
import { CanvasView } from "./canvas-view";
import { emptyMessage } from "./empty";
import { Motion } from "./motion";
import { savePicture } from "./picture";
import { Scene } from "./scene";
import { hasWebGL, SigmaView } from "./sigma-view";
import type { OnPick, View } from "./view";

const STEP = 60; // pixels for an arrow key
const ZOOM = 1.4;
const FEW = 150; // variables that can be told apart without going closer

export function setUpDrawing(state: State): void {
  new Drawing(state, byId("stage"));
}

class Drawing {
  private readonly scene: Scene;
  private readonly arrangement: Arrangement;
  private readonly motion: Motion;
  private view: View;
  private picked = false;

  constructor(
    private readonly state: State,
    private readonly stage: HTMLElement,
  ) {
    this.scene = new Scene(state, stage);
    this.view = this.createView();
    this.motion = new Motion(
      this.scene,
      () => !this.arrangement.own,
      () => this.view.refresh(),
    );
    const arrange = this.tool("Rearrange", "Arrange the variables anew, by forces", () =>
      this.arrangement.running ? this.arrangement.stop() : this.arrangement.start(),
    );
    this.arrangement = new Arrangement(this.scene, (running) => {
      arrange.textContent = running ? "Stop" : "Rearrange";
      arrange.setAttribute("aria-pressed", String(running));
    });
    byId("tools").append(
      arrange,
      this.tool("Restore", "Back to the first arrangement", () => this.arrangement.restore()),
      this.tool("Picture", "Save the drawing as a PNG file", () => this.save()),
      this.tool("−", "Zoom out", () => this.view.zoom(1 / ZOOM)),
      this.tool("+", "Zoom in", () => this.view.zoom(ZOOM)),
      this.tool("Fit", "Fit the drawing to the frame", () => this.view.fit()),
    );
    this.setUpStage();
    state.on(["edges"], () => this.follow());
    state.on(["level"], () => this.scene.fade(1));
    state.on(["level"], () => this.arrangement.restart());
    state.on(["selection"], () => this.bringIntoSight());
    state.on(["edges", "level", "selection", "theme"], () => this.show());
    this.showLegend();
    new ResizeObserver(() => this.show()).observe(stage);
  }

  private createView(): View {
    const onPick: OnPick = (picked) => {
      this.picked = true;
      this.state.select(picked);
    };
    const webgl = hasWebGL();
    this.stage.dataset.view = webgl ? "webgl" : "canvas";
    if (!webgl) return new CanvasView(this.scene, this.stage, onPick);
    const lost = () => {
      this.view.kill();
      this.view = new CanvasView(this.scene, this.stage, onPick);
      this.stage.dataset.view = "canvas";
    };
    this.stage.addEventListener("webglcontextlost", lost, { capture: true, once: true });
    return new SigmaView(this.scene, this.stage, onPick);
  }

  private tool(text: string, title: string, click: () => void): HTMLButtonElement {
    return el("button", { type: "button", title, "aria-label": title, click }, text);
  }

  /** Take other edges; variables that the reader has arranged stay. */
  private follow(): void {
    this.scene.readEdges();
    this.motion.start();
    this.showLegend();
  }

  private show(): void {
    this.scene.update();
    this.view.refresh();
    this.showEmpty();
  }

  private showLegend(): void {
    const { size, strongest, data } = this.state.edges;
    const faint = data.returns ? "; faint: seldom returns" : "";
    byId("strength").textContent = size ? `width: strength, up to ${strongest.toFixed(2)}${faint}` : "";
    const { compared } = data;
    const [more, less] = compared
      ? [`higher in ${shortened(compared.second)}`, "lower"]
      : ["positive", "negative"];
    byId("key-positive").textContent = more;
    byId("key-negative").textContent = less;
  }

  private showEmpty(): void {
    const empty = byId("empty");
    empty.hidden = this.state.count > 0;
    if (!empty.hidden) empty.replaceChildren(emptyMessage(this.state));
  }

  /** Go to what was chosen elsewhere; what was clicked here is in sight already. */
  private bringIntoSight(): void {
    const chosen = this.state.chosen();
    if (!this.picked && chosen.length && this.state.edges.order > FEW) this.view.focus(chosen);
    this.picked = false;
  }

  private save(): void {
    const { clientWidth, clientHeight } = this.stage;
    savePicture(this.scene, this.view.projection(), clientWidth, clientHeight);
  }

  private setUpStage(): void {
    const hint = byId("hint");
    this.stage.addEventListener("keydown", (event) => this.onKey(event));
    // Let the wheel scroll the page until the reader has chosen the drawing.
    const onWheel = (event: WheelEvent) => {
      if (event.ctrlKey || event.metaKey || document.activeElement === this.stage) return;
      event.stopPropagation();
      hint.textContent = "Click the drawing to zoom with the wheel";
      hint.classList.add("shown");
      window.setTimeout(() => hint.classList.remove("shown"), 1500);
    };
    this.stage.addEventListener("wheel", onWheel, { capture: true, passive: true });
  }

  private onKey(event: KeyboardEvent): void {
    const actions: Record<string, () => void> = {
      ArrowLeft: () => this.view.pan(STEP, 0),
      ArrowRight: () => this.view.pan(-STEP, 0),
      ArrowUp: () => this.view.pan(0, STEP),
      ArrowDown: () => this.view.pan(0, -STEP),
      "+": () => this.view.zoom(ZOOM),
      "=": () => this.view.zoom(ZOOM),
      "-": () => this.view.zoom(1 / ZOOM),
      "0": () => this.view.fit(),
      Escape: () => this.state.select(null),
    };
    const action = actions[event.key];
    if (!action || event.ctrlKey || event.metaKey || event.altKey) return;
    action();
    event.preventDefault();
  }
}
