/** The finds of a search, in the order of the session or by session. Pure. */
import type { ItemId, SearchHit, Seq, SessionId } from "../contract";

/** The server tells at most so many finds. */
export const MOST_HITS = 50;

export type LocalHit = { itemId: ItemId; position: Seq };

/**
 * The items of a session that were found, first to last.
 *
 * `told` is what the server found in it, newest first; it does not look into what still grows, and of much it tells only the
 * newest. `local` is what the page found in the rows that it has, by position.
 */
export function hitsInOrder(
  told: readonly ItemId[],
  local: readonly LocalHit[],
  kept: ReadonlyMap<ItemId, { position: Seq }>,
): ItemId[] {
  const order = [...told].reverse();
  const known = new Set(order);
  for (const { itemId, position } of local) {
    if (known.has(itemId)) continue;
    const next = order.findIndex((other) => (kept.get(other)?.position ?? -1) > position);
    order.splice(next < 0 ? order.length : next, 0, itemId);
    known.add(itemId);
  }
  return order;
}

/** "3 of 12"; what the server has not told is not counted, and that it told nothing is no "nothing". */
export function countText(
  at: number,
  count: number,
  { isCut, hasFailed }: { isCut: boolean; hasFailed: boolean },
): string {
  if (count === 0) return hasFailed ? "Search failed" : "No finds";
  return `${at + 1} of ${count}${isCut || hasFailed ? "+" : ""}`;
}

export type SessionHits = { sessionId: SessionId; hits: SearchHit[] };

/** By session, in the order in which each has its newest find. */
export function bySession(hits: readonly SearchHit[]): SessionHits[] {
  const groups = new Map<SessionId, SearchHit[]>();
  for (const hit of hits) groups.set(hit.sessionId, [...(groups.get(hit.sessionId) ?? []), hit]);
  return Array.from(groups, ([sessionId, found]) => ({ sessionId, hits: found }));
}
