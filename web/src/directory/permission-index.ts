/** The permissions that wait for an answer. Pure: every function gives back the next index. */
import type { PermissionId, PermissionRequest, SessionId } from "../contract";

export type PermissionIndex = ReadonlyMap<PermissionId, PermissionRequest>;

export function withRequest(index: PermissionIndex, request: PermissionRequest): PermissionIndex {
  return new Map(index).set(request.permissionId, request);
}

export function withoutRequest(index: PermissionIndex, permissionId: PermissionId): PermissionIndex {
  return new Map([...index].filter(([known]) => known !== permissionId));
}

/** A newer one never takes the place of the one that someone is about to answer. */
export function waitingIn(index: PermissionIndex, sessionId: SessionId | undefined): PermissionRequest[] {
  return oldestFirst([...index.values()].filter((request) => request.sessionId === sessionId));
}

/** Every request that waits, the oldest first. */
export function oldestFirst(requests: Iterable<PermissionRequest>): PermissionRequest[] {
  return [...requests]
    .filter((request) => request.resolvedAt === undefined)
    .sort((a, b) => Date.parse(a.askedAt) - Date.parse(b.askedAt));
}
