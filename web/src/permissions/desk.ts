/**
 * What is known of requests besides that they wait: what was answered here, what went wrong with it, what became of them.
 * Pure: every function takes a desk and gives back the next one.
 */
import type { PermissionAnswer, PermissionId, PermissionRequest, SessionId } from "../contract";

/** Only what was taken is known to be what holds: someone else may have been quicker with the same answer. */
export type GivenHere = { answer: PermissionAnswer; isTaken: boolean };

export type Desk = {
  /** Answers that were given here and are on their way, or arrived. */
  answers: ReadonlyMap<PermissionId, GivenHere>;
  /** Those of them that cannot be given again. */
  sent: ReadonlySet<PermissionId>;
  /** Why an answer did not arrive. */
  problems: ReadonlyMap<PermissionId, string>;
  /** What is over, by its id. */
  decided: ReadonlyMap<PermissionId, PermissionRequest>;
};

/** So many decisions are remembered; of more the oldest are forgotten. */
export const REMEMBERED = 500;

export const emptyDesk: Desk = {
  answers: new Map(),
  sent: new Set(),
  problems: new Map(),
  decided: new Map(),
};

export function answeredHere(desk: Desk, permissionId: PermissionId, answer: PermissionAnswer): Desk {
  return {
    ...desk,
    answers: new Map(desk.answers).set(permissionId, { answer, isTaken: false }),
    sent: new Set(desk.sent).add(permissionId),
    problems: without(desk.problems, permissionId),
  };
}

/** The server says that this answer is the one that holds. */
export function taken(desk: Desk, permissionId: PermissionId): Desk {
  const given = desk.answers.get(permissionId);
  if (!given) return desk;
  const answers = new Map(desk.answers).set(permissionId, { ...given, isTaken: true });
  return { ...desk, answers };
}

export function refused(desk: Desk, permissionId: PermissionId, reason: string): Desk {
  return {
    ...desk,
    answers: without(desk.answers, permissionId),
    sent: omitted(desk.sent, permissionId),
    problems: new Map(desk.problems).set(permissionId, reason),
  };
}

/** A lost connection may have taken answers with it: they can be given again. */
export function reconnected(desk: Desk): Desk {
  return { ...desk, sent: new Set(), problems: new Map() };
}

/** Requests that are over, from wherever it is known. */
export function decided(desk: Desk, ...requests: PermissionRequest[]): Desk {
  const known = new Map(desk.decided);
  for (const request of requests) if (request.outcome !== undefined) known.set(request.permissionId, request);
  const newest = [...known.values()].sort(lastFirst).slice(0, REMEMBERED);
  return { ...desk, decided: new Map(newest.map((request) => [request.permissionId, request])) };
}

/** The last decided first. */
export function decisions(desk: Desk): PermissionRequest[] {
  return [...desk.decided.values()].sort(lastFirst);
}

export function decisionsOf(desk: Desk, sessionId: SessionId | undefined): PermissionRequest[] {
  return [...desk.decided.values()].filter((request) => request.sessionId === sessionId);
}

function lastFirst(a: PermissionRequest, b: PermissionRequest): number {
  return Date.parse(b.resolvedAt ?? b.askedAt) - Date.parse(a.resolvedAt ?? a.askedAt);
}

function without<Value>(
  map: ReadonlyMap<PermissionId, Value>,
  gone: PermissionId,
): ReadonlyMap<PermissionId, Value> {
  return new Map([...map].filter(([known]) => known !== gone));
}

function omitted(set: ReadonlySet<PermissionId>, gone: PermissionId): ReadonlySet<PermissionId> {
  return new Set([...set].filter((known) => known !== gone));
}
