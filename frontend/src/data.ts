// The data of the page, as `hedgerow.report` embeds it.

export interface ReportData {
  title: string;
  made: string;
  version: string;
  warnings: string[];
  rows: number;
  columns: number;
  error: "fdr" | "fwer";
  level: number;
  maxLevel: number;
  detectable: number | null;
  names: string[];
  x: number[];
  y: number[];
  // One entry for each edge, sorted by q.
  source: number[];
  target: number[];
  partialCorr: number[];
  z: number[];
  p: number[];
  q: number[];
}

export function readData(): ReportData {
  return JSON.parse(document.getElementById("data")!.textContent!) as ReportData;
}
