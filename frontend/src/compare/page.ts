// The page of a comparison: the report's parts, with a switch in the place of the error level.

import { byId } from "../dom";
import { setUpDrawing } from "../drawing/panel";
import { setUpDegrees } from "../panels/degrees";
import { setUpDetails } from "../panels/details";
import { setUpMasthead } from "../panels/made";
import { setUpSearch } from "../panels/search";
import { setUpTable } from "../panels/table";
import { State } from "../state";
import { setUpTheme } from "../theme";
import { choices, type Choice, type ComparisonData } from "./data";
import { Graphs } from "./edges";
import { facts, switchCard } from "./switch";

export function setUpComparison(data: ComparisonData): void {
  const graphs = new Graphs(data);
  const offered = choices(data);
  const state = new State(graphs.edgesOf(offered[0]));
  const made = byId("made");
  const choose = (choice: Choice) => {
    state.setEdges(graphs.edgesOf(choice));
    made.replaceChildren(...facts(data, choice.method));
  };

  setUpTheme(() => state.changed("theme"));
  byId("level-heading").parentElement!.replaceWith(switchCard(data, offered, choose));
  document.querySelector<HTMLAnchorElement>(".skip[href='#level']")!.remove();
  setUpMasthead(state);
  setUpSearch(state);
  setUpDetails(state);
  setUpDegrees(state);
  setUpTable(state);
  setUpDrawing(state);
  made.replaceChildren(...facts(data, offered[0]?.method ?? null));
  document.documentElement.dataset.ready = "";
}
