// The edges, and which of them a level lets in.

import type { PairTold, ReportData } from "./data";
import { percent, plain, probability, signed } from "./format";
import type { Selection } from "./state";

/** A number that is known of every edge, its heading, and how people read it. */
export interface Measure {
  title: string;
  values: number[];
  text: (value: number) => string;
}

/** How a page speaks of its edges: "3 edges with q ≤ 0.05", "3 neighbours at level 0.05". */
export interface Words {
  rule: (level: number) => string;
  scope: (level: number) => string;
  /** What is counted; edges, if nothing is said. */
  unit?: [one: string, many: string];
  /** Why there are none, where levels have no say. */
  none?: string;
}

const TESTED: Words = {
  rule: (level) => `with q ≤ ${plain(level)}`,
  scope: (level) => `at level ${plain(level)}`,
};

const COMPARED: Words = { ...TESTED, unit: ["difference", "differences"] };

export class EdgeSet {
  readonly order: number;
  readonly size: number;
  readonly names: string[];
  readonly strongest: number;
  readonly pairs: PairTold[];
  private readonly incident: number[][];
  private readonly told = new Map<string, number>();

  /** `measures` come beside the partial correlation; the last one ranks the edges. */
  constructor(
    readonly data: ReportData,
    readonly measures: Measure[] = tests(data),
    readonly words: Words = data.compared ? COMPARED : TESTED,
  ) {
    this.order = data.names.length;
    this.size = data.q.length;
    this.names = data.names.map((name, i) => (name.trim() ? name : `(column ${i + 1})`));
    this.strongest = data.partialCorr.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
    this.incident = data.names.map(() => []);
    for (let edge = 0; edge < this.size; edge++) {
      this.incident[data.source[edge]].push(edge);
      this.incident[data.target[edge]].push(edge);
    }
    this.pairs = data.pairs ?? [];
    this.pairs.forEach(({ source, target }, pair) => this.told.set(key(source, target), pair));
  }

  /** What is told of the pair of an edge, if anything is. */
  toldOf(edge: number): PairTold | undefined {
    const pair = this.told.get(key(this.data.source[edge], this.data.target[edge]));
    return pair === undefined ? undefined : this.pairs[pair];
  }

  /** Pairs with a variable that are told about and have no edge among the first `count`. */
  othersOf(node: number, count: number): number[] {
    return [...this.pairs.keys()].filter((pair) => {
      const { source, target } = this.pairs[pair];
      if (source !== node && target !== node) return false;
      return (this.between(source, target) ?? Infinity) >= count;
    });
  }

  /** The edge between two variables, or else their pair, if it is told about. */
  choose(one: number, other: number): Selection {
    const edge = this.between(one, other);
    if (edge !== undefined) return { edge };
    const pair = this.told.get(key(one, other));
    return pair === undefined ? null : { pair };
  }

  /** How many edges have q ≤ level; they are the first ones. */
  countAt(level: number): number {
    let low = 0;
    let high = this.size;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.data.q[middle] <= level) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Edges of a variable among the first `count`. */
  edgesOf(node: number, count: number): number[] {
    return this.incident[node].filter((edge) => edge < count);
  }

  /** The edge between two variables, if there is one at any level. */
  between(one: number, other: number): number | undefined {
    return this.incident[one].find((edge) => this.otherEnd(edge, one) === other);
  }

  otherEnd(edge: number, node: number): number {
    const { source, target } = this.data;
    return source[edge] === node ? target[edge] : source[edge];
  }

  /** Those that are found again in at least this share of halves of the rows; all, if it is not known. */
  returning(least: number): EdgeSet {
    const { data } = this;
    const { returns } = data;
    if (!returns || least <= 0) return this;
    const kept = [...returns.keys()].filter((edge) => returns[edge] >= least);
    const of = (values: number[]) => kept.map((edge) => values[edge]);
    return new EdgeSet({
      ...data,
      source: of(data.source),
      target: of(data.target),
      partialCorr: of(data.partialCorr),
      low: data.low && of(data.low),
      high: data.high && of(data.high),
      returns: of(returns),
      z: of(data.z),
      p: of(data.p),
      q: of(data.q),
    });
  }

  degrees(count: number): Uint32Array {
    const degrees = new Uint32Array(this.order);
    for (let edge = 0; edge < count; edge++) {
      degrees[this.data.source[edge]]++;
      degrees[this.data.target[edge]]++;
    }
    return degrees;
  }
}

/** What the strength of an edge is called: in a heading of a column, or where there is room. */
export function strengthOf({ odds, compared }: ReportData, short = false): string {
  if (odds) return "Log odds ratio";
  if (compared) return "Difference";
  return short ? "Partial corr." : "Partial correlation";
}

/** What the edges are called: one, and many. */
export function unitsOf({ words }: EdgeSet): [one: string, many: string] {
  return words.unit ?? ["edge", "edges"];
}

export function key(one: number, other: number): string {
  return `${Math.min(one, other)}-${Math.max(one, other)}`;
}

/** One end of an interval that the partial correlation lies in. */
function end(title: string, values: number[]): Measure {
  return { title, values, text: (value) => signed(value, 3) };
}

function tests({ odds, compared, partialCorr, low, high, returns, z, p, q }: ReportData): Measure[] {
  const ratio = {
    title: "odds ratio",
    values: partialCorr.map(Math.exp),
    text: (value: number) => value.toPrecision(3),
  };
  return [
    ...(odds ? [ratio] : []),
    ...(compared ? [end(compared.first, compared.one), end(compared.second, compared.other)] : []),
    ...(low && high ? [end("low", low), end("high", high)] : []),
    ...(returns ? [{ title: "returns", values: returns, text: percent }] : []),
    { title: "z", values: z, text: (value) => signed(value, 2) },
    { title: "p", values: p, text: probability },
    { title: "q", values: q, text: probability },
  ];
}
