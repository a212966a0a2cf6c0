/** How an order is made of single moves: the server puts a turn right before another one. Pure. */
import type { TurnId } from "../contract";

export type Move = { turnId: TurnId; before: TurnId };

/** What to ask for so that `turnId` stands at `to` afterwards. Last is where the one that was last is put before it. */
export function movesTo(order: TurnId[], turnId: TurnId, to: number): Move[] {
  const from = order.indexOf(turnId);
  const rest = order.filter((one) => one !== turnId);
  const target = Math.max(0, Math.min(to, rest.length));
  if (from < 0 || from === target) return [];
  const before = rest[target];
  if (before !== undefined) return [{ turnId, before }];
  const last = rest.at(-1);
  if (last === undefined) return [];
  const swap = { turnId: last, before: turnId };
  return from === order.length - 2 ? [swap] : [{ turnId, before: last }, swap];
}

/** A place beside another one. By its id: what stands before it may begin until the row is let go. */
export type Beside = { turnId: TurnId; side: "before" | "after" };

/** Beside which one a row would be put that is let go at `y`; nowhere if it would stay. */
export function besideAt(order: TurnId[], middles: number[], turnId: TurnId, y: number): Beside | undefined {
  const from = order.indexOf(turnId);
  const to = placeAt(middles, from, y);
  const other = order[to];
  if (from < 0 || to === from || other === undefined) return undefined;
  return { turnId: other, side: to < from ? "before" : "after" };
}

/** Which place that is by now; none if that one does not wait any more. */
export function placeBeside(order: TurnId[], turnId: TurnId, beside: Beside): number | undefined {
  const at = order.filter((one) => one !== turnId).indexOf(beside.turnId);
  if (at < 0) return undefined;
  return beside.side === "before" ? at : at + 1;
}

/** Where a row would be put that is let go at `y`, by the middles of all rows. */
export function placeAt(middles: number[], from: number, y: number): number {
  const above = middles.filter((middle, at) => at !== from && middle < y).length;
  return above;
}
