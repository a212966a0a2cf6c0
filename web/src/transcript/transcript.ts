/** Shows a timeline: one element per item and turn, kept and changed in place. */
import type { ItemId, TurnId } from "../contract";
import { arrange, button, element, setText } from "../dom/dom";
import { NextFrame } from "../dom/next-frame";
import { GroupView } from "../items/group-view";
import { isHeld } from "../items/held";
import { type ItemActions, ItemView } from "../items/item-view";
import { membersOf } from "../items/nested-rows";
import { FamilyIndex, homeOf } from "../timeline/family";
import { type GroupRow, grouped, mayBeGrouped, type ShownRow } from "../timeline/row-groups";
import { emptyTimeline, type Timeline, type Update } from "../timeline/timeline";
import { rows } from "../timeline/timeline-rows";
import { FollowEnd } from "./follow-end";
import { TurnView } from "./turn-view";
import { type WaitingActions, WaitingMessages, type WaitingModel } from "./waiting-messages";

export type TranscriptActions = ItemActions & WaitingActions & { showOlder(): void };

export class Transcript {
  readonly root = element("div", "transcript-frame");
  private readonly box = element("section", "transcript");
  private readonly list = element("div", "rows");
  private readonly older: HTMLButtonElement;
  private readonly note = element("p", "transcript-note");
  private readonly end: FollowEnd;
  private readonly frame = new NextFrame(() => this.draw());
  private readonly itemViews = new Map<ItemId, ItemView>();
  private readonly turnViews = new Map<TurnId, TurnView>();
  private readonly groups = new Map<ItemId, GroupView>();
  private readonly family = new FamilyIndex();
  private readonly changedItems = new Set<ItemId>();
  private readonly changedTurns = new Set<TurnId>();
  private timeline: Timeline = emptyTimeline;
  private rowsChanged = false;
  private refused = false;
  private asks = false;
  private queued: ReadonlySet<TurnId> = new Set();
  private readonly waiting: WaitingMessages;

  constructor(private readonly actions: TranscriptActions) {
    const content = element("div", "transcript-content");
    const latest = button("Jump to latest", "to-latest", () => this.end.toEnd());
    latest.hidden = true;
    this.older = button("Show earlier", "quiet older", () => actions.showOlder());
    this.box.setAttribute("aria-label", "Transcript");
    this.box.tabIndex = 0;
    this.waiting = new WaitingMessages(actions);
    content.append(this.older, this.note, this.list, this.waiting.root);
    this.box.append(content);
    this.root.append(this.box, latest);
    this.end = new FollowEnd(this.box, content, (follows) => {
      latest.hidden = follows;
    });
    this.clear();
  }

  /** Takes over a changed timeline; it is drawn with the next frame. */
  apply(update: Update): void {
    this.timeline = update.timeline;
    for (const itemId of update.items) this.changedItems.add(itemId);
    for (const turnId of update.turns) this.changedTurns.add(turnId);
    this.frame.ask();
  }

  /** What waits after everything that has begun. */
  showWaiting(model: WaitingModel): void {
    this.waiting.render(model);
    const queued = new Set(model.queued.map(({ turnId }) => turnId));
    if (queued.size === this.queued.size && [...queued].every((turnId) => this.queued.has(turnId))) return;
    this.queued = queued;
    this.rowsChanged = true;
    this.frame.ask();
  }

  /** Whether the agent waits for an answer: then its turn is not at work. */
  showAsking(asks: boolean): void {
    if (asks === this.asks) return;
    this.asks = asks;
    for (const view of this.turnViews.values()) view.ask(asks);
  }

  /** Whether the session is there and nothing has happened in it. */
  get isEmpty(): boolean {
    return this.timeline.epoch !== undefined && this.timeline.items.size === 0;
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
    this.itemViews.clear();
    this.turnViews.clear();
    this.groups.clear();
    this.family.clear();
    this.changedItems.clear();
    this.changedTurns.clear();
    this.list.replaceChildren();
    this.draw();
    this.end.toEnd();
  }

  private draw(): void {
    for (const itemId of this.changedItems) this.drawItem(itemId);
    for (const turnId of this.changedTurns) this.drawTurn(turnId);
    if (this.rowsChanged) arrange(this.list, this.elements());
    this.rowsChanged = false;
    this.changedItems.clear();
    this.changedTurns.clear();
    this.older.hidden = !this.timeline.more;
    this.drawNote();
    this.end.keep();
  }

  private drawItem(changedId: ItemId): void {
    const { items } = this.timeline;
    this.family.change(items, changedId);
    const itemId = homeOf(items, changedId);
    const item = items.get(itemId);
    const view = this.itemViews.get(itemId);
    // An item never moves: its element only has to be placed once, unless it may become one of a group.
    if (item && view) view.update(item, this.family);
    if (!item) this.itemViews.delete(itemId);
    if (!item || !view || mayBeGrouped(item)) this.rowsChanged = true;
  }

  private drawTurn(turnId: TurnId): void {
    const turn = this.timeline.turns.get(turnId);
    const view = this.turnViews.get(turnId);
    this.rowsChanged = true;
    if (turn && view) view.update(turn);
    else if (turn) this.turnViews.set(turnId, new TurnView(turn, this.asks));
    else this.turnViews.delete(turnId);
  }

  private drawNote(): void {
    this.note.hidden = this.list.childElementCount > 0;
    if (this.refused) setText(this.note, "This session cannot be shown.");
    else if (this.timeline.epoch === undefined) setText(this.note, "Loading…");
    else setText(this.note, "Nothing has happened in this session yet.");
  }

  private elements(): Element[] {
    const { timeline } = this;
    const isRead = (itemId: ItemId) => isHeld(this.itemViews.get(itemId)?.root);
    const shown = grouped(rows(timeline, this.queued), timeline, isRead);
    return shown.map((row) => this.elementOf(row)).filter((found) => found !== undefined);
  }

  private elementOf(row: ShownRow): HTMLElement | undefined {
    if (row.kind === "turn") return this.turnViews.get(row.id)?.root;
    if (row.kind === "group") return this.groupOf(row).root;
    const item = this.timeline.items.get(row.id);
    const view = this.itemViews.get(row.id) ?? (item && new ItemView(item, this.actions, this.family));
    if (view) this.itemViews.set(row.id, view);
    return view?.root;
  }

  private groupOf({ id, members }: GroupRow): GroupView {
    for (const member of members) this.itemViews.delete(member);
    const group = this.groups.get(id) ?? new GroupView(this.actions);
    this.groups.set(id, group);
    group.update(membersOf(members, this.timeline.items), this.family);
    return group;
  }
}
