// The report: read the data, build the parts, let them listen to one state.

import { setUpComparison } from "./compare/page";
import type { ComparisonData } from "./compare/data";
import { embedded, type ReportData } from "./data";
import { EdgeSet } from "./graph";
import { setUpPage } from "./page";
import { State } from "./state";
import { setUpTheme } from "./theme";

const data = embedded<ReportData | ComparisonData>();
const state = "methods" in data ? setUpComparison(data) : new State(new EdgeSet(data));

setUpTheme(() => state.changed("theme"));
if (!("methods" in data)) setUpPage(state);
