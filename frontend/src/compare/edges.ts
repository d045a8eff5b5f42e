// One method's graph, in the shape that the parts of the page expect.

import { count } from "../format";
import { EdgeSet, type Measure } from "../graph";
import type { Choice, ComparisonData, Graph } from "./data";

const NOTHING: Graph = { source: [], target: [], partialCorr: [], score: [] };

/** Makes edge sets; counts once how many methods have each edge. */
export class Graphs {
  private readonly finders = new Map<string, number>();
  private readonly found: number;
  private readonly truth: Set<string> | null;

  constructor(private readonly data: ComparisonData) {
    const methods = data.methods.filter(({ status }) => status === "ok");
    this.found = methods.length;
    for (const method of methods)
      for (const key of keys(method)) this.finders.set(key, (this.finders.get(key) ?? 0) + 1);
    this.truth = data.truth && new Set(keys(data.truth));
  }

  edgesOf(choice: Choice | undefined): EdgeSet {
    const { title, version, made, rows, columns, warnings, columnsLeftOut, rowsLeftOut, names, x, y } =
      this.data;
    const graph = choice ?? NOTHING;
    const { source, target, partialCorr } = graph;
    const zeros = source.map(() => 0); // a method has one graph, whatever the level
    const page = {
      title,
      version,
      made,
      rows,
      columns,
      columnsLeftOut,
      rowsLeftOut,
      said: [],
      names,
      x,
      y,
      error: "fdr" as const,
      detectable: null,
    };
    const edges = { source, target, partialCorr, z: zeros, p: zeros, q: zeros };
    const whose = choice ? `of ${choice.name}` : "of any method";
    return new EdgeSet({ ...page, ...edges, warnings, level: 1, maxLevel: 1 }, this.measures(graph), {
      rule: () => whose,
      scope: () => `in the graph ${whose}`,
      none: choice ? `The graph ${whose} has no edges.` : "No method has a graph.",
    });
  }

  private measures(graph: Graph): Measure[] {
    const place = graph.source.map((_, edge) => edge + 1);
    const finders = keys(graph).map((key) => this.finders.get(key) ?? 0);
    const measures: Measure[] = [
      { title: "Score", values: graph.score, text: (value) => String(Number(value.toPrecision(3))) },
      { title: "Found by", values: finders, text: (value) => `${count(value)} of ${count(this.found)}` },
      { title: "Place", values: place, text: count },
    ];
    const { truth } = this;
    if (!truth) return measures;
    const isTrue = keys(graph).map((key) => Number(truth.has(key)));
    const column: Measure = { title: "True", values: isTrue, text: (value) => (value ? "yes" : "no") };
    return [measures[0], column, ...measures.slice(1)];
  }
}

function keys({ source, target }: Graph): string[] {
  return source.map((one, edge) => `${Math.min(one, target[edge])} ${Math.max(one, target[edge])}`);
}
