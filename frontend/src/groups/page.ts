// The page of several groups of rows: the report's page, and a switch between graphs that share a layout.

import type { Places, ReportData } from "../data";
import { byId, el } from "../dom";
import { EdgeSet } from "../graph";
import { setUpPage } from "../page";
import { radio } from "../panels/radio";
import { State } from "../state";
import { setUpTheme } from "../theme";

type Shared = Places & Pick<ReportData, "title" | "version" | "made" | "columns" | "names">;

/** A group, or what differs between two. */
type Shown = Omit<ReportData, keyof Shared> & { name: string };

export interface GroupsData extends Shared {
  groups: Shown[];
  differences: Shown[];
}

export function setUpGroups({ groups, differences, ...shared }: GroupsData): void {
  const edgesOf = (shown: Shown) => new EdgeSet({ ...shared, ...shown });
  const state = new State(edgesOf(groups[0]));
  const choose = (shown: Shown) => {
    const { error, level } = state.edges.data;
    state.setEdges(edgesOf(shown));
    if (shown.error !== error || shown.level !== level) state.setLevel(shown.level);
    document.documentElement.toggleAttribute("data-compares", shown.compared !== undefined);
  };
  const buttons = (list: Shown[], first: boolean) =>
    list.map((shown, i) =>
      radio("group", shown.name, edgesOf(shown).countAt(shown.level), first && i === 0, () => choose(shown)),
    );
  const card = el(
    "section",
    { class: "card", id: "groups", "aria-labelledby": "groups-heading" },
    el("h2", { id: "groups-heading" }, "Groups"),
    el(
      "div",
      { role: "radiogroup", "aria-labelledby": "groups-heading" },
      ...buttons(groups, true),
      ...(differences.length ? [el("h3", { class: "small" }, "What differs")] : []),
      ...buttons(differences, false),
    ),
  );
  byId("level-heading").parentElement!.before(card);
  setUpTheme(() => state.changed("theme"));
  setUpPage(state);
}
