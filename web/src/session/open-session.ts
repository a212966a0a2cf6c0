/** The session that is open: subscribes to it, keeps its timeline and hands changes to the transcript. */

import type { ItemId, PlanEntry, ServerFrame, SessionId } from "../contract";
import { ApiError, olderHistory, wholeItem } from "../server/api";
import * as timelines from "../timeline/timeline";
import type { Transcript } from "../transcript/transcript";
import type { Spent } from "./context-gauge";
import { totalCost } from "./context-text";

export type TimelineFrame = Extract<
  ServerFrame,
  { type: "session:upsert" | "session:delta" | "session:turn" | "session:history" | "session:plan" }
>;

/** From where on the server shall tell; empty asks for everything. */
export type Cursor = { after?: number; epoch?: string };

export type OpenSessionActions = {
  subscribe(sessionId: SessionId, cursor: Cursor): void;
  unsubscribe(sessionId: SessionId): void;
  /** What the agent means to do; nothing for a session that was just opened. */
  planned(entries: PlanEntry[]): void;
  /** `isLive`: it happens now; otherwise it is history. */
  changed(before: timelines.Timeline, update: timelines.Update, isLive: boolean): void;
};

/** An item that the server would not give is asked for again after this. */
const FETCH_AGAIN_MS = 1_000;

export class OpenSession {
  private sessionId: SessionId | undefined;
  private timeline = timelines.emptyTimeline;
  private readonly fetching = new Set<ItemId>();

  constructor(
    private readonly transcript: Transcript,
    private readonly actions: OpenSessionActions,
  ) {}

  get id(): SessionId | undefined {
    return this.sessionId;
  }

  /** What its turns have cost, as far as they are known here. */
  get spent(): Spent {
    return { cost: totalCost(this.timeline.turns.values()), isAll: !this.timeline.more };
  }

  change(sessionId: SessionId | undefined): void {
    if (sessionId === this.sessionId) return;
    if (this.sessionId !== undefined) this.actions.unsubscribe(this.sessionId);
    this.sessionId = sessionId;
    this.timeline = timelines.emptyTimeline;
    this.fetching.clear();
    this.transcript.clear();
    this.actions.planned([]);
    this.subscribe();
  }

  /** Asks for what is not known yet: after opening, and again on each new connection. */
  subscribe(): void {
    if (this.sessionId === undefined) return;
    const { epoch, seq, awaited } = this.timeline;
    this.actions.subscribe(this.sessionId, epoch === undefined ? {} : { epoch, after: seq });
    // What could not be fetched over the old connection is before the cursor: it is not told again.
    for (const itemId of awaited.keys()) void this.fetch(itemId);
  }

  received(frame: TimelineFrame): void {
    if (frame.sessionId !== this.sessionId) return;
    switch (frame.type) {
      case "session:upsert":
        return this.advance(timelines.applyUpsert(this.timeline, frame.seq, frame.payload), true);
      case "session:delta":
        return this.advance(timelines.applyDelta(this.timeline, frame), true);
      case "session:turn":
        return this.advance(timelines.applyTurn(this.timeline, frame.seq, frame.payload), true);
      case "session:plan":
        return this.actions.planned(frame.entries);
      case "session:history":
        if (timelines.leavesGap(frame)) return this.actions.subscribe(frame.sessionId, {});
        return this.advance(timelines.applyHistory(this.timeline, frame));
    }
  }

  async loadOlder(): Promise<void> {
    const before = this.timeline.oldest;
    if (this.sessionId === undefined || before === undefined) return;
    const sessionId = this.sessionId;
    const page = await olderHistory(sessionId, before);
    if (sessionId === this.sessionId) this.advance(timelines.applyOlderPage(this.timeline, page));
  }

  async loadWhole(itemId: ItemId): Promise<void> {
    if (this.sessionId === undefined) return;
    const sessionId = this.sessionId;
    const item = await wholeItem(sessionId, itemId);
    if (sessionId === this.sessionId) this.advance(timelines.applyWholeItem(this.timeline, item));
  }

  private advance(update: timelines.Update, isLive = false): void {
    const before = this.timeline;
    this.timeline = update.timeline;
    this.actions.changed(before, update, isLive);
    this.transcript.apply(update);
    for (const itemId of update.missing) void this.fetch(itemId);
  }

  /** Fetches an item whose growth did not fit, once at a time. */
  private async fetch(itemId: ItemId): Promise<void> {
    const { sessionId } = this;
    const { epoch } = this.timeline;
    if (sessionId === undefined || this.fetching.has(itemId)) return;
    this.fetching.add(itemId);
    const item = await wholeItem(sessionId, itemId).catch(unavailable);
    if (sessionId !== this.sessionId) return;
    this.fetching.delete(itemId);
    if (item === "later") return this.fetchLater(itemId);
    // Another numbering began meanwhile, and with it another history: this item is not of it.
    if (epoch !== this.timeline.epoch) return this.fetchAwaited(itemId);
    const { timeline } = this;
    this.advance(
      item === "gone"
        ? timelines.applyUnavailable(timeline, itemId)
        : timelines.applyWholeItem(timeline, item),
      true,
    );
  }

  private fetchLater(itemId: ItemId): void {
    setTimeout(() => this.fetchAwaited(itemId), FETCH_AGAIN_MS);
  }

  private fetchAwaited(itemId: ItemId): void {
    if (this.timeline.awaited.has(itemId)) void this.fetch(itemId);
  }
}

/** An item that is not there is given up; whatever else went wrong may go by. */
function unavailable(error: unknown): "gone" | "later" {
  if (!(error instanceof ApiError)) throw error;
  return error.status === 404 ? "gone" : "later";
}
