/**
 * What is kept of one session: a stretch of its items and turns, up to its end or around what is being read.
 *
 * Pure: every function takes a timeline and gives back the next one together with what changed in it. The order in
 * which changes arrive does not matter; for each item and turn event the highest seq wins. Growth that does not fit to what
 * is known names its item as missing: it has to be fetched, and goes on from there (`item-growth.ts`). What happens to items
 * outside of the stretch is left to the page that brings them (`timeline-window.ts`).
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
import { LayeredMap } from "./layered-map";

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
  /** Whether the server has items before the stretch. */
  more: boolean;
  /** Where the stretch begins; all items from here on are known. */
  oldest: Seq | undefined;
  /** Where the stretch ends; absent when it goes up to the end of the session. */
  newest: Seq | undefined;
  items: LayeredMap<ItemId, Item>;
  turns: ReadonlyMap<TurnId, Turn>;
  /** What is being fetched, or has to be again after the connection was lost. */
  awaited: Awaited;
  /** Items that grow outside of the stretch: what is told of them concerns nobody. */
  elsewhere: ReadonlySet<ItemId>;
  /** The last position that was heard of, and how many items have come to the end of the session since it was opened. */
  last: Seq;
  arrived: number;
};

/** A timeline, which of its items and turns are new, different or gone, and which items have to be fetched from now on. */
export type Update = { timeline: Timeline; items: ItemId[]; turns: TurnId[]; missing: ItemId[] };

export const emptyTimeline: Timeline = {
  seq: 0,
  more: false,
  oldest: undefined,
  newest: undefined,
  items: LayeredMap.of(),
  turns: new Map(),
  awaited: new Map(),
  elsewhere: new Set(),
  last: 0,
  arrived: 0,
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

/**
 * An item was fetched: it takes the place of its shortened form, or of what growth did not fit to. An item that has changed
 * since, or that nobody wants any more, changes nothing.
 */
export function applyWholeItem(timeline: Timeline, whole: UpsertObject): Update {
  const { itemId } = whole;
  const known = timeline.items.get(itemId);
  const isOlder = known !== undefined && (whole.seq ?? known.seq) < known.seq;
  if ((!known || isOlder) && !timeline.awaited.has(itemId)) return unchanged(timeline);
  const item = positioned(whole, known);
  if (!known && isOutside(timeline, item.position)) return turnedOut(timeline, itemId);
  const items = isOlder ? timeline.items : timeline.items.with([[itemId, item]]);
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
export function beginning(page: HistoryPage): Seq | undefined {
  return page.entries[0]?.position;
}

function continues(timeline: Timeline, history: History): boolean {
  return history.mode === "since" && history.epoch === timeline.epoch;
}

function replacedBy(timeline: Timeline, history: History): Update {
  const { epoch, seq, more } = history;
  const start: Timeline = { ...emptyTimeline, epoch, seq, more, oldest: beginning(history) };
  const fresh = merge(start, history.entries, history.turns).timeline;
  return replacing(timeline, { ...fresh, arrived: 0 });
}

/** Another timeline takes the place of this one: everything in either of them is new, different or gone. */
export function replacing(timeline: Timeline, fresh: Timeline): Update {
  return {
    timeline: fresh,
    items: [...new Set([...timeline.items.keys(), ...fresh.items.keys()])],
    turns: [...new Set([...timeline.turns.keys(), ...fresh.turns.keys()])],
    missing: [],
  };
}

function isOutside({ more, oldest, newest }: Timeline, position: Seq): boolean {
  if (newest !== undefined && position > newest) return true;
  return more && oldest !== undefined && position < oldest;
}

/** An item that was awaited lies outside of the stretch. */
function turnedOut(timeline: Timeline, itemId: ItemId): Update {
  const given = applyUnavailable(timeline, itemId).timeline;
  return unchanged({ ...given, elsewhere: new Set(timeline.elsewhere).add(itemId) });
}

function grow(timeline: Timeline, delta: TextDelta): Update {
  const { itemId } = delta;
  if (timeline.elsewhere.has(itemId)) return unchanged(growingElsewhere(timeline, itemId, isGrowing(delta)));
  const known = timeline.items.get(itemId);
  if (known && delta.seq <= known.seq) return unchanged(timeline);
  const kept = timeline.awaited.get(itemId);
  const next = known && !kept ? grown(known, delta) : undefined;
  if (next) {
    return { ...unchanged({ ...timeline, items: timeline.items.with([[itemId, next]]) }), items: [itemId] };
  }
  const awaited = new Map(timeline.awaited).set(itemId, [...(kept ?? []), delta]);
  return { ...unchanged({ ...timeline, awaited }), missing: kept ? [] : [itemId] };
}

/** Items that changed take up the growth that waited for them. */
function settle(timeline: Timeline, changed: ItemId[]): Timeline {
  const waiting = changed.filter((itemId) => timeline.awaited.has(itemId));
  if (waiting.length === 0) return timeline;
  const awaited = new Map(timeline.awaited);
  const settled: [ItemId, Item][] = [];
  for (const itemId of new Set(waiting)) {
    const item = timeline.items.get(itemId);
    if (!item) continue;
    const now = grownBy(item, awaited.get(itemId) ?? []);
    settled.push([itemId, now.item]);
    if (now.left.length > 0) awaited.set(itemId, now.left);
    else awaited.delete(itemId);
  }
  return { ...timeline, items: timeline.items.with(settled), awaited };
}

/** Takes over what is newer than what is known, as far as it belongs to the stretch. */
export function merge(timeline: Timeline, entries: UpsertObject[], events: TurnEvent[]): Update {
  const changed = new Map<ItemId, Item>();
  let next = timeline;
  for (const entry of entries) {
    const known = changed.get(entry.itemId) ?? timeline.items.get(entry.itemId);
    if (!isNewer(entry.seq, known?.seq)) continue;
    const item = positioned(entry, known);
    next = heardOf(next, item);
    const isShown = known !== undefined || !isOutside(timeline, item.position);
    next = growingElsewhere(next, item.itemId, !isShown && isGrowing(item));
    if (isShown) changed.set(item.itemId, item);
  }
  const turns = new Map(events.length === 0 ? [] : timeline.turns);
  const changedTurns = events.filter((event) => mergeTurn(turns, event));
  const merged: Timeline = { ...next, items: timeline.items.with([...changed]) };
  if (changedTurns.length > 0) merged.turns = turns;
  const ids = [...changed.keys()];
  return {
    timeline: settle(merged, ids),
    items: ids,
    turns: changedTurns.map(({ turnId }) => turnId),
    missing: [],
  };
}

function heardOf(timeline: Timeline, { position }: Item): Timeline {
  if (position <= timeline.last) return timeline;
  return { ...timeline, last: position, arrived: timeline.arrived + 1 };
}

function growingElsewhere(timeline: Timeline, itemId: ItemId, grows: boolean): Timeline {
  if (timeline.elsewhere.has(itemId) === grows) return timeline;
  const elsewhere = new Set(timeline.elsewhere);
  if (grows) elsewhere.add(itemId);
  else elsewhere.delete(itemId);
  return { ...timeline, elsewhere };
}

export function isGrowing({ status }: Pick<Item, "status">): boolean {
  return status === "create" || status === "update";
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

export function unchanged(timeline: Timeline): Update {
  return { timeline, items: [], turns: [], missing: [] };
}
