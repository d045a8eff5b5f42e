// Every page: the data say whether it is a report, a comparison or a run that goes on.

import type { ComparisonData } from "./compare/data";
import { setUpComparison } from "./compare/page";
import { embedded, type ReportData } from "./data";
import { EdgeSet } from "./graph";
import { type LiveData, setUpLive } from "./live/page";
import { setUpPage } from "./page";
import { State } from "./state";
import { setUpTheme } from "./theme";

const data = embedded<ReportData | ComparisonData | LiveData>();

if ("live" in data) setUpLive(data);
else if ("methods" in data) setUpComparison(data);
else {
  const state = new State(new EdgeSet(data));
  setUpTheme(() => state.changed("theme"));
  setUpPage(state);
}
