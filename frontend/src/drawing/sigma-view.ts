// Drawing with WebGL, by sigma.

import Sigma from "sigma";
import { paintHover, paintLabels } from "./painter";
import { css, type Colour, type Line, type NodeAttributes, type Scene } from "./scene";
import { calm, closeUp, paddingOf, sizeRatio, type OnPick, type Projection, type View } from "./view";

const MANY_EDGES = 5000;
const SOFT_EDGE = 0.9; // pixels that sigma's antialiasing takes from a line

export function hasWebGL(): boolean {
  return document.createElement("canvas").getContext("webgl2") !== null;
}

/** Sigma adds colours as they are, so they must come multiplied by their opacity. */
function blended(colour: Colour, alpha: number): string {
  return css(colour.map((part) => Math.round(part * alpha)) as Colour, alpha);
}

export class SigmaView implements View {
  private readonly sigma: Sigma<NodeAttributes>;

  constructor(
    private readonly scene: Scene,
    stage: HTMLElement,
    onPick: OnPick,
  ) {
    this.sigma = new Sigma(scene.graph, stage, {
      allowInvalidContainer: true, // a page that is hidden or folded away has no size
      renderLabels: false,
      zIndex: true,
      stagePadding: paddingOf(stage),
      enableEdgeEvents: scene.state.edges.size <= MANY_EDGES,
      hideEdgesOnMove: scene.state.edges.size > MANY_EDGES,
      minEdgeThickness: 0.5,
      minCameraRatio: 0.01,
      maxCameraRatio: 4,
      zoomToSizeRatioFunction: sizeRatio,
      nodeReducer: (_, attributes) => this.nodeData(attributes),
      edgeReducer: (key) => this.edgeData(scene.lines.get(key)),
      defaultDrawNodeHover: (context, { key, x, y, size }) =>
        paintHover(context, scene, Number(key), x, y, size),
    });
    this.sigma.on("afterRender", () => this.label());
    this.sigma.on("clickNode", ({ node }) => onPick({ node: Number(node) }));
    this.sigma.on("clickEdge", ({ edge }) => onPick(this.edgeOf(edge)));
    this.sigma.on("enterEdge", ({ edge }) => stage.classList.toggle("pointing", this.edgeOf(edge) !== null));
    this.sigma.on("leaveEdge", () => stage.classList.remove("pointing"));
    this.sigma.on("clickStage", () => onPick(null));
    this.sigma.on("enterNode", () => stage.classList.add("pointing"));
    this.sigma.on("leaveNode", () => stage.classList.remove("pointing"));
    this.label();
  }

  refresh(): void {
    this.sigma.scheduleRefresh();
  }

  zoom(factor: number): void {
    const camera = this.sigma.getCamera();
    void camera.animate({ ratio: camera.ratio / factor }, { duration: this.duration(150) });
  }

  pan(dx: number, dy: number): void {
    const camera = this.sigma.getCamera();
    const from = this.sigma.viewportToFramedGraph({ x: 0, y: 0 });
    const to = this.sigma.viewportToFramedGraph({ x: dx, y: dy });
    camera.setState({ x: camera.x - to.x + from.x, y: camera.y - to.y + from.y });
  }

  fit(): void {
    void this.sigma
      .getCamera()
      .animate({ x: 0.5, y: 0.5, ratio: 1, angle: 0 }, { duration: this.duration(300) });
  }

  focus(nodes: number[]): void {
    const places = nodes.map((node) => this.sigma.getNodeDisplayData(String(node))!);
    const mean = (values: number[]) => values.reduce((a, b) => a + b, 0) / values.length;
    const camera = this.sigma.getCamera();
    const state = {
      x: mean(places.map((place) => place.x)),
      y: mean(places.map((place) => place.y)),
      ratio: Math.min(camera.ratio, closeUp(this.scene.state.edges.order)),
    };
    void camera.animate(state, { duration: this.duration(400) });
  }

  projection(): Projection {
    const origin = this.sigma.graphToViewport({ x: 0, y: 0 });
    const unit = this.sigma.graphToViewport({ x: 1, y: 0 });
    return { scale: unit.x - origin.x, x0: origin.x, y0: origin.y, zoom: this.sigma.scaleSize(1) };
  }

  kill(): void {
    this.sigma.kill();
  }

  private edgeOf(key: string): { edge: number } | null {
    const edge = this.scene.lines.get(key)?.edge ?? -1;
    return edge < 0 ? null : { edge };
  }

  private nodeData({ index, x, y }: NodeAttributes) {
    const { size, colour, alpha } = this.scene.node(index);
    return { x, y, size, color: blended(colour, alpha), zIndex: this.scene.isLit(index) ? 1 : 0 };
  }

  private edgeData(line: Line | undefined) {
    const style = line && this.scene.style(line);
    if (!style) return { hidden: true, size: 0, color: "", zIndex: 0 };
    return {
      hidden: false,
      size: style.width + SOFT_EDGE,
      color: blended(style.colour, style.alpha),
      zIndex: this.scene.isLineLit(line) ? 1 : 0,
    };
  }

  private label(): void {
    const { width, height } = this.sigma.getDimensions();
    paintLabels(
      this.sigma.getCanvases().labels.getContext("2d")!,
      this.scene,
      this.projection(),
      width,
      height,
    );
  }

  private duration(milliseconds: number): number {
    return calm.matches ? 0 : milliseconds;
  }
}
