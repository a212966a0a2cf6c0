/** All items of a turn, also those that are not on the page. */
import type { SessionId, UpsertObject } from "../contract";
import { historyPage } from "../server/api";
import type { Turn } from "../timeline/timeline";

const LARGEST = 500;
/** Longer turns are told by their last part. */
const PAGES = 6;

/** `isWhole`: whether its beginning is among them. */
export type TurnItems = { items: UpsertObject[]; isWhole: boolean };

export async function itemsOfTurn(sessionId: SessionId, turn: Turn): Promise<TurnItems> {
  const first = turn.started?.seq ?? 0;
  const found: UpsertObject[] = [];
  let before = turn.ended?.seq;
  for (let asked = 0; asked < PAGES; asked += 1) {
    const page = await historyPage(sessionId, LARGEST, before === undefined ? {} : { before });
    found.unshift(...page.entries.filter(({ turnId }) => turnId === turn.turnId));
    before = page.entries[0]?.position;
    if (!page.more || before === undefined || before < first) return { items: found, isWhole: true };
  }
  return { items: found, isWhole: false };
}
