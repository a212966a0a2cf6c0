/** What was looked at, and so which sessions have news: a session that finished something since. Pure. */
import type { SessionId, SessionListItem } from "../contract";
import { keptRecord } from "../dom/kept-value";

export type Seen = {
  /** When this browser began to keep count: what is older was never news here. */
  since: number;
  /** When each session was looked at last. */
  at: Readonly<Record<SessionId, number>>;
};

/** So many are remembered; those that were looked at longest ago are forgotten first. */
const KEPT = 2_000;

export function readSeen(kept: unknown, now: number): Seen {
  const { since, at } = keptRecord(kept);
  const times = Object.entries(keptRecord(at)).filter((entry): entry is [string, number] => {
    return typeof entry[1] === "number";
  });
  return { since: typeof since === "number" ? since : now, at: Object.fromEntries(times) };
}

/** One that is at work or asks has other words for how it stands; one in which nothing has happened has no news. */
export function isUnread(seen: Seen, session: SessionListItem): boolean {
  if (session.archived || session.activity === "running" || session.activity === "permission") return false;
  const active = Date.parse(session.lastActiveAt);
  const seenAt = Object.hasOwn(seen.at, session.sessionId) ? (seen.at[session.sessionId] ?? 0) : seen.since;
  return active > seenAt && active > Date.parse(session.createdAt);
}

/** By the server's clock, which tells when something happened: this one may be ahead of it, or behind. */
export function looked(seen: Seen, session: SessionListItem): Seen {
  const at = { ...seen.at, [session.sessionId]: Date.parse(session.lastActiveAt) };
  const known = Object.entries(at);
  if (known.length <= KEPT) return { since: seen.since, at };
  const newest = known.sort(([, a], [, b]) => b - a);
  // What is forgotten was read: it must not turn to news again.
  const since = Math.max(seen.since, newest[KEPT]?.[1] ?? 0);
  return { since, at: Object.fromEntries(newest.slice(0, KEPT)) };
}
