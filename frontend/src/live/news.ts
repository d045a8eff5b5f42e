// What the server tells, part by part, and whether it can be heard.

import type { Edges, Places, Variables } from "../data";

export interface Status {
  phase: "running" | "finished" | "stopped" | "failed";
  problem?: string; // of a run that failed
  rows: number;
  badRows: number;
  rowsPerSecond: number;
  checkpoint: { row: number; time: number } | null; // in seconds since the epoch, like all times
}

export interface Change {
  row: number;
  time: number;
  kind: "appeared" | "vanished";
  source: string;
  target: string;
  partialCorr: number;
}

export interface News {
  variables: Variables;
  places: Places;
  edges: Edges;
  status: Status;
  changes: Change[]; // the newest first
}

export type Listeners = { [Part in keyof News]: (value: News[Part]) => void };

const PAUSE = 1000; // milliseconds before another try, where the browser has given up

/** Listen, and tell whether the server can be heard; a page that nobody sees lets go of it. */
export function listen(listeners: Listeners, onHeard: (heard: boolean) => void): void {
  let source: EventSource | null = null;
  let timer = 0;

  const open = () => {
    source = new EventSource("events");
    source.onopen = () => onHeard(true);
    source.onerror = () => {
      onHeard(false);
      // After a refused connection some browsers try again by themselves, others do not.
      if (source?.readyState === EventSource.CLOSED) timer = window.setTimeout(open, PAUSE);
    };
    for (const [part, listener] of Object.entries(listeners)) {
      source.addEventListener(part, ({ data }) => (listener as (value: unknown) => void)(JSON.parse(data)));
    }
  };
  const follow = () => {
    window.clearTimeout(timer);
    source?.close();
    if (!document.hidden) open();
  };
  document.addEventListener("visibilitychange", follow);
  follow();
}
