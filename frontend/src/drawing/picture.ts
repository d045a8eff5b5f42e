// The drawing as a PNG file, at twice the size on screen.

import { el } from "../dom";
import { paint } from "./painter";
import { css, type Scene } from "./scene";
import type { Projection } from "./view";

const DENSITY = 2;

export function savePicture(scene: Scene, at: Projection, width: number, height: number): void {
  const canvas = el("canvas", { width: width * DENSITY, height: height * DENSITY });
  const context = canvas.getContext("2d")!;
  context.scale(DENSITY, DENSITY);
  paint(context, scene, at, width, height);
  context.globalCompositeOperation = "destination-over";
  context.fillStyle = css(scene.palette.surface);
  context.fillRect(0, 0, width, height);
  canvas.toBlob((blob) => {
    const link = el("a", { href: URL.createObjectURL(blob!), download: "hedgerow.png" });
    link.click();
    URL.revokeObjectURL(link.href);
  });
}
