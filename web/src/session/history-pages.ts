/** Stretches of a session's history: its end, its beginning, and what lies before, after or around a place. */
import type { HistoryPage, ItemId, Seq, SessionId } from "../contract";
import { historyPage, wholeItem } from "../server/api";
import type { Stretch } from "../timeline/timeline-window";

/** Items of a page; a screen or two of them have to be there before the reader is. */
export const PAGE = 100;
/** How many items a page may have at most. */
const LARGEST = 500;

export function pageBefore(sessionId: SessionId, before: Seq): Promise<HistoryPage> {
  return historyPage(sessionId, PAGE, { before });
}

export async function lastPage(sessionId: SessionId): Promise<Stretch> {
  const page = await historyPage(sessionId, 2 * PAGE);
  return { ...page, oldest: page.entries[0]?.position, newest: undefined };
}

export async function firstPage(sessionId: SessionId): Promise<Stretch> {
  return { ...(await pageAfter(sessionId, 0)), more: false };
}

/**
 * What follows a position, without a gap.
 *
 * The server pages forward by the order of changes, which is not that of positions: it only tells how far to go, and what
 * lies before that is the page.
 */
export async function pageAfter(sessionId: SessionId, position: Seq): Promise<Stretch> {
  const ahead = await historyPage(sessionId, PAGE, { after: position });
  let newest = ahead.more ? ahead.seq : undefined;
  let page = await historyPage(sessionId, LARGEST, { before: ahead.seq + 1 });
  while (!reaches(page, position)) {
    const before = page.entries[0]?.position ?? 0;
    newest = before - 1;
    page = await historyPage(sessionId, LARGEST, { before });
  }
  const entries = page.entries.filter((entry) => (entry.position ?? 0) > position);
  const seq = Math.min(ahead.seq, page.seq);
  return { ...page, seq, entries, oldest: entries[0]?.position, newest };
}

/** What lies between two positions, in pages, the newest first. */
export async function* pagesBetween(sessionId: SessionId, from: Seq, to: Seq): AsyncGenerator<HistoryPage> {
  for (let before = to + 1; ; ) {
    const page = await historyPage(sessionId, LARGEST, { before });
    yield page;
    if (reaches(page, from)) return;
    before = page.entries[0]?.position ?? 0;
  }
}

/** The stretch that has an item in its midst. */
export async function pageAround(sessionId: SessionId, itemId: ItemId): Promise<Stretch> {
  const { position = 0 } = await wholeItem(sessionId, itemId);
  const until = await pageBefore(sessionId, position + 1);
  const after = await pageAfter(sessionId, position);
  return {
    ...after,
    // Another numbering began between the two: then they do not belong together, and nothing here is of use.
    epoch: until.epoch === after.epoch ? after.epoch : "",
    seq: Math.min(until.seq, after.seq),
    more: until.more,
    entries: [...until.entries, ...after.entries],
    turns: [...until.turns, ...after.turns],
    oldest: until.entries[0]?.position,
  };
}

function reaches(page: HistoryPage, position: Seq): boolean {
  return !page.more || (page.entries[0]?.position ?? 0) <= position;
}
