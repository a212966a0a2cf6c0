/** Finds the nearest message of a person in what is not kept, page by page. */
import type { HistoryPage, ItemId, Seq, SessionId, UpsertObject } from "../contract";
import { historyPage } from "../server/api";

const LARGEST = 500;
/** Nobody looks further than this by one press of a key. */
const PAGES = 20;

export async function nearestPrompt(
  sessionId: SessionId,
  from: Seq,
  direction: "before" | "after",
): Promise<ItemId | undefined> {
  let at: Seq | undefined = from;
  for (let asked = 0; asked < PAGES && at !== undefined; asked += 1) {
    const page: HistoryPage = await historyPage(sessionId, LARGEST, { [direction]: at });
    const found = direction === "before" ? page.entries.findLast(isPrompt) : page.entries.find(isAfter(from));
    if (found) return found.itemId;
    const next: Seq | undefined = direction === "before" ? page.entries[0]?.position : page.seq;
    at = page.more ? next : undefined;
  }
  return undefined;
}

export function isPrompt(item: UpsertObject): boolean {
  return item.type === "message" && item.origin === "user";
}

/** What changed after a place may stand before it. */
function isAfter(from: Seq): (item: UpsertObject) => boolean {
  return (item) => isPrompt(item) && (item.position ?? 0) > from;
}
