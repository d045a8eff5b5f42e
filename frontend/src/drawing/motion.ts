// After new data: lines fade in and out, and variables glide to their new places.

import type { Scene } from "./scene";
import { calm } from "./view";

const FADE = 700; // milliseconds
const GLIDE = 180; // milliseconds in which most of a way is gone

export class Motion {
  private frame = 0;
  private last = 0;
  private gliding = false;

  /** Variables move only while `mayGlide`. */
  constructor(
    private readonly scene: Scene,
    private readonly mayGlide: () => boolean,
    private readonly onFrame: () => void,
  ) {}

  /** Begin, or go on with newer data. */
  start(): void {
    this.gliding = true;
    if (this.frame) return;
    this.last = performance.now();
    this.step(this.last);
  }

  private step(now: number): void {
    const passed = calm.matches ? Infinity : Math.max(0, now - this.last);
    this.last = now;
    const fading = this.scene.fade(Math.min(1, passed / FADE));
    const share = 1 - Math.exp(-passed / GLIDE);
    this.gliding &&= this.mayGlide() && this.scene.approach(share);
    this.onFrame();
    this.frame = fading || this.gliding ? requestAnimationFrame((time) => this.step(time)) : 0;
  }
}
