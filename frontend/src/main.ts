// The report: read the data, build the parts, let them listen to one state.

import { embedded, type ReportData } from "./data";
import { EdgeSet } from "./graph";
import { setUpPage } from "./page";
import { State } from "./state";
import { setUpTheme } from "./theme";

const state = new State(new EdgeSet(embedded<ReportData>()));

setUpTheme(() => state.changed("theme"));
setUpPage(state);
