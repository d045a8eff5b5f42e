// Read the data, build the parts, let them listen to one state.

import { readData } from "./data";
import { setUpDrawing } from "./drawing/panel";
import { EdgeSet } from "./graph";
import { setUpDegrees } from "./panels/degrees";
import { setUpDetails } from "./panels/details";
import { setUpLevel } from "./panels/level";
import { setUpMade, setUpMasthead } from "./panels/made";
import { setUpSearch } from "./panels/search";
import { setUpTable } from "./panels/table";
import { State } from "./state";
import { setUpTheme } from "./theme";

const data = readData();
const state = new State(new EdgeSet(data));

setUpTheme(state);
setUpMasthead(data);
setUpLevel(state);
setUpSearch(state);
setUpDetails(state);
setUpDegrees(state);
setUpMade(state.edges);
setUpTable(state);
setUpDrawing(state);
document.documentElement.dataset.ready = "";
