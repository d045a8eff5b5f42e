// ForceAtlas2 in a worker, on request, and the way back to the positions the page came with.

import ForceAtlas2 from "graphology-layout-forceatlas2/worker";
import type { Scene } from "./scene";

const LIMIT = 15_000; // milliseconds, so that a forgotten page does not heat the room

export class Arrangement {
  private worker: ForceAtlas2 | null = null;
  private timer = 0;
  /** Whether variables are where forces put them, and not where the data has them. */
  own = false;

  constructor(
    private readonly scene: Scene,
    private readonly onChange: (running: boolean) => void,
  ) {}

  get running(): boolean {
    return this.worker !== null;
  }

  start(): void {
    const { graph, lines } = this.scene;
    // Edges that the level leaves out stay in the graph, without weight.
    const getEdgeWeight = (key: string) => {
      const line = lines.get(key)!;
      return this.scene.isIn(line) ? 0.3 + Math.abs(line.value) : 0;
    };
    this.own = true;
    const order = Math.max(2, graph.order);
    this.worker = new ForceAtlas2(graph, {
      getEdgeWeight,
      settings: {
        barnesHutOptimize: order > 1000,
        gravity: 0.08,
        scalingRatio: 8,
        slowDown: 1 + Math.log(order),
        strongGravityMode: true,
      },
    });
    this.worker.start();
    this.timer = window.setTimeout(() => this.stop(), LIMIT);
    this.onChange(true);
  }

  stop(): void {
    window.clearTimeout(this.timer);
    this.worker?.kill();
    this.worker = null;
    this.onChange(false);
  }

  /** Begin again with the edges of the present level, if moving. */
  restart(): void {
    if (!this.running) return;
    this.stop();
    this.start();
  }

  restore(): void {
    if (this.running) this.stop();
    this.own = false;
    this.scene.approach(1);
  }
}
