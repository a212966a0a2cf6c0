/**
 * What has happened that someone who does not look at the page would want to know.
 *
 * Only what is different from what was known is news. A session that nobody knew of before, as after the first load, has no
 * news, and what is told again after a reconnect has none either. Pure.
 */
import type { PermissionRequest, SessionId, SessionListItem } from "../contract";
import { type Directory, permissionsOf, sessionOf, sessionsOf } from "../directory/directory";
import { visibleLine, visibleName } from "../text/visible-text";

export type Notice = {
  sessionId: SessionId;
  kind: "finished" | "failed" | "asks";
  /** The name of the session. */
  title: string;
  text: string;
};

export type Circumstances = {
  isHidden: boolean;
  /** Sessions that shall not tell anything. */
  muted: ReadonlySet<SessionId>;
};

export function whatToTell(
  before: Directory,
  after: Directory,
  { isHidden, muted }: Circumstances,
): Notice[] {
  return isHidden ? newsIn(before, after, muted) : [];
}

export function newsIn(before: Directory, after: Directory, muted: ReadonlySet<SessionId>): Notice[] {
  if (before === after) return [];
  const asked = before.permissions === after.permissions ? new Map() : newRequests(before, after);
  return [...changed(before, after, asked)].flatMap((sessionId) => {
    const was = sessionOf(before, sessionId);
    const is = sessionOf(after, sessionId);
    if (!was || !is || muted.has(sessionId)) return [];
    return newsOf(was, is, asked.get(sessionId) ?? []);
  });
}

/** Only these can have news: with many sessions that all are told, looking at each of them each time would take long. */
function changed(
  before: Directory,
  after: Directory,
  asked: ReadonlyMap<SessionId, unknown>,
): Set<SessionId> {
  const found = new Set(asked.keys());
  if (before.sessions !== after.sessions)
    for (const [id, session] of after.sessions) if (before.sessions.get(id) !== session) found.add(id);
  // Whether one asks is known by its requests, too.
  for (const [id, { sessionId }] of before.permissions) if (!after.permissions.has(id)) found.add(sessionId);
  return found;
}

function newsOf(was: SessionListItem, is: SessionListItem, asked: PermissionRequest[]): Notice[] {
  const tell = (kind: Notice["kind"], text: string): Notice[] => [
    { sessionId: is.sessionId, kind, title: visibleName(is.title), text: visibleLine(text) },
  ];
  const [question] = asked;
  if (question) return tell("asks", `Needs your answer: ${question.title}`);
  if (isAtWork(is)) return [];
  const hasEnded = isAtWork(was) || isLater(was, is);
  if (is.activity === "error") return hasEnded || was.activity !== "error" ? tell("failed", "Failed") : [];
  if (!hasEnded) return [];
  return is.status === "dead" ? tell("failed", "Ended before it was done") : tell("finished", "Finished");
}

/** Something happened although neither is at work: a turn began and ended between the two. */
function isLater(was: SessionListItem, is: SessionListItem): boolean {
  return Date.parse(is.lastActiveAt) > Date.parse(was.lastActiveAt);
}

/** By session, the oldest first. */
function newRequests(before: Directory, after: Directory): Map<SessionId, PermissionRequest[]> {
  const fresh = [...after.permissions.values()].filter(
    ({ permissionId }) => !before.permissions.has(permissionId),
  );
  return new Map(
    fresh.map(({ sessionId }) => {
      const asked = permissionsOf(after, sessionId);
      return [sessionId, asked.filter(({ permissionId }) => !before.permissions.has(permissionId))];
    }),
  );
}

function isAtWork({ status, activity }: SessionListItem): boolean {
  return status !== "dead" && (activity === "running" || activity === "permission");
}

/** How many sessions wait for the reader; those that are muted do so quietly. */
export function waitingCount(directory: Directory, isMuted: (sessionId: SessionId) => boolean): number {
  return sessionsOf(directory).filter(
    ({ activity, archived, sessionId }) => activity === "permission" && !archived && !isMuted(sessionId),
  ).length;
}

export function titleWithCount(title: string, waiting: number): string {
  return waiting === 0 ? title : `(${waiting}) ${title}`;
}
