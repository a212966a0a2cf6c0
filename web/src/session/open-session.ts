/** The session that is open: subscribes to it, keeps its timeline and hands changes to the transcript. */

import type { HistoryPage, ItemId, PlanEntry, Seq, ServerFrame, SessionId } from "../contract";
import { ApiError, wholeItem } from "../server/api";
import * as timelines from "../timeline/timeline";
import * as windows from "../timeline/timeline-window";
import type { Transcript, TranscriptSource } from "../transcript/transcript";
import type { Spent } from "./context-gauge";
import { hasCompleted, totalCost } from "./context-text";
import * as pages from "./history-pages";
import { nearestPrompt } from "./nearest-prompt";
import { StretchRefresh } from "./stretch-refresh";

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
/** Rows of a session that was just opened. */
const FIRST_ROWS = 2 * pages.PAGE;

type ChangeFrame = Exclude<TimelineFrame, { type: "session:history" | "session:plan" }>;

export class OpenSession implements TranscriptSource {
  private sessionId: SessionId | undefined;
  private timeline = timelines.emptyTimeline;
  private readonly fetching = new Set<ItemId>();
  /** What was told while pages were on their way: they may be older than it. */
  private readonly meanwhile: ChangeFrame[] = [];
  private pagesAsked = 0;
  /** Changes with every other stretch: pages that were asked for before do not adjoin it. */
  private stretch = 0;
  /** The stretch that a history brought about, over the head of whoever was fetching another one. */
  private overtaken = 0;
  private readonly refresh: StretchRefresh;
  /** An item to be shown as soon as the session is there. */
  private target: ItemId | undefined;

  constructor(
    private readonly transcript: Transcript,
    private readonly actions: OpenSessionActions,
  ) {
    transcript.connect(this);
    this.refresh = new StretchRefresh((page) => this.advance(windows.applyRefreshed(this.timeline, page)));
  }

  get id(): SessionId | undefined {
    return this.sessionId;
  }

  /** What its turns have cost, as far as they are known here. */
  get spent(): Spent {
    const { turns, more, newest } = this.timeline;
    const isAll = !more && newest === undefined;
    return { cost: totalCost(turns.values()), isAll, hasEnded: hasCompleted(turns.values()) };
  }

  /** What is known of it. */
  get known(): timelines.Timeline {
    return this.timeline;
  }

  change(sessionId: SessionId | undefined): void {
    if (sessionId === this.sessionId) return;
    if (this.sessionId !== undefined) this.actions.unsubscribe(this.sessionId);
    this.sessionId = sessionId;
    this.timeline = timelines.emptyTimeline;
    this.stretch += 1;
    this.refresh.forget();
    this.target = undefined;
    this.fetching.clear();
    this.transcript.clear();
    this.actions.planned([]);
    this.subscribe();
  }

  /** Shows an item of the session, wherever in it it is. */
  show(itemId: ItemId | undefined): void {
    this.target = itemId;
    if (itemId === undefined || this.timeline.epoch === undefined) return;
    this.target = undefined;
    this.transcript.show(itemId);
  }

  /** Asks for what is not known yet: after opening, and again on each new connection. */
  subscribe(): void {
    if (this.sessionId === undefined) return;
    const { epoch, seq, awaited } = this.timeline;
    const after = this.refresh.since ?? seq;
    this.actions.subscribe(this.sessionId, epoch === undefined ? {} : { epoch, after });
    // What could not be fetched over the old connection is before the cursor: it is not told again.
    for (const itemId of awaited.keys()) void this.fetch(itemId);
  }

  received(frame: TimelineFrame): void {
    if (frame.sessionId !== this.sessionId) return;
    switch (frame.type) {
      case "session:plan":
        return this.actions.planned(frame.entries);
      case "session:history":
        return this.receivedHistory(frame);
      default:
        if (this.pagesAsked > 0) this.meanwhile.push(frame);
        return this.advance(changed(this.timeline, frame), true);
    }
  }

  private receivedHistory(history: timelines.History & { sessionId: SessionId }): void {
    if (timelines.leavesGap(history)) return this.actions.subscribe(history.sessionId, {});
    const continues = history.mode === "since" && history.epoch === this.timeline.epoch;
    const isElsewhere = !this.transcript.isAtEnd && windows.continuesBeside(this.timeline, history);
    if (!continues) this.overtake();
    if (continues) this.advance(timelines.applyHistory(this.timeline, history));
    else if (isElsewhere) this.stayBeside(history);
    else this.begin(history);
    this.show(this.target);
  }

  /** Pages that are on their way were told before this history. */
  private overtake(): void {
    this.stretch += 1;
    this.overtaken = this.stretch;
  }

  private begin(history: timelines.History): void {
    this.refresh.forget();
    this.advance(windows.newestRows(timelines.applyHistory(this.timeline, history), FIRST_ROWS));
  }

  /** A reader who is not at the end stays where they are, and what they look at is brought up to date. */
  private stayBeside(history: timelines.History & { sessionId: SessionId }): void {
    const { seq, oldest = 0, newest } = this.timeline;
    this.advance(windows.applyBeside(this.timeline, history));
    if (history.seq > seq || this.refresh.since !== undefined)
      this.refresh.begin(history.sessionId, seq, { from: oldest, to: newest ?? seq });
  }

  async loadOlder(): Promise<void> {
    const before = this.timeline.oldest;
    if (before === undefined || !this.timeline.more) return;
    await this.take(
      (sessionId) => pages.pageBefore(sessionId, before),
      (page) => before === this.timeline.oldest && windows.applyOlderPage(this.timeline, page),
    );
  }

  async loadNewer(): Promise<void> {
    const after = this.timeline.newest;
    if (after === undefined) return;
    await this.take(
      (sessionId) => pages.pageAfter(sessionId, after),
      (page) => after === this.timeline.newest && windows.applyNewerPage(this.timeline, page),
    );
  }

  async loadLatest(): Promise<void> {
    if (this.timeline.newest !== undefined) await this.replace(pages.lastPage);
  }

  async loadFirst(): Promise<void> {
    if (this.timeline.more) await this.replace(pages.firstPage);
  }

  async loadAround(itemId: ItemId): Promise<boolean> {
    if (this.timeline.items.has(itemId)) return true;
    try {
      await this.replace((sessionId) => pages.pageAround(sessionId, itemId));
    } catch (error) {
      if (error instanceof ApiError && error.status === 404) return false;
      throw error;
    }
    return this.timeline.items.has(itemId);
  }

  /** The nearest message of a person beyond what is kept. */
  async promptBeyond(direction: "before" | "after"): Promise<ItemId | undefined> {
    const { oldest, newest, more } = this.timeline;
    const from = direction === "before" ? (more ? oldest : undefined) : newest;
    if (this.sessionId === undefined || from === undefined) return undefined;
    return nearestPrompt(this.sessionId, from, direction);
  }

  /** Lets go of what lies outside of these places. */
  keep(from: Seq | undefined, to: Seq | undefined): void {
    this.advance(windows.applyBounds(this.timeline, from, to));
  }

  async loadWhole(itemId: ItemId): Promise<void> {
    if (this.sessionId === undefined) return;
    const sessionId = this.sessionId;
    const item = await wholeItem(sessionId, itemId);
    if (sessionId === this.sessionId) this.advance(timelines.applyWholeItem(this.timeline, item));
  }

  private async replace(ask: (sessionId: SessionId) => Promise<windows.Stretch>): Promise<void> {
    const { sessionId } = this;
    do {
      this.stretch += 1;
      await this.take(ask, (page) => this.placedIn(page));
      // A history that came meanwhile is no reason not to get there.
    } while (this.stretch === this.overtaken && sessionId === this.sessionId);
  }

  /** What is fetched from here on is as new as the cursor. */
  private placedIn(page: windows.Stretch): timelines.Update {
    if (page.epoch === this.timeline.epoch) this.refresh.forget();
    return windows.applyStretch(this.timeline, page);
  }

  /** Fetches a page and takes it over, unless the reader has gone elsewhere; then tells once more what is newer than it. */
  private async take<Page extends HistoryPage>(
    ask: (sessionId: SessionId) => Promise<Page>,
    apply: (page: Page) => timelines.Update | false,
  ): Promise<void> {
    const { sessionId, stretch } = this;
    if (sessionId === undefined) return;
    this.pagesAsked += 1;
    try {
      const page = await ask(sessionId);
      const update = stretch === this.stretch && apply(page);
      if (!update) return;
      this.advance(update);
      for (const frame of this.meanwhile)
        if (frame.sessionId === this.sessionId && frame.seq > page.seq)
          this.advance(changed(this.timeline, frame));
    } finally {
      this.pagesAsked -= 1;
      if (this.pagesAsked === 0) this.meanwhile.length = 0;
    }
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

function changed(timeline: timelines.Timeline, frame: ChangeFrame): timelines.Update {
  switch (frame.type) {
    case "session:upsert":
      return timelines.applyUpsert(timeline, frame.seq, frame.payload);
    case "session:delta":
      return timelines.applyDelta(timeline, frame);
    case "session:turn":
      return timelines.applyTurn(timeline, frame.seq, frame.payload);
  }
}

/** An item that is not there is given up; whatever else went wrong may go by. */
function unavailable(error: unknown): "gone" | "later" {
  if (!(error instanceof ApiError)) throw error;
  return error.status === 404 ? "gone" : "later";
}
