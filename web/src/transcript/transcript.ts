/** Shows the stretch of a session that is kept: one element per item and turn, kept and changed in place. */
import type { ClientMessageId, ItemId, PermissionRequest, QueuedTurn, Seq, TurnId } from "../contract";
import { arrange, element, setText } from "../dom/dom";
import { NextFrame } from "../dom/next-frame";
import { skeleton } from "../dom/skeleton";
import type { ItemActions } from "../items/item-view";
import { DecisionLines } from "../permissions/decision-lines";
import { UNDER_NOTES } from "../shell/room-for-notes";
import { homeOf } from "../timeline/family";
import { placeBegins, type ShownRow } from "../timeline/row-groups";
import { emptyTimeline, type Timeline, type Turn, type Update } from "../timeline/timeline";
import { rows } from "../timeline/timeline-rows";
import { Edge } from "./edge";
import { FollowEnd } from "./follow-end";
import { JumpPill } from "./jump-pill";
import { KeepPlace } from "./keep-place";
import { Reader } from "./reader";
import { RestingRows } from "./resting-rows";
import { RowViews } from "./row-views";
import { weightOf } from "./row-weight";
import { StagedRows } from "./staged-rows";
import { FOLLOWING, firstBelow, keptRows, newestRows, READING } from "./visible-rows";

export type TranscriptActions = ItemActions;

/** Where rows that are not kept come from. */
export type TranscriptSource = {
  loadOlder(): Promise<void>;
  loadNewer(): Promise<void>;
  loadLatest(): Promise<void>;
  loadFirst(): Promise<void>;
  /** Whether the item is there. */
  loadAround(itemId: ItemId): Promise<boolean>;
  promptBeyond(direction: "before" | "after"): Promise<ItemId | undefined>;
  /** Lets go of what lies outside of these places. */
  keep(from: Seq | undefined, to: Seq | undefined): void;
};

export class Transcript {
  readonly root = element("div", "transcript-frame");
  private readonly box = element("section", `transcript ${UNDER_NOTES}`);
  /** Where the rows are. */
  readonly rows = element("div", "rows");
  private readonly note = element("p", "transcript-note");
  private readonly loading = skeleton("Loading the session", "talk");
  private readonly older: Edge;
  private readonly newer: Edge;
  private readonly pill = new JumpPill(() => this.reader.toLatest());
  private readonly end: FollowEnd;
  private readonly resting: RestingRows;
  private readonly frame = new NextFrame(() => this.draw());
  private readonly views: RowViews;
  private readonly changedItems = new Set<ItemId>();
  private readonly changedTurns = new Set<TurnId>();
  private source: TranscriptSource | undefined;
  private readonly decisions = new DecisionLines();
  private timeline: Timeline = emptyTimeline;
  private shown: ShownRow[] = [];
  private readonly stages = new StagedRows((row) => weightOf(row, this.timeline.items));
  /** Which of them are placed. */
  private stage = { from: 0, to: 0 };
  private rowsChanged = false;
  /** What was decided may belong elsewhere now. */
  private decisionsMoved = false;
  private refused = false;
  private isInSight = true;
  private queued: ReadonlySet<TurnId> = new Set();
  private readonly sentIds = new Set<ClientMessageId>();
  /** How many items had come when the reader was last at the end. */
  private seen = 0;
  /** Goes to places of the session on behalf of keys, links and finds. */
  readonly reader: Reader;
  /** Asked for by the button of a turn. */
  timesWanted: (turnId: TurnId) => void = () => {};

  constructor(actions: TranscriptActions) {
    const content = element("div", "transcript-content");
    this.resting = new RestingRows(this.box, this.rows);
    this.views = new RowViews({ ...actions, showTimes: (turnId) => this.timesWanted(turnId) }, (row) =>
      this.resting.wake(row),
    );
    this.older = new Edge(this.box, "Show earlier", async () => this.source?.loadOlder());
    this.newer = new Edge(this.box, "Show later", async () => this.source?.loadNewer());
    this.box.setAttribute("aria-label", "Transcript");
    this.box.tabIndex = 0;
    // What is opened may be what a decision is about.
    this.rows.addEventListener("toggle", () => this.moveDecisions(), true);
    content.append(this.older.root, this.note, this.loading, this.rows, this.newer.root);
    // Between the name of the session and the headings of what was said in it.
    this.box.append(element("h2", "for-listeners", "Transcript"), content);
    this.root.append(this.box, this.pill.root);
    this.end = new FollowEnd(this.box, content, new KeepPlace(this.box, this.rows), {
      changed: () => this.drawPill(),
      isEnd: () => this.timeline.newest === undefined,
      jumped: () => this.resting.wakeSeen(),
    });
    this.reader = new Reader({
      root: this.root,
      box: this.box,
      list: this.rows,
      end: this.end,
      source: () => this.source,
      row: (itemId) => this.drawn(itemId),
      placeAll: () => this.drawAll(),
      jumped: () => this.resting.wakeSeen(),
      timeline: () => this.timeline,
    });
    this.clear();
  }

  connect(source: TranscriptSource): void {
    this.source = source;
  }

  /** Takes over a changed timeline; it is drawn with the next frame. */
  apply(update: Update): void {
    this.timeline = update.timeline;
    for (const itemId of update.items) this.changedItems.add(itemId);
    for (const turnId of update.turns) this.changedTurns.add(turnId);
    this.frame.ask();
  }

  /** The reader has sent a message, and wants to see it. One that is sent again after a lost connection is no new one. */
  sent(clientMessageId: ClientMessageId): void {
    if (this.sentIds.has(clientMessageId)) return;
    this.sentIds.add(clientMessageId);
    this.reader.toLatest();
  }

  /** What happens out of sight is drawn when it comes back: until then nothing of it could be laid out. */
  showInSight(isInSight: boolean): void {
    if (isInSight === this.isInSight) return;
    this.isInSight = isInSight;
    if (!isInSight) return;
    this.resting.wakeSeen();
    this.frame.ask();
  }

  /** Turns that wait have their place above the composer. */
  leaveOut(waiting: QueuedTurn[]): void {
    const queued = new Set(waiting.map(({ turnId }) => turnId));
    if (queued.size === this.queued.size && [...queued].every((turnId) => this.queued.has(turnId))) return;
    this.queued = queued;
    this.rowsChanged = true;
    this.frame.ask();
  }

  /** Whether the agent waits for an answer: then its turn is not at work. */
  showAsking(asks: boolean): void {
    this.views.ask(asks);
  }

  /** What was decided in the session, shown at what it was about. */
  showDecisions(decisions: readonly PermissionRequest[]): void {
    if (this.decisions.show(decisions)) this.moveDecisions();
  }

  private moveDecisions(): void {
    this.decisionsMoved = true;
    this.frame.ask();
  }

  /** Whether the session is there and nothing has happened in it. */
  get isEmpty(): boolean {
    return this.timeline.epoch !== undefined && this.timeline.items.size === 0;
  }

  /** Whether the reader is at the end of the session, and goes along with it. */
  get isAtEnd(): boolean {
    return this.end.follows;
  }

  /** The items that are kept. */
  get items(): Timeline["items"] {
    return this.timeline.items;
  }

  /** The element of an item, where it has one. */
  rowOf(itemId: ItemId): HTMLElement | undefined {
    return this.views.reveal(this.timeline, itemId);
  }

  /** The turn of the item that is looked at. */
  get currentTurn(): TurnId | undefined {
    const itemId = this.reader.current;
    return itemId === undefined ? undefined : this.timeline.items.get(itemId)?.turnId;
  }

  /** A turn that is known. */
  turn(turnId: TurnId): Turn | undefined {
    return this.timeline.turns.get(turnId);
  }

  /** Shows an item in the middle, wherever in the session it is. */
  show(itemId: ItemId): void {
    void this.reader.show(itemId);
  }

  /** The session cannot be had: nothing will come. */
  cannotOpen(): void {
    this.refused = true;
    this.frame.ask();
  }

  /** Forgets what is shown, for another session. */
  clear(): void {
    this.timeline = emptyTimeline;
    this.refused = false;
    this.seen = 0;
    this.shown = [];
    this.stages.clear();
    this.views.clear();
    this.changedItems.clear();
    this.changedTurns.clear();
    this.rows.replaceChildren();
    this.resting.watch([]);
    this.reader.clear();
    this.draw();
    this.end.toEnd();
  }

  /** The element of an item, as it is after everything that is known is drawn. */
  private drawn(itemId: ItemId): HTMLElement | undefined {
    this.draw(itemId);
    const row = this.views.reveal(this.timeline, itemId);
    return row && this.rows.contains(row) ? row : undefined;
  }

  private drawAll(): void {
    do this.draw();
    while (this.rowsChanged);
  }

  private draw(wanted?: ItemId): void {
    if (!this.isInSight) return;
    for (const itemId of this.changedItems) {
      if (this.views.drawItem(this.timeline, itemId)) this.rowsChanged = true;
      if (this.timeline.items.get(itemId)?.parentItemId !== undefined) this.decisionsMoved = true;
    }
    for (const turnId of this.changedTurns) this.views.drawTurn(this.timeline, turnId);
    const rowsChanged = this.rowsChanged || this.changedTurns.size > 0 || wanted !== undefined;
    this.rowsChanged = false;
    this.changedItems.clear();
    this.changedTurns.clear();
    if (rowsChanged) this.placeRows(wanted);
    this.older.show(this.timeline.more && this.stage.from === 0);
    this.newer.show(this.timeline.newest !== undefined && this.stage.to === this.shown.length);
    this.drawNote();
    this.drawPill();
    if (rowsChanged || this.decisionsMoved) this.placeDecisions();
    this.end.keep();
    if (rowsChanged) this.letGo();
  }

  private placeRows(wanted?: ItemId): void {
    const focused = this.rows.contains(this.rows.ownerDocument.activeElement);
    this.shown = this.views.grouped(rows(this.timeline, this.queued), this.timeline);
    const follows = this.followsEnd && !focused;
    this.stage = this.stages.next(this.shown, innerHeight, { wanted: this.rowWith(wanted), follows });
    const { from, to } = this.stage;
    const placed = this.views.elementsOf(this.shown.slice(from, to), this.timeline);
    arrange(this.rows, placed);
    this.resting.watch(placed);
    if (to - from < this.shown.length) this.placeMore();
    // Keys still move the transcript when the row that had the focus is gone.
    const isLost = focused && !this.rows.contains(this.rows.ownerDocument.activeElement);
    if (isLost) this.box.focus({ preventScroll: true });
  }

  private placeMore(): void {
    this.rowsChanged = true;
    this.frame.ask();
  }

  /** The row that an item is in, by its number. */
  private rowWith(itemId: ItemId | undefined): number | undefined {
    if (itemId === undefined) return undefined;
    const home = homeOf(this.timeline.items, itemId);
    return this.shown.findIndex((row) =>
      row.kind === "group" ? row.members.includes(home) : row.kind === "item" && row.id === home,
    );
  }

  /** Lets go of rows that are far from what is seen, so that a long session stays light. */
  private letGo(): void {
    const kept = this.reader.isSelecting ? undefined : this.keptRows();
    if (!kept) return;
    const first = kept.from === 0 ? undefined : this.shown[kept.from];
    const from = first && placeBegins(first, this.timeline);
    const to = kept.to === this.shown.length - 1 ? undefined : this.shown[kept.to]?.at;
    this.source?.keep(from, to === Number.POSITIVE_INFINITY ? undefined : to);
  }

  private keptRows(): { from: number; to: number } | undefined {
    const { children } = this.rows;
    const count = this.shown.length;
    // Whoever follows the end does not wait for rows that would be let go as soon as they are placed.
    if (children.length !== count) return this.followsEnd ? newestRows(count) : undefined;
    const edge = this.box.getBoundingClientRect();
    if (edge.height === 0) return undefined;
    const seen = [firstBelow(children, edge.top), firstBelow(children, edge.bottom)] as const;
    return keptRows(count, ...seen, this.end.follows ? FOLLOWING : READING);
  }

  /** Whether new rows at the end are what the reader sees next. */
  private get followsEnd(): boolean {
    return this.end.follows && this.timeline.newest === undefined && !this.reader.isSelecting;
  }

  private drawPill(): void {
    if (this.end.follows) this.seen = this.timeline.arrived;
    this.seen = Math.min(this.seen, this.timeline.arrived);
    this.pill.show(!this.end.follows, this.timeline.arrived - this.seen);
  }

  /** Each is told at its item, also where that is one of a group, else at its turn. */
  private placeDecisions(): void {
    this.decisionsMoved = false;
    if (this.decisions.isEmpty) return;
    const places = new Map<string | undefined, Element>();
    for (const one of this.rows.querySelectorAll<HTMLElement>("[data-item-id], [data-turn-id]")) {
      const id = one.dataset.itemId ?? one.dataset.turnId;
      if (!places.has(id)) places.set(id, one);
    }
    this.decisions.place(({ itemId, turnId }) => places.get(itemId) ?? places.get(turnId));
  }

  private drawNote(): void {
    const isLoading = this.timeline.epoch === undefined && !this.refused;
    this.loading.hidden = !isLoading || this.rows.childElementCount > 0;
    this.note.hidden = isLoading || this.rows.childElementCount > 0;
    if (this.refused) setText(this.note, "This session cannot be shown.");
    else setText(this.note, "Nothing has happened in this session yet.");
  }
}
