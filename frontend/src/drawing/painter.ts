// Drawing on a plain canvas: labels for both views, the rest where WebGL is missing and for pictures.

import { shortened } from "../format";
import { css, type EdgeStyle, type Line, type Scene } from "./scene";
import type { Projection } from "./view";

const MOST_LABELS = 60;
const SURE_LABELS = 12; // these may cover variables, the others only empty ground
const FONT = `12px -apple-system, BlinkMacSystemFont, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif`;
const BOLD = `600 ${FONT}`;

type Context = CanvasRenderingContext2D;

export function paint(context: Context, scene: Scene, at: Projection, width: number, height: number): void {
  context.clearRect(0, 0, width, height);
  paintEdges(context, scene, at);
  paintNodes(context, scene, at);
  paintLabels(context, scene, at, width, height);
}

/** Edges of like style share one path: thousands of lines cost a few strokes. */
function paintEdges(context: Context, scene: Scene, at: Projection): void {
  const batches = new Map<string, { style: EdgeStyle; lines: Line[]; lit: boolean }>();
  for (const line of scene.lines.values()) {
    const style = scene.style(line);
    if (style === null) continue;
    style.width = Math.round(style.width * 4) / 4 || 0.25;
    const key = `${style.width}/${style.colour}/${style.alpha}`;
    const batch = batches.get(key) ?? { style, lines: [], lit: scene.isLineLit(line) };
    batch.lines.push(line);
    batches.set(key, batch);
  }
  for (const { style, lines } of [...batches.values()].sort((a, b) => Number(a.lit) - Number(b.lit))) {
    context.beginPath();
    for (const { source, target } of lines) {
      context.moveTo(at.x0 + at.scale * scene.x[source], at.y0 - at.scale * scene.y[source]);
      context.lineTo(at.x0 + at.scale * scene.x[target], at.y0 - at.scale * scene.y[target]);
    }
    context.strokeStyle = css(style.colour, style.alpha);
    context.lineWidth = style.width * at.zoom;
    context.stroke();
  }
}

function paintNodes(context: Context, scene: Scene, at: Projection): void {
  for (let i = scene.labelOrder.length - 1; i >= 0; i--) {
    const node = scene.labelOrder[i];
    const { size, colour, alpha } = scene.node(node);
    context.beginPath();
    context.arc(
      at.x0 + at.scale * scene.x[node],
      at.y0 - at.scale * scene.y[node],
      size * at.zoom,
      0,
      2 * Math.PI,
    );
    context.fillStyle = css(colour, alpha);
    context.fill();
  }
}

type Box = [left: number, top: number, right: number, bottom: number];

/** Labels under their variables, or above them, the important ones first, none over another. */
export function paintLabels(
  context: Context,
  scene: Scene,
  at: Projection,
  width: number,
  height: number,
): void {
  const taken: Box[] = [];
  context.textAlign = "center";
  context.textBaseline = "top";
  context.lineJoin = "round";
  for (const node of scene.labelOrder) {
    if (taken.length >= MOST_LABELS) break;
    const x = at.x0 + at.scale * scene.x[node];
    const y = at.y0 - at.scale * scene.y[node];
    if (!scene.deservesLabel(node) || x < 0 || y < 0 || x > width || y > height) continue;
    context.font = scene.isChosen(node) ? BOLD : FONT;
    const text = shortened(scene.state.edges.names[node]);
    const half = context.measureText(text).width / 2 + 4;
    const middle = Math.max(half, Math.min(x, width - half));
    const size = scene.node(node).size * at.zoom;
    const box = [y + size + 3, y - size - 15]
      .map((top): Box => [middle - half, top - 2, middle + half, top + 14])
      .find((one) => !taken.some((other) => overlap(one, other)));
    if (!box) continue;
    if (taken.length >= SURE_LABELS && !scene.isLit(node) && covers(box, scene, at)) continue;
    taken.push(box);
    context.strokeStyle = css(scene.palette.surface, 0.85);
    context.lineWidth = 4;
    context.strokeText(text, middle, box[1] + 2);
    context.fillStyle = css(scene.isLit(node) ? scene.palette.ink : scene.palette.muted);
    context.fillText(text, middle, box[1] + 2);
  }
}

function overlap(a: Box, b: Box): boolean {
  return a[0] < b[2] && b[0] < a[2] && a[1] < b[3] && b[1] < a[3];
}

/** Whether a variable that has neighbours lies under the box. */
function covers([left, top, right, bottom]: Box, scene: Scene, at: Projection): boolean {
  const low = (at.y0 - bottom) / at.scale;
  const high = (at.y0 - top) / at.scale;
  return scene.x.some((position, node) => {
    const x = at.x0 + at.scale * position;
    return (
      x > left && x < right && scene.y[node] > low && scene.y[node] < high && scene.state.degrees[node] > 0
    );
  });
}

/** The name of the variable under the pointer, on a small card. */
export function paintHover(
  context: Context,
  scene: Scene,
  node: number,
  x: number,
  y: number,
  size: number,
): void {
  const text = shortened(scene.state.edges.names[node], 60);
  const { ink, surface, muted } = scene.palette;
  context.font = BOLD;
  context.textAlign = "left";
  context.textBaseline = "middle";
  const width = context.measureText(text).width + 16;
  context.beginPath();
  context.roundRect(x + size + 6, y - 13, width, 26, 6);
  context.fillStyle = css(surface, 0.96);
  context.fill();
  context.strokeStyle = css(muted, 0.35);
  context.lineWidth = 1;
  context.stroke();
  context.fillStyle = css(ink);
  context.fillText(text, x + size + 14, y + 0.5);
}
