/**
 * Which stretch of a session is kept: pages join it at either end, and what is far from the reader is let go.
 *
 * A page is as old as its request. What was told meanwhile of items that were not kept then has to be told once more after
 * it (`open-session.ts`); for all others a second time changes nothing. Pure.
 */
import type { HistoryPage, ItemId, Seq, TurnId } from "../contract";
import { homeOf } from "./family";
import { LayeredMap } from "./layered-map";
import {
  beginning,
  type History,
  type Item,
  isGrowing,
  merge,
  replacing,
  type Timeline,
  type Turn,
  type Update,
  unchanged,
} from "./timeline";
import { placeOf, rows, turnPlace } from "./timeline-rows";

/** A page with where it begins and ends. `newest` is absent when it goes up to the end of the session. */
export type Stretch = HistoryPage & { oldest: Seq | undefined; newest: Seq | undefined };

/** Adds an older page. The cursor stays: what the page tells of newer changes is still to be delivered. */
export function applyOlderPage(timeline: Timeline, page: HistoryPage): Update {
  if (page.epoch !== timeline.epoch) return unchanged(timeline);
  const oldest = page.entries[0]?.position ?? timeline.oldest;
  return merge({ ...timeline, more: page.more, oldest }, page.entries, page.turns);
}

/** Adds what follows the end of the stretch. */
export function applyNewerPage(timeline: Timeline, page: Stretch): Update {
  if (page.epoch !== timeline.epoch) return unchanged(timeline);
  return merge({ ...timeline, newest: page.newest }, page.entries, page.turns);
}

/** Whether a history can stand beside what is kept: of the same numbering, and with all that is known here. */
export function continuesBeside(timeline: Timeline, history: History): boolean {
  return history.epoch === timeline.epoch && history.seq >= timeline.seq && timeline.items.size > 0;
}

/**
 * The newest of the session comes to a reader who is elsewhere in it: the stretch stays as it is. It goes on up to the end where
 * the history adjoins it, else it ends where it was known to and the rest is left to pages. What changed in it meanwhile is for
 * `open-session.ts` to fetch.
 */
export function applyBeside(timeline: Timeline, history: History): Update {
  const isEnd = timeline.newest === undefined && adjoins(history, timeline.seq);
  // Up to its seq everything is known, also the lines of turns that ended after the last item.
  const newest = isEnd ? undefined : (timeline.newest ?? timeline.seq);
  const update = merge({ ...timeline, newest }, history.entries, history.turns);
  // The line of a turn that runs stands at the end of the session, which may not be the end of the stretch any more.
  const turns = [...update.timeline.turns.keys()];
  return { ...update, timeline: { ...update.timeline, seq: history.seq }, turns };
}

function adjoins(history: HistoryPage, seq: Seq): boolean {
  return !history.more || (beginning(history) ?? Number.POSITIVE_INFINITY) <= seq + 1;
}

/** A page of what is in the stretch already, as it is by now. */
export function applyRefreshed(timeline: Timeline, page: HistoryPage): Update {
  return page.epoch === timeline.epoch ? merge(timeline, page.entries, page.turns) : unchanged(timeline);
}

/** Another stretch of the same session takes the place of this one. */
export function applyStretch(timeline: Timeline, page: Stretch): Update {
  if (page.epoch !== timeline.epoch) return unchanged(timeline);
  const { more, oldest, newest } = page;
  const { seq, last, arrived } = timeline;
  const start: Timeline = { ...timeline, ...NOTHING, more, oldest, newest };
  const fresh = merge(start, page.entries, page.turns).timeline;
  return replacing(timeline, { ...fresh, seq, last: Math.max(last, fresh.last), arrived });
}

const NOTHING: Pick<Timeline, "items" | "turns" | "awaited" | "elsewhere"> = {
  items: LayeredMap.of(),
  turns: new Map(),
  awaited: new Map(),
  elsewhere: new Set(),
};

/** Lets go of what lies outside of these places. Where one is absent, that end stays as it is. */
export function applyBounds(timeline: Timeline, first: Seq | undefined, to: Seq | undefined): Update {
  const from = first === undefined ? undefined : withParents(timeline, first);
  const bounds = {
    more: timeline.more || from !== undefined,
    oldest: from ?? timeline.oldest,
    newest: to ?? timeline.newest,
  };
  const dropped = new Set<ItemId>();
  const elsewhere = new Set(timeline.elsewhere);
  for (const item of timeline.items.values()) {
    if (!isLetGo(item, timeline, from, to)) continue;
    dropped.add(item.itemId);
    if (isGrowing(item)) elsewhere.add(item.itemId);
  }
  const items = [...timeline.items].filter(([id]) => !dropped.has(id));
  const turnIds = new Set(items.map(([, item]) => item.turnId));
  const gone = [...timeline.turns.values()].filter((turn) => isOver(turn, turnIds, from, to));
  const goneIds = new Set(gone.map(({ turnId }) => turnId));
  return {
    timeline: {
      ...timeline,
      ...bounds,
      elsewhere,
      items: LayeredMap.of(items),
      turns: new Map([...timeline.turns].filter(([id]) => !goneIds.has(id))),
      awaited: new Map([...timeline.awaited].filter(([id]) => !dropped.has(id))),
    },
    items: [...dropped],
    // Their lines may be out of sight now although they are still known.
    turns: [...timeline.turns.keys()],
    missing: [],
  };
}

/** Keeps only the newest rows, for a session that was just opened. */
export function newestRows(update: Update, count: number): Update {
  const shown = rows(update.timeline);
  const first = shown.at(-count);
  if (shown.length <= count || !first || first.at === Number.POSITIVE_INFINITY) return update;
  const { timeline } = applyBounds(update.timeline, first.at, undefined);
  return { ...update, timeline };
}

/** A call stays with the work of its subagents: without it each of their steps would be a row of its own. */
function withParents(timeline: Timeline, first: Seq): Seq {
  const { items, turns } = timeline;
  let from = first;
  for (const item of [...items.values()].sort((a, b) => b.position - a.position)) {
    if (item.parentItemId === undefined || item.position < from) continue;
    const home = items.get(homeOf(items, item.itemId));
    if (home) from = Math.min(from, placeOf(home, turns.get(home.turnId)));
  }
  return from;
}

/** A message that waited stands at a later place than its position: it is known as long as either is in the stretch. */
function isLetGo(item: Item, { turns }: Timeline, from: Seq | undefined, to: Seq | undefined): boolean {
  if (to !== undefined && item.position > to) return true;
  return from !== undefined && placeOf(item, turns.get(item.turnId)) < from;
}

function isOver(turn: Turn, shown: ReadonlySet<TurnId>, from: Seq | undefined, to: Seq | undefined): boolean {
  const place = turnPlace(turn);
  if (shown.has(turn.turnId) || turn.ended === undefined) return false;
  return (from !== undefined && place < from) || (to !== undefined && place > to);
}
