// What a page shows, as Python embeds or sends it.

/** The error rate that is kept; in a balanced graph none is, and the level is an estimate. */
export type Promised = "fdr" | "fwer" | "balanced";

export interface Variables {
  title: string;
  version: string;
  columns: number;
  names: string[];
  error: Promised;
  level: number;
  maxLevel: number;
  odds?: boolean; // what is called a partial correlation is a log odds ratio
}

export interface Places {
  x: number[];
  y: number[];
}

/** What was not learned from, by the reason. */
export interface LeftOut {
  columnsLeftOut: { reason: string; count: number; names: string[] }[]; // long lists are cut
  rowsLeftOut: { reason: string; count: number }[];
}

export interface Edges extends LeftOut {
  rows: number;
  warnings: string[];
  said: string[]; // what was done to rows and columns
  detectable: number | null;
  whyNone?: string; // why a balanced graph is refused any edges
  // One entry for each edge, sorted by q.
  source: number[];
  target: number[];
  partialCorr: number[];
  low?: number[]; // ends of intervals for partial correlations
  high?: number[];
  returns?: number[]; // the share of halves of the rows in which each edge is found again
  z: number[];
  p: number[];
  q: number[];
}

/** Weights of rows in evenly spaced bins; the first and the last hold what lies beyond, too. */
export interface Histogram {
  start: number;
  stop: number;
  counts: number[];
  values?: number[]; // of columns with a few: each has its bar, in place of a bin
}

export interface Pictures {
  histograms: Histogram[]; // one for each variable, or none
  kinds: string[]; // "continuous", "steps", "yes/no", ...; one for each variable, or none
  missing: number[]; // cells of each variable, or none
  autocorrelation: number[]; // 1, 2, ... rows apart; none where rows are not related
}

/** What is known of two variables, joined by an edge or not. */
export interface PairTold {
  source: number;
  target: number;
  said: string[];
  way?: number[]; // variables between the two, along edges, where none joins them
  // What neighbours leave of the two, where rows are kept: bytes x, y, x, y, ... in base64, 127 being as far
  // as any.
  partialCorr?: number;
  points?: string;
}

/** Edges that are pairs of variables whose partial correlations differ between two groups. */
export interface Compared {
  first: string;
  second: string;
  p: number; // of no difference anywhere
  one: number[]; // partial correlations in the first group
  other: number[];
  // Edges of the two graphs, differing or not.
  context: { source: number[]; target: number[] };
}

export interface ReportData extends Variables, Places, Edges, Partial<Pictures> {
  made: string;
  pairs?: PairTold[];
  compared?: Compared;
}

/** The data in the page itself. */
export function embedded<Data>(): Data {
  return JSON.parse(document.getElementById("data")!.textContent!) as Data;
}
