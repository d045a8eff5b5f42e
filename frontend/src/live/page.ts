// The live page: the report's page, with a graph that changes, how far the run is, and what changed.

import { byId, el } from "../dom";
import { ChangeLog } from "./changes";
import { Follower } from "./follow";
import { listen } from "./news";
import { Progress } from "./progress";
import { setUpTheme } from "../theme";

/** What the page of a run holds; the rest comes while it is open. */
export interface LiveData {
  live: true;
  title: string;
  version: string;
}

export function setUpLive({ title, version }: LiveData): void {
  document.documentElement.dataset.live = "";
  const progress = new Progress();
  const follower = new Follower(version, (state) => progress.follow(state));
  const log = new ChangeLog(() => follower.state);

  setUpTheme(() => follower.state?.changed("theme"));
  document.title = title;
  byId("title").textContent = title;
  document.querySelector(".count")!.removeAttribute("aria-live"); // it would speak all the time
  document.querySelector(".facts")!.prepend(byId("level-heading").parentElement!);
  byId("empty").hidden = false;
  byId("empty").append(
    el(
      "div",
      {},
      el("h3", {}, "No graph yet"),
      el("p", {}, "It is drawn here as soon as there are rows to learn from."),
    ),
  );

  listen(
    {
      variables: (variables) => follower.takeVariables(variables),
      places: (places) => follower.takePlaces(places),
      edges: (edges) => follower.takeEdges(edges),
      status: (status) => progress.take(status),
      changes: (changes) => log.take(changes),
    },
    (heard) => progress.setHeard(heard),
  );
}
