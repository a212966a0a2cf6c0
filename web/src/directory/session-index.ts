/** The sessions of all projects. Pure: every function gives back the next index. */
import type { SessionId, SessionListItem, SessionStatus } from "../contract";

export type SessionIndex = ReadonlyMap<SessionId, SessionListItem>;

export function withSession(index: SessionIndex, session: SessionListItem): SessionIndex {
  return withSessions(index, [session]);
}

export function withSessions(index: SessionIndex, sessions: SessionListItem[]): SessionIndex {
  return new Map([...index, ...sessions.map((session) => [session.sessionId, session] as const)]);
}

export function withStatus(index: SessionIndex, status: SessionStatus): SessionIndex {
  return withStatuses(index, [status]);
}

export function withStatuses(index: SessionIndex, statuses: SessionStatus[]): SessionIndex {
  const changed = statuses.flatMap((status) => {
    const known = index.get(status.sessionId);
    return known ? [standing(known, status)] : [];
  });
  return changed.length === 0 ? index : withSessions(index, changed);
}

/** A list may be newer than a status that was told before it: what happened last counts. */
function standing(known: SessionListItem, status: SessionStatus): SessionListItem {
  const isNewer = Date.parse(status.lastActiveAt) > Date.parse(known.lastActiveAt);
  const { lastActiveAt } = isNewer ? status : known;
  return { ...known, status: status.state, activity: status.activity, lastActiveAt };
}

export function withChange(
  index: SessionIndex,
  sessionId: SessionId,
  change: Partial<Pick<SessionListItem, "title" | "archived">>,
): SessionIndex {
  const known = index.get(sessionId);
  return known ? withSession(index, { ...known, ...change }) : index;
}

/** An index never changes, and its order is asked for with every frame. */
const orders = new WeakMap<SessionIndex, readonly SessionListItem[]>();

export function newestFirst(index: SessionIndex): readonly SessionListItem[] {
  const known = orders.get(index);
  if (known) return known;
  const times = new Map([...index.values()].map((session) => [session, Date.parse(session.lastActiveAt)]));
  const timeOf = (session: SessionListItem) => times.get(session) ?? 0;
  const order = [...index.values()].sort((a, b) => timeOf(b) - timeOf(a));
  orders.set(index, order);
  return order;
}
