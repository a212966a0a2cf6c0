/** The sessions of all projects. Pure: every function gives back the next index. */
import type { SessionId, SessionListItem, SessionStatus } from "../contract";

export type SessionIndex = ReadonlyMap<SessionId, SessionListItem>;

export function withSession(index: SessionIndex, session: SessionListItem): SessionIndex {
  return withSessions(index, [session]);
}

export function withSessions(index: SessionIndex, sessions: SessionListItem[]): SessionIndex {
  return new Map([...index, ...sessions.map((session) => [session.sessionId, session] as const)]);
}

/** A status tells no time: where `now` is given, a change of activity counts as activity now. */
export function withStatus(index: SessionIndex, status: SessionStatus, now?: Date): SessionIndex {
  const known = index.get(status.sessionId);
  if (!known) return index;
  const isActive = now !== undefined && known.activity !== status.activity;
  const lastActiveAt = isActive ? now.toISOString() : known.lastActiveAt;
  return withSession(index, { ...known, status: status.state, activity: status.activity, lastActiveAt });
}

export function withChange(
  index: SessionIndex,
  sessionId: SessionId,
  change: Partial<Pick<SessionListItem, "title" | "archived">>,
): SessionIndex {
  const known = index.get(sessionId);
  return known ? withSession(index, { ...known, ...change }) : index;
}

export function newestFirst(index: SessionIndex): SessionListItem[] {
  return [...index.values()].sort((a, b) => Date.parse(b.lastActiveAt) - Date.parse(a.lastActiveAt));
}
