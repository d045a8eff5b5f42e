// What a way of drawing can do; there is one with WebGL and one without.

/** From positions to pixels: (x0 + scale · x, y0 - scale · y); `zoom` scales the sizes of things. */
export interface Projection {
  scale: number;
  x0: number;
  y0: number;
  zoom: number;
}

export interface View {
  /** Draw again after a change of state or theme. */
  refresh(): void;
  zoom(factor: number): void;
  /** Move the picture by so many pixels. */
  pan(dx: number, dy: number): void;
  fit(): void;
  /** Bring these variables to the middle, close enough to tell them apart. */
  focus(nodes: number[]): void;
  projection(): Projection;
  kill(): void;
}

/** Takes the variable or the edge that was clicked, or nothing. */
export type OnPick = (picked: { node: number } | { edge: number } | null) => void;

/** Pixels kept free around the drawing when it is fitted to the frame. */
export function paddingOf(stage: HTMLElement): number {
  return Math.min(48, 0.06 * stage.clientWidth);
}

/** How close to go to a variable: the share of the whole picture that stays in sight. */
export function closeUp(order: number): number {
  return Math.min(1, Math.max(0.08, Math.sqrt(150 / order)));
}

/** Things grow as the reader comes closer, but less than distances do. */
export function sizeRatio(ratio: number): number {
  return ratio ** 0.35;
}

export const calm = matchMedia("(prefers-reduced-motion: reduce)");
