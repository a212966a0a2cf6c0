/** The session that is open: subscribes to it, keeps its timeline and hands changes to the transcript. */
import { olderHistory, wholeItem } from "./api";
import type { ItemId, PlanEntry, ServerFrame, SessionId } from "./contract";
import * as timelines from "./timeline";
import type { Transcript } from "./transcript";

export type TimelineFrame = Extract<
  ServerFrame,
  { type: "session:upsert" | "session:turn" | "session:history" | "session:plan" }
>;

/** From where on the server shall tell; empty asks for everything. */
export type Cursor = { after?: number; epoch?: string };

export type OpenSessionActions = {
  subscribe(sessionId: SessionId, cursor: Cursor): void;
  unsubscribe(sessionId: SessionId): void;
  /** What the agent means to do; nothing for a session that was just opened. */
  planned(entries: PlanEntry[]): void;
};

export class OpenSession {
  private sessionId: SessionId | undefined;
  private timeline = timelines.emptyTimeline;

  constructor(
    private readonly transcript: Transcript,
    private readonly actions: OpenSessionActions,
  ) {}

  get id(): SessionId | undefined {
    return this.sessionId;
  }

  change(sessionId: SessionId | undefined): void {
    if (sessionId === this.sessionId) return;
    if (this.sessionId !== undefined) this.actions.unsubscribe(this.sessionId);
    this.sessionId = sessionId;
    this.timeline = timelines.emptyTimeline;
    this.transcript.clear();
    this.actions.planned([]);
    this.subscribe();
  }

  /** Asks for what is not known yet: after opening, and again on each new connection. */
  subscribe(): void {
    if (this.sessionId === undefined) return;
    const { epoch, seq } = this.timeline;
    this.actions.subscribe(this.sessionId, epoch === undefined ? {} : { epoch, after: seq });
  }

  received(frame: TimelineFrame): void {
    if (frame.sessionId !== this.sessionId) return;
    switch (frame.type) {
      case "session:upsert":
        return this.advance(timelines.applyUpsert(this.timeline, frame.seq, frame.payload));
      case "session:turn":
        return this.advance(timelines.applyTurn(this.timeline, frame.seq, frame.payload));
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

  private advance(update: timelines.Update): void {
    this.timeline = update.timeline;
    this.transcript.apply(update);
  }
}
