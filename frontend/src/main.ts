// Every page: the data say whether it is a report, of one graph or several groups, a comparison or a run that goes on.

import type { ComparisonData } from "./compare/data";
import { setUpComparison } from "./compare/page";
import { embedded, type ReportData } from "./data";
import { EdgeSet } from "./graph";
import { type GroupsData, setUpGroups } from "./groups/page";
import { type LiveData, setUpLive } from "./live/page";
import { setUpPage } from "./page";
import { State } from "./state";
import { setUpTheme } from "./theme";

const data = embedded<ReportData | ComparisonData | GroupsData | LiveData>();

if ("live" in data) setUpLive(data);
else if ("methods" in data) setUpComparison(data);
else if ("groups" in data) setUpGroups(data);
else {
  const state = new State(new EdgeSet(data));
  setUpTheme(() => state.changed("theme"));
  setUpPage(state);
}
