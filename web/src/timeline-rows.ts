/** The order in which a transcript shows items and the lines that tell how turns stand. */
import type { ItemId, Seq, TurnId } from "./contract";
import type { Timeline, Turn } from "./timeline";

export type Row = { kind: "item"; id: ItemId; at: Seq } | { kind: "turn"; id: TurnId; at: Seq };

/** Items by position; an ended turn's line where it ended; a running turn's line at the very end. */
export function rows(timeline: Timeline): Row[] {
  const items = Array.from(timeline.items.values(), (item): Row => {
    return { kind: "item", id: item.itemId, at: item.position };
  });
  const turns = [...timeline.turns.values()].filter(hasLine).map((turn): Row => {
    return { kind: "turn", id: turn.turnId, at: turn.ended?.seq ?? Number.POSITIVE_INFINITY };
  });
  return [...items, ...turns].sort(byPlace);
}

export function rowKey(row: Pick<Row, "kind" | "id">): string {
  return `${row.kind} ${row.id}`;
}

/** A turn that was folded into another one runs and ends with that one; its own running line would say it twice. */
function hasLine(turn: Turn): boolean {
  return turn.ended !== undefined || turn.started?.joinedTurnId === undefined;
}

function byPlace(a: Row, b: Row): number {
  if (a.at !== b.at) return a.at < b.at ? -1 : 1;
  return rowKey(a) < rowKey(b) ? -1 : 1;
}
