// The report: read the data, build the parts, let them listen to one state.

import type { ComparisonData } from "./compare/data";
import { setUpComparison } from "./compare/page";
import { embedded, type ReportData } from "./data";
import { EdgeSet } from "./graph";
import { setUpPage } from "./page";
import { State } from "./state";
import { setUpTheme } from "./theme";

const data = embedded<ReportData | ComparisonData>();

if ("methods" in data) setUpComparison(data);
else {
  const state = new State(new EdgeSet(data));
  setUpTheme(() => state.changed("theme"));
  setUpPage(state);
}
