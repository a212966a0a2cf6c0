/** The order in which a transcript shows items and the lines that tell how turns stand. */
import type { ItemId, Seq, TurnId } from "../contract";
import { homeOf } from "./family";
import type { Item, Timeline, Turn } from "./timeline";

export type Row = { kind: "item"; id: ItemId; at: Seq } | { kind: "turn"; id: TurnId; at: Seq };

/**
 * Items by position; an ended turn's line where it ended; a running turn's line at the very end.
 *
 * A message that waited for its turn has the position of its sending, in the midst of what ran then: it is shown where its
 * turn began. Those of turns that still wait (`queued`) are left out; they are shown after everything else. So is the work of
 * subagents, which stands inside of the calls that run them. Only what lies in the stretch that is kept has a row.
 */
export function rows(timeline: Timeline, queued: ReadonlySet<TurnId> = new Set()): Row[] {
  const isInside = insideOf(timeline);
  const shown = [...timeline.items.values()].filter((item) => !queued.has(item.turnId) && !isInside(item));
  const items = shown.map((item): Row => {
    return { kind: "item", id: item.itemId, at: placeOf(item, timeline.turns.get(item.turnId)) };
  });
  const turns = [...timeline.turns.values()].filter(hasLine).map((turn): Row => {
    return { kind: "turn", id: turn.turnId, at: turnPlace(turn) };
  });
  const first = (timeline.more ? timeline.oldest : undefined) ?? 0;
  const last = timeline.newest ?? Number.POSITIVE_INFINITY;
  return [...items, ...turns].filter(({ at }) => at >= first && at <= last).sort(byPlace);
}

function insideOf({ items }: Timeline): (item: Item) => boolean {
  return (item) => item.parentItemId !== undefined && homeOf(items, item.itemId) !== item.itemId;
}

function rowKey(row: Pick<Row, "kind" | "id">): string {
  return `${row.kind} ${row.id}`;
}

export function placeOf(item: Item, turn: Turn | undefined): Seq {
  const isPrompt = item.type === "message" && item.origin === "user";
  return isPrompt ? Math.max(item.position, turn?.started?.seq ?? 0) : item.position;
}

/** Where a turn's line stands. */
export function turnPlace(turn: Turn): Seq {
  return turn.ended?.seq ?? Number.POSITIVE_INFINITY;
}

/** A turn that was folded into another one runs and ends with that one; its own running line would say it twice. */
function hasLine(turn: Turn): boolean {
  return turn.ended !== undefined || turn.started?.joinedTurnId === undefined;
}

function byPlace(a: Row, b: Row): number {
  if (a.at !== b.at) return a.at < b.at ? -1 : 1;
  return rowKey(a) < rowKey(b) ? -1 : 1;
}
