// Drawing on a plain canvas, where WebGL is missing.

import { el } from "../dom";
import { paint, paintHover } from "./painter";
import type { Scene } from "./scene";
import { closeUp, paddingOf, sizeRatio, type OnPick, type Projection, type View } from "./view";

const REACH = 6; // pixels beside a variable that still count as a hit
const BESIDE = 5; // pixels beside a line that do
const CLICK = 4; // pixels of movement that make a click a drag

export class CanvasView implements View {
  private readonly canvas = el("canvas", { class: "plain" });
  private readonly context = this.canvas.getContext("2d")!;
  private readonly moved = () => this.refresh();
  private ratio = 1; // the share of the whole picture in sight, as in sigma
  private centre = { x: 0, y: 0 };
  private hovered: number | null = null;
  private frame = 0;

  constructor(
    private readonly scene: Scene,
    private readonly stage: HTMLElement,
    private readonly onPick: OnPick,
  ) {
    stage.append(this.canvas);
    scene.graph.on("eachNodeAttributesUpdated", this.moved);
    this.canvas.addEventListener("pointerdown", (event) => this.onPress(event));
    this.canvas.addEventListener("pointermove", (event) => this.onHover(event));
    this.canvas.addEventListener("pointerleave", () => this.hover(null));
    this.canvas.addEventListener("wheel", (event) => this.onWheel(event), { passive: false });
    this.fit();
  }

  refresh(): void {
    if (!this.frame) this.frame = requestAnimationFrame(() => this.draw());
  }

  zoom(factor: number): void {
    this.zoomAt(factor, this.stage.clientWidth / 2, this.stage.clientHeight / 2);
  }

  pan(dx: number, dy: number): void {
    const { scale } = this.projection();
    this.centre = { x: this.centre.x - dx / scale, y: this.centre.y + dy / scale };
    this.refresh();
  }

  fit(): void {
    const { x, y } = this.bounds();
    this.centre = { x: (x[0] + x[1]) / 2, y: (y[0] + y[1]) / 2 };
    this.ratio = 1;
    this.refresh();
  }

  focus(nodes: number[]): void {
    const mean = (values: Float64Array) => nodes.reduce((sum, node) => sum + values[node], 0) / nodes.length;
    this.centre = { x: mean(this.scene.x), y: mean(this.scene.y) };
    this.ratio = Math.min(this.ratio, closeUp(this.scene.state.edges.order));
    this.refresh();
  }

  projection(): Projection {
    const { clientWidth: width, clientHeight: height } = this.stage;
    const padding = paddingOf(this.stage);
    const { x, y } = this.bounds();
    const whole = Math.min(
      (width - 2 * padding) / (x[1] - x[0] || 1),
      (height - 2 * padding) / (y[1] - y[0] || 1),
    );
    const scale = Math.max(whole, 1e-9) / this.ratio;
    return {
      scale,
      x0: width / 2 - scale * this.centre.x,
      y0: height / 2 + scale * this.centre.y,
      zoom: 1 / sizeRatio(this.ratio),
    };
  }

  kill(): void {
    cancelAnimationFrame(this.frame);
    this.scene.graph.off("eachNodeAttributesUpdated", this.moved);
    this.canvas.remove();
  }

  private draw(): void {
    this.frame = 0;
    const { clientWidth: width, clientHeight: height } = this.stage;
    const density = devicePixelRatio;
    this.canvas.width = width * density;
    this.canvas.height = height * density;
    this.context.scale(density, density);
    const at = this.projection();
    paint(this.context, this.scene, at, width, height);
    if (this.hovered === null) return;
    const { x, y, reach } = this.place(this.hovered, at);
    paintHover(this.context, this.scene, this.hovered, x, y, reach);
  }

  private bounds(): { x: [number, number]; y: [number, number] } {
    return { x: extent(this.scene.x), y: extent(this.scene.y) };
  }

  private place(node: number, at: Projection) {
    return {
      x: at.x0 + at.scale * this.scene.x[node],
      y: at.y0 - at.scale * this.scene.y[node],
      reach: this.scene.node(node).size * at.zoom,
    };
  }

  private nodeAt(left: number, top: number): number | null {
    const at = this.projection();
    let best: number | null = null;
    let least = REACH;
    for (let node = 0; node < this.scene.x.length; node++) {
      const { x, y, reach } = this.place(node, at);
      const distance = Math.hypot(x - left, y - top) - reach;
      if (distance < least) [best, least] = [node, distance];
    }
    return best;
  }

  private pickAt(left: number, top: number): { node: number } | { edge: number } | null {
    const node = this.nodeAt(left, top);
    if (node !== null) return { node };
    const edge = this.edgeAt(left, top);
    return edge === null ? null : { edge };
  }

  private edgeAt(left: number, top: number): number | null {
    const at = this.projection();
    let best: number | null = null;
    let least = BESIDE;
    for (const line of this.scene.lines.values()) {
      const style = line.edge < 0 ? null : this.scene.style(line);
      if (style === null) continue;
      const [a, b] = [this.place(line.source, at), this.place(line.target, at)];
      const [dx, dy] = [b.x - a.x, b.y - a.y];
      const along = ((left - a.x) * dx + (top - a.y) * dy) / (dx * dx + dy * dy || 1);
      const share = Math.min(1, Math.max(0, along));
      const distance = Math.hypot(a.x + share * dx - left, a.y + share * dy - top) - style.width / 2;
      if (distance < least) [best, least] = [line.edge, distance];
    }
    return best;
  }

  private hover(node: number | null): void {
    if (node === this.hovered) return;
    this.hovered = node;
    this.stage.classList.toggle("pointing", node !== null);
    this.refresh();
  }

  private onHover(event: PointerEvent): void {
    if (event.buttons !== 0) return;
    const node = this.nodeAt(event.offsetX, event.offsetY);
    this.hover(node);
    if (node === null)
      this.stage.classList.toggle("pointing", this.edgeAt(event.offsetX, event.offsetY) !== null);
  }

  private onPress(press: PointerEvent): void {
    this.canvas.setPointerCapture(press.pointerId);
    let last = press;
    let dragged = false;
    const move = (event: PointerEvent) => {
      dragged ||= Math.hypot(event.offsetX - press.offsetX, event.offsetY - press.offsetY) > CLICK;
      if (dragged) this.pan(event.offsetX - last.offsetX, event.offsetY - last.offsetY);
      if (dragged) last = event;
    };
    const release = (event: PointerEvent) => {
      this.canvas.removeEventListener("pointermove", move);
      this.canvas.removeEventListener("pointerup", release);
      this.canvas.removeEventListener("pointercancel", release);
      if (!dragged && event.type === "pointerup") this.onPick(this.pickAt(event.offsetX, event.offsetY));
    };
    this.canvas.addEventListener("pointermove", move);
    this.canvas.addEventListener("pointerup", release);
    this.canvas.addEventListener("pointercancel", release);
  }

  private onWheel(event: WheelEvent): void {
    event.preventDefault();
    this.zoomAt(Math.exp(-event.deltaY / 400), event.offsetX, event.offsetY);
  }

  /** Zoom so that the point under the pointer stays where it is. */
  private zoomAt(factor: number, left: number, top: number): void {
    const before = this.projection();
    const x = (left - before.x0) / before.scale;
    const y = (before.y0 - top) / before.scale;
    this.ratio = Math.min(4, Math.max(0.01, this.ratio / factor));
    const { scale } = this.projection();
    const { clientWidth: width, clientHeight: height } = this.stage;
    this.centre = { x: x - (left - width / 2) / scale, y: y + (top - height / 2) / scale };
    this.refresh();
  }
}

function extent(values: Float64Array): [number, number] {
  let low = Infinity;
  let high = -Infinity;
  for (const value of values) {
    low = Math.min(low, value);
    high = Math.max(high, value);
  }
  return values.length ? [low, high] : [0, 0];
}
