// The graphs of several methods, as `hedgerow.report` embeds them.

import type { LeftOut, Places } from "../data";

export interface Graph {
  // One entry for each edge, the surest first.
  source: number[];
  target: number[];
  partialCorr: number[];
  score: number[];
}

export interface Method extends Graph {
  name: string;
  status: string;
  reason: string;
  warnings: string[];
  seconds: number | null;
  stability: number | null;
  // Only where the truth is known, and the method has a graph.
  f1?: number | null;
  fdp?: number | null;
  exact?: boolean | null;
}

export interface ComparisonData extends Places, LeftOut {
  title: string;
  version: string;
  made: string;
  rows: number;
  columns: number;
  budget: number;
  warnings: string[];
  names: string[];
  methods: Method[];
  truth: Graph | null;
}

/** What can be looked at: the graphs that were found and, where it is known, the true one. */
export interface Choice extends Graph {
  name: string;
  method: Method | null;
}

export function choices({ methods, truth }: ComparisonData): Choice[] {
  const found = methods
    .filter(({ status }) => status === "ok")
    .map((method): Choice => ({ ...method, method }));
  return truth ? [...found, { ...truth, name: "the true graph", method: null }] : found;
}
