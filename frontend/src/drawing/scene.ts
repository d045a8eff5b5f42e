// What is drawn and how: sizes, colours and emphasis, shared by both ways of drawing.

import { UndirectedGraph } from "graphology";
import { key } from "../graph";
import type { State } from "../state";

export type Colour = [red: number, green: number, blue: number];

export interface NodeStyle {
  size: number;
  colour: Colour;
  alpha: number;
}

export interface EdgeStyle {
  width: number;
  colour: Colour;
  alpha: number;
}

/** What is drawn of an edge. It outlives the edge while it fades. */
export interface Line {
  source: number;
  target: number;
  value: number;
  edge: number; // its place in the data, or -1 where the edge has gone, or is drawn only to be seen beside others
  beside: boolean;
  opacity: number;
}

/** `index` is the position in the data; keys of graphs are text. */
export interface NodeAttributes {
  index: number;
  x: number;
  y: number;
}

const FEW = 60;
const FAINTEST = 0.15; // share of its opacity that an edge keeps which is never found again
const NEAR = 1; // hundredths of the usual distance between neighbours, and nobody sees the rest
const PALETTE = ["surface", "ink", "muted", "node", "positive", "negative", "rise", "fall"] as const;
type Palette = Record<(typeof PALETTE)[number], Colour>;

export class Scene {
  /** Sigma draws this graph and ForceAtlas2 moves it; `x` and `y` follow. */
  readonly graph = new UndirectedGraph<NodeAttributes>();
  /** By the keys of the graph's edges. */
  readonly lines = new Map<string, Line>();
  readonly x: Float64Array;
  readonly y: Float64Array;
  palette!: Palette;
  /** Variables by importance; the first ones get a label. */
  labelOrder: number[] = [];
  private lit: { nodes: Set<number>; edges: Set<number> } | null = null;
  private fineness = 1;
  private edgeAlpha = 1;

  constructor(
    readonly state: State,
    private readonly stage: HTMLElement,
  ) {
    const { data, order } = state.edges;
    this.x = Float64Array.from(data.x);
    this.y = Float64Array.from(data.y);
    for (let i = 0; i < order; i++) this.graph.addNode(i, { x: data.x[i], y: data.y[i], index: i });
    this.graph.on("eachNodeAttributesUpdated", () => this.readPositions());
    this.readEdges();
    this.fade(1);
    this.update();
  }

  /** Have a line for every edge of the state; `fade` shows new ones and hides those of edges gone. */
  readEdges(): void {
    const { data, size } = this.state.edges;
    this.sweep();
    for (const line of this.lines.values()) [line.edge, line.beside] = [-1, false];
    const context = data.compared?.context ?? { source: [], target: [] };
    context.source.forEach((source, i) =>
      this.setLine({ source, target: context.target[i], value: 0, edge: -1, beside: true }),
    );
    for (let edge = 0; edge < size; edge++) {
      const [source, target, value] = [data.source[edge], data.target[edge], data.partialCorr[edge]];
      const beside = this.lines.get(key(source, target))?.beside ?? false;
      this.setLine({ source, target, value, edge, beside });
    }
  }

  private setLine(line: Omit<Line, "opacity">): void {
    const name = key(line.source, line.target);
    const opacity = this.lines.get(name)?.opacity ?? 0;
    if (!this.lines.has(name)) this.graph.addUndirectedEdgeWithKey(name, line.source, line.target);
    this.lines.set(name, { ...line, opacity });
  }

  /** Bring lines nearer to being there or not, as the level asks; tell whether any is on its way. */
  fade(step: number): boolean {
    let fading = false;
    for (const line of this.lines.values()) {
      const goal = this.isIn(line) || line.beside ? 1 : 0;
      line.opacity = goal ? Math.min(1, line.opacity + step) : Math.max(0, line.opacity - step);
      fading ||= line.opacity !== goal;
    }
    return fading;
  }

  /** Bring variables nearer to where the data has them; tell whether any is on its way. */
  approach(share: number): boolean {
    const { x, y } = this.state.edges.data;
    let moving = false;
    const nearer = (from: number, to: number) => {
      if (share === 1 || Math.abs(to - from) < NEAR) return to;
      moving = true;
      return from + share * (to - from);
    };
    this.graph.updateEachNodeAttributes((_, at) => ({
      ...at,
      x: nearer(at.x, x[at.index]),
      y: nearer(at.y, y[at.index]),
    }));
    return moving;
  }

  /** Follow the state; call after any change of it and before drawing. */
  update(): void {
    const style = getComputedStyle(document.documentElement);
    this.palette = Object.fromEntries(
      PALETTE.map((name) => [name, parse(style.getPropertyValue(`--${name}`))]),
    ) as Palette;
    const { degrees, count } = this.state;
    this.lit = this.emphasised();
    this.fineness = fineness(degrees.length, this.stage.clientWidth, this.stage.clientHeight);
    this.edgeAlpha = Math.min(0.85, Math.max(0.25, 1.5 - 0.28 * Math.log10(count + 1)));
    const value = (node: number) => (this.isLit(node) ? 1e9 : 0) + degrees[node];
    this.labelOrder = [...degrees.keys()].sort((a, b) => value(b) - value(a) || a - b);
  }

  node(node: number): NodeStyle {
    const { palette, fineness } = this;
    const degree = this.state.degrees[node];
    const size = fineness * (degree ? Math.min(16, 4.2 + 1.5 * Math.sqrt(degree)) : 3.4);
    if (this.isLit(node))
      return { size: this.isChosen(node) ? size * 1.35 + 1.5 : size, colour: palette.node, alpha: 1 };
    if (this.lit) return { size, colour: palette.muted, alpha: 0.18 };
    return degree ? { size, colour: palette.node, alpha: 1 } : { size, colour: palette.muted, alpha: 0.4 };
  }

  /** The style of a line, or null where there is nothing to see. */
  style(line: Line): EdgeStyle | null {
    const { value, edge, opacity, beside } = line;
    if (opacity === 0) return null;
    const thin = Math.max(0.3, this.fineness);
    if (beside && !this.isIn(line))
      return { width: 0.9 * thin, colour: this.palette.muted, alpha: (this.lit ? 0.12 : 0.3) * opacity };
    const { strongest, data } = this.state.edges;
    const strength = Math.min(1, Math.abs(value) / strongest);
    const width = thin * (0.7 + 5 * strength);
    const [more, less] = data.compared
      ? [this.palette.rise, this.palette.fall]
      : [this.palette.positive, this.palette.negative];
    const colour = value < 0 ? less : more;
    const returns = data.returns?.[edge] ?? 1;
    const sure = FAINTEST + (1 - FAINTEST) * returns;
    if (!this.lit) return { width, colour, alpha: this.edgeAlpha * sure * opacity };
    if (this.lit.edges.has(edge)) return { width, colour, alpha: 0.9 * opacity };
    return { width, colour: this.palette.muted, alpha: 0.1 * this.edgeAlpha * opacity };
  }

  /** Whether the edge of a line is in the graph at this level. */
  isIn({ edge }: Line): boolean {
    return edge >= 0 && edge < this.state.count;
  }

  isLit(node: number): boolean {
    return this.lit?.nodes.has(node) ?? false;
  }

  /** Only what stands out, if anything does; and unconnected variables only where they are few. */
  deservesLabel(node: number): boolean {
    if (this.lit) return this.lit.nodes.has(node);
    return this.state.degrees[node] > 0 || this.state.edges.order <= FEW;
  }

  isLineLit({ edge }: Line): boolean {
    return this.lit?.edges.has(edge) ?? false;
  }

  isChosen(node: number): boolean {
    return this.state.chosen().includes(node);
  }

  private emphasised(): { nodes: Set<number>; edges: Set<number> } | null {
    const { selection, edges, count } = this.state;
    if (selection === null) return null;
    if ("edge" in selection) return { nodes: new Set(this.state.chosen()), edges: new Set([selection.edge]) };
    if ("pair" in selection) return this.wayOf(selection.pair);
    const incident = edges.edgesOf(selection.node, count);
    const nodes = incident.map((edge) => edges.otherEnd(edge, selection.node));
    return { nodes: new Set([selection.node, ...nodes]), edges: new Set(incident) };
  }

  /** Two variables that no edge joins, and what stands between them. */
  private wayOf(pair: number): { nodes: Set<number>; edges: Set<number> } {
    const { edges } = this.state;
    const { source, target, way } = edges.pairs[pair];
    const nodes = way ? [source, ...way, target] : [source, target];
    const steps = way ? nodes.slice(1).map((node, i) => edges.between(nodes[i], node)) : [];
    return { nodes: new Set(nodes), edges: new Set(steps.filter((edge) => edge !== undefined)) };
  }

  /** Forget lines that have faded. Sigma takes edges one by one slowly, but all at once quickly. */
  private sweep(): void {
    const gone = [...this.lines].filter(([, line]) => line.edge < 0 && !line.beside && line.opacity === 0);
    if (gone.length === 0) return;
    for (const [key] of gone) this.lines.delete(key);
    this.graph.clearEdges();
    for (const [key, { source, target }] of this.lines)
      this.graph.addUndirectedEdgeWithKey(key, source, target);
  }

  private readPositions(): void {
    this.graph.forEachNode((_, { x, y, index }) => {
      this.x[index] = x;
      this.y[index] = y;
    });
  }
}

/** Smaller things where there are many, or little room. */
function fineness(order: number, width: number, height: number): number {
  const crowd = Math.min(1, Math.max(0.2, (60 / Math.max(1, order)) ** 0.35));
  const room = Math.min(1.2, Math.max(0.5, Math.sqrt(width * height) / 800));
  return crowd * room;
}

export function css([red, green, blue]: Colour, alpha = 1): string {
  return `rgba(${red},${green},${blue},${alpha})`;
}

function parse(hex: string): Colour {
  const value = parseInt(hex.trim().slice(1), 16);
  return [value >> 16, (value >> 8) & 255, value & 255];
}
