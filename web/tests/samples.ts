/** The smallest values that are valid, for tests to change. */
import type {
  PermissionRequest,
  Seq,
  SessionListItem,
  SessionStatus,
  TurnEvent,
  UpsertObject,
} from "../src/contract";
import type { History } from "../src/timeline/timeline";

const TIME = "2026-01-01T00:00:00.000Z";

export function message(itemId: string, seq: Seq, position: Seq, content = ""): UpsertObject {
  return { ...base(itemId, seq, position), type: "message", content, origin: "agent" };
}

export function thinking(itemId: string, seq: Seq, position: Seq, content = ""): UpsertObject {
  return { ...base(itemId, seq, position), type: "thinking", content, providerId: "provider" };
}

export function started(turnId: string, seq: Seq): TurnEvent {
  return {
    type: "turn_started",
    turnId,
    sessionId: "s",
    modelId: "model",
    providerId: "provider",
    seq,
    at: TIME,
  };
}

export function completed(turnId: string, seq: Seq): TurnEvent {
  return { type: "turn_complete", turnId, sessionId: "s", status: "completed", seq, at: TIME };
}

export function history(part: Partial<History>): History {
  return { epoch: "e", seq: 0, mode: "full", entries: [], turns: [], more: false, ...part };
}

export function session(sessionId: string, part: Partial<SessionListItem> = {}): SessionListItem {
  return {
    sessionId,
    projectId: "p",
    cliType: "external",
    title: sessionId,
    status: "open",
    activity: "idle",
    createdAt: TIME,
    lastActiveAt: TIME,
    archived: false,
    source: "created",
    ...part,
  };
}

export function status(sessionId: string, part: Partial<SessionStatus> = {}): SessionStatus {
  const idle = { isAlive: true, state: "open", activity: "idle", lastActiveAt: TIME } as const;
  return { sessionId, cliType: "external", ...idle, queued: [], backgroundTasks: [], allowed: [], ...part };
}

function base(itemId: string, seq: Seq, position: Seq) {
  const at = { sourceTimestamp: TIME, emittedAt: TIME, startedAt: TIME };
  return { itemId, turnId: "t", sessionId: "s", status: "update", seq, position, ...at } as const;
}

export function permission(permissionId: string, part: Partial<PermissionRequest> = {}): PermissionRequest {
  const options: PermissionRequest["options"] = [
    { optionId: "yes", name: "Allow", kind: "allow_once" },
    { optionId: "no", name: "Reject", kind: "reject_once" },
  ];
  return { permissionId, sessionId: "s", title: "Run", options, askedAt: TIME, ...part };
}
