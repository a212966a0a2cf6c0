/** The sessions of all projects. Pure: every function gives back the next index. */
import type { SessionId, SessionListItem, SessionStatus } from "../contract";

export type SessionIndex = ReadonlyMap<SessionId, SessionListItem>;

export function withSession(index: SessionIndex, session: SessionListItem): SessionIndex {
  return withSessions(index, [session]);
}

export function withSessions(index: SessionIndex, sessions: SessionListItem[]): SessionIndex {
  return new Map([...index, ...sessions.map((session) => [session.sessionId, session] as const)]);
}

/** A list may be newer than a status that was told before it: what happened last counts. */
export function withStatus(index: SessionIndex, status: SessionStatus): SessionIndex {
  const known = index.get(status.sessionId);
  if (!known) return index;
  const isNewer = Date.parse(status.lastActiveAt) > Date.parse(known.lastActiveAt);
  const { lastActiveAt } = isNewer ? status : known;
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
