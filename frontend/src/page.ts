// The parts of a page that listen to one state.

import { setUpDrawing } from "./drawing/panel";
import { setUpColumns } from "./panels/columns";
import { setUpDegrees } from "./panels/degrees";
import { setUpDetails } from "./panels/details";
import { setUpLevel } from "./panels/level";
import { setUpMade, setUpMasthead } from "./panels/made";
import { setUpReturns } from "./panels/returns";
import { setUpSearch } from "./panels/search";
import { setUpTable } from "./panels/table";
import type { State } from "./state";

export function setUpPage(state: State): void {
  setUpMasthead(state);
  setUpLevel(state);
  setUpReturns(state);
  setUpSearch(state);
  setUpDetails(state);
  setUpDegrees(state);
  setUpColumns(state);
  setUpMade(state);
  setUpTable(state);
  setUpDrawing(state);
  document.documentElement.dataset.ready = "";
}
