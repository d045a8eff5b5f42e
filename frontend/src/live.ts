// The live page: the report's page, with a graph that changes, how far the run is, and what changed.

import { embedded } from "./data";
import { byId, el } from "./dom";
import { ChangeLog } from "./live/changes";
import { Follower } from "./live/follow";
import { listen } from "./live/news";
import { Progress } from "./live/progress";
import { setUpTheme } from "./theme";

const { title, version } = embedded<{ title: string; version: string }>();
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
