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

/** Where a row would be put that is let go at `y`, by the middles of all rows. */
export function placeAt(middles: number[], from: number, y: number): number {
  const above = middles.filter((middle, at) => at !== from && middle < y).length;
  return above;
}
