// How far the run is: its state in words, and a row of figures.

import { byId, el } from "../dom";
import { count } from "../format";
import type { State } from "../state";
import type { Status } from "./news";

const ENDS = {
  finished: "Finished: the source has no more rows",
  stopped: "Stopped",
  failed: "Failed",
};

export class Progress {
  private status: Status | null = null;
  private heard: boolean | null = null; // not known before the first answer
  private readonly said = el("p", { class: "phase", role: "status" });
  private readonly rows = el("dd");
  private readonly rate = el("dd");
  private readonly edges = el("dd");
  private readonly bad = el("dd");
  private readonly checkpoint = el("dd");

  constructor() {
    const figures = el(
      "dl",
      {},
      figure("Rows", this.rows),
      figure("Rows per second", this.rate),
      figure("Edges", this.edges),
      figure("Bad rows", this.bad),
      figure("Last checkpoint", this.checkpoint),
    );
    const strip = el(
      "section",
      { id: "progress", class: "card", "aria-label": "Progress" },
      this.said,
      figures,
    );
    document.querySelector("main")!.before(strip);
    window.setInterval(() => this.showCheckpoint(), 1000);
    this.show();
  }

  take(status: Status): void {
    this.status = status;
    this.show();
  }

  setHeard(heard: boolean): void {
    this.heard = heard;
    this.show();
  }

  /** Show how many edges the graph has. */
  follow(state: State): void {
    const show = () => (this.edges.textContent = count(state.count));
    state.on(["edges", "level"], show);
    show();
  }

  private show(): void {
    const { status } = this;
    const { said, state } = this.words();
    byId("progress").dataset.state = state;
    if (this.said.textContent !== said) this.said.textContent = said;
    if (status === null) return;
    const running = state === "running";
    this.rows.textContent = count(status.rows);
    this.rate.textContent = running ? count(Math.round(status.rowsPerSecond)) : "–";
    this.bad.textContent = count(status.badRows);
    this.bad.classList.toggle("caution", status.badRows > 0);
    this.showCheckpoint();
  }

  private words(): { said: string; state: string } {
    const { status, heard } = this;
    if (status !== null && status.phase !== "running") {
      const { phase, problem } = status;
      return { said: problem ? `${ENDS[phase]}: ${problem}` : ENDS[phase], state: phase };
    }
    if (heard === false) return { said: "Connection lost, trying again", state: "lost" };
    if (!status?.rows) return { said: "Waiting for the first rows", state: "waiting" };
    if (status.rowsPerSecond === 0) return { said: "Waiting for more rows", state: "waiting" };
    return { said: "Learning", state: "running" };
  }

  private showCheckpoint(): void {
    const saved = this.status?.checkpoint;
    if (!saved) return;
    this.checkpoint.textContent = `row ${count(saved.row)}, ${age(Date.now() / 1000 - saved.time)} ago`;
    this.checkpoint.title = new Date(1000 * saved.time).toLocaleString();
  }
}

function figure(term: string, value: HTMLElement): HTMLElement {
  value.textContent = "–";
  return el("div", {}, el("dt", {}, term), value);
}

/** Seconds in the largest unit that fits. */
function age(seconds: number): string {
  if (seconds < 90) return `${Math.max(0, Math.round(seconds))} s`;
  if (seconds < 5400) return `${Math.round(seconds / 60)} min`;
  if (seconds < 129_600) return `${Math.round(seconds / 3600)} h`;
  return `${Math.round(seconds / 86_400)} days`;
}
