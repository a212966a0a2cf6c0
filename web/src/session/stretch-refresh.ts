/**
 * Brings a stretch up to date that was kept over a history which does not tell what changed in it.
 *
 * Until that is done the stretch is only as new as `since`, and a new connection goes on from there: whatever fails on the way, no
 * change is passed over.
 */
import type { HistoryPage, Seq, SessionId } from "../contract";
import { ApiError } from "../server/api";
import { pagesBetween } from "./history-pages";

export type Between = { from: Seq; to: Seq };

/** A page that could not be had is asked for again after this. */
const AGAIN_MS = 1_000;

export class StretchRefresh {
  private known: Seq | undefined;
  private run = 0;

  constructor(private readonly took: (page: HistoryPage) => void) {}

  /** Up to which change the stretch is surely known, while it is behind the cursor. */
  get since(): Seq | undefined {
    return this.known;
  }

  begin(sessionId: SessionId, known: Seq, between: Between): void {
    this.known ??= known;
    this.run += 1;
    void this.fetch(sessionId, between, this.run);
  }

  /** There is another stretch. What is told meanwhile ends nothing: it may begin later than what is missing. */
  forget(): void {
    this.known = undefined;
    this.run += 1;
  }

  private async fetch(sessionId: SessionId, between: Between, run: number): Promise<void> {
    try {
      for await (const page of pagesBetween(sessionId, between.from, between.to)) {
        if (run !== this.run) return;
        this.took(page);
      }
      if (run === this.run) this.known = undefined;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      // A session that is gone has nothing to tell; whatever else went wrong may go by.
      if (error.status !== 404) setTimeout(() => this.fetchAgain(sessionId, between, run), AGAIN_MS);
    }
  }

  private fetchAgain(sessionId: SessionId, between: Between, run: number): void {
    if (run === this.run) void this.fetch(sessionId, between, run);
  }
}
