/**
 * What is known of one session: its items and turns.
 *
 * Pure: every function takes a timeline and gives back the next one together with what changed in it. The order in
 * which changes arrive does not matter; for each item and turn event the highest seq wins. Growth that does not fit to what
 * is known names its item as missing: it has to be fetched, and goes on from there (`item-growth.ts`).
 */
import type {
  Epoch,
  HistoryMode,
  HistoryPage,
  ItemId,
  Seq,
  TextDelta,
  TurnEvent,
  TurnId,
  UpsertObject,
} from "../contract";
import { type Awaited, grown, grownBy } from "./item-growth";

export type Item = UpsertObject & { seq: Seq; position: Seq };
export type TurnStarted = Extract<TurnEvent, { type: "turn_started" }>;
export type TurnEnded = Exclude<TurnEvent, { type: "turn_started" }>;
export type Turn = { turnId: TurnId; started?: TurnStarted; ended?: TurnEnded };
export type History = HistoryPage & { mode: HistoryMode };

export type Timeline = {
  /** Absent until the first history. */
  epoch?: Epoch;
  /** The last change that was delivered: where a reconnect goes on. */
  seq: Seq;
  /** Whether the server has items before the oldest page. */
  more: boolean;
  /** Where the oldest page begins. Not the oldest item: an older one that changes is told by itself. */
  oldest: Seq | undefined;
  items: ReadonlyMap<ItemId, Item>;
  turns: ReadonlyMap<TurnId, Turn>;
  /** What is being fetched, or has to be again after the connection was lost. */
  awaited: Awaited;
};

/** A timeline, which of its items and turns are new, different or gone, and which items have to be fetched from now on. */
export type Update = { timeline: Timeline; items: ItemId[]; turns: TurnId[]; missing: ItemId[] };

export const emptyTimeline: Timeline = {
  seq: 0,
  more: false,
  oldest: undefined,
  items: new Map(),
  turns: new Map(),
  awaited: new Map(),
};

export function applyUpsert(timeline: Timeline, seq: Seq, upsert: UpsertObject): Update {
  return advancedTo(seq, merge(timeline, [{ ...upsert, seq: upsert.seq ?? seq }], []));
}

/** The text of an item grew. */
export function applyDelta(timeline: Timeline, delta: TextDelta): Update {
  return advancedTo(delta.seq, grow(timeline, delta));
}

export function applyTurn(timeline: Timeline, seq: Seq, event: TurnEvent): Update {
  return advancedTo(seq, merge(timeline, [], [{ ...event, seq: event.seq ?? seq }]));
}

export function applyHistory(timeline: Timeline, history: History): Update {
  if (continues(timeline, history)) {
    return advancedTo(history.seq, merge(timeline, history.entries, history.turns));
  }
  return replacedBy(timeline, history);
}

/** Adds an older page. The cursor stays: what the page tells of newer changes is still to be delivered. */
export function applyOlderPage(timeline: Timeline, page: HistoryPage): Update {
  if (page.epoch !== timeline.epoch) return unchanged(timeline);
  const update = merge(timeline, page.entries, page.turns);
  const oldest = beginning(page) ?? timeline.oldest;
  return { ...update, timeline: { ...update.timeline, more: page.more, oldest } };
}

/**
 * An item was fetched: it takes the place of its shortened form, or of what growth did not fit to. An item that has changed
 * since, or that nobody wants any more, changes nothing.
 */
export function applyWholeItem(timeline: Timeline, whole: UpsertObject): Update {
  const { itemId } = whole;
  const known = timeline.items.get(itemId);
  const isOlder = known !== undefined && (whole.seq ?? known.seq) < known.seq;
  if ((!known || isOlder) && !timeline.awaited.has(itemId)) return unchanged(timeline);
  const items = isOlder ? timeline.items : new Map(timeline.items).set(itemId, positioned(whole, known));
  const settled = settle({ ...timeline, items }, [itemId]);
  // What still does not fit is missing once more: this fetch was too early for it.
  const missing = settled.awaited.has(itemId) ? [itemId] : [];
  return { timeline: settled, items: isOlder ? [] : [itemId], turns: [], missing };
}

/** An item cannot be had: what waits for it is given up. */
export function applyUnavailable(timeline: Timeline, itemId: ItemId): Update {
  const awaited = new Map(timeline.awaited);
  awaited.delete(itemId);
  return unchanged({ ...timeline, awaited });
}

/** Whether changes between the cursor and this history are missing, so that only a full history helps. */
export function leavesGap(history: History): boolean {
  return history.mode === "since" && history.more;
}

/** Where a page begins; its entries are ordered by position. */
function beginning(page: HistoryPage): Seq | undefined {
  return page.entries[0]?.position;
}

function continues(timeline: Timeline, history: History): boolean {
  return history.mode === "since" && history.epoch === timeline.epoch;
}

function replacedBy(timeline: Timeline, history: History): Update {
  const { epoch, seq, more } = history;
  const start: Timeline = { ...emptyTimeline, epoch, seq, more, oldest: beginning(history) };
  const fresh = merge(start, history.entries, history.turns).timeline;
  return {
    timeline: fresh,
    items: [...new Set([...timeline.items.keys(), ...fresh.items.keys()])],
    turns: [...new Set([...timeline.turns.keys(), ...fresh.turns.keys()])],
    missing: [],
  };
}

function grow(timeline: Timeline, delta: TextDelta): Update {
  const { itemId } = delta;
  const known = timeline.items.get(itemId);
  if (known && delta.seq <= known.seq) return unchanged(timeline);
  const kept = timeline.awaited.get(itemId);
  const next = known && !kept ? grown(known, delta) : undefined;
  if (next) {
    return {
      ...unchanged({ ...timeline, items: new Map(timeline.items).set(itemId, next) }),
      items: [itemId],
    };
  }
  const awaited = new Map(timeline.awaited).set(itemId, [...(kept ?? []), delta]);
  return { ...unchanged({ ...timeline, awaited }), missing: kept ? [] : [itemId] };
}

/** Items that changed take up the growth that waited for them. */
function settle(timeline: Timeline, changed: ItemId[]): Timeline {
  if (!changed.some((itemId) => timeline.awaited.has(itemId))) return timeline;
  const items = new Map(timeline.items);
  const awaited = new Map(timeline.awaited);
  for (const itemId of changed) {
    const [item, kept] = [items.get(itemId), awaited.get(itemId)];
    if (!item || !kept) continue;
    const settled = grownBy(item, kept);
    items.set(itemId, settled.item);
    if (settled.left.length > 0) awaited.set(itemId, settled.left);
    else awaited.delete(itemId);
  }
  return { ...timeline, items, awaited };
}

function merge(timeline: Timeline, entries: UpsertObject[], events: TurnEvent[]): Update {
  const items = new Map(timeline.items);
  const turns = new Map(timeline.turns);
  const changedItems = entries.filter((entry) => mergeItem(items, entry)).map((entry) => entry.itemId);
  const changedTurns = events.filter((event) => mergeTurn(turns, event)).map((event) => event.turnId);
  const settled = settle({ ...timeline, items, turns }, changedItems);
  return { timeline: settled, items: changedItems, turns: changedTurns, missing: [] };
}

function mergeItem(items: Map<ItemId, Item>, entry: UpsertObject): boolean {
  const known = items.get(entry.itemId);
  if (!isNewer(entry.seq, known?.seq)) return false;
  items.set(entry.itemId, positioned(entry, known));
  return true;
}

function mergeTurn(turns: Map<TurnId, Turn>, event: TurnEvent): boolean {
  const known: Turn = turns.get(event.turnId) ?? { turnId: event.turnId };
  const slot = event.type === "turn_started" ? "started" : "ended";
  if (known[slot] && !isNewer(event.seq, known[slot].seq)) return false;
  turns.set(event.turnId, { ...known, [slot]: event });
  return true;
}

function isNewer(seq: Seq | undefined, known: Seq | undefined): boolean {
  return known === undefined || (seq ?? 0) > known;
}

function positioned(upsert: UpsertObject, known: Item | undefined): Item {
  const seq = upsert.seq ?? known?.seq ?? 0;
  return { ...upsert, seq, position: upsert.position ?? known?.position ?? seq };
}

function advancedTo(seq: Seq, update: Update): Update {
  return { ...update, timeline: { ...update.timeline, seq: Math.max(update.timeline.seq, seq) } };
}

function unchanged(timeline: Timeline): Update {
  return { timeline, items: [], turns: [], missing: [] };
}
