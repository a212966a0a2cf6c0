/** The HTTP API, as far as this page needs it. */
import type {
  AgentInfo,
  CreateSessionRequest,
  DirectoryCompletions,
  ErrorBody,
  HistoryPage,
  ItemId,
  LoggedIn,
  LoginRequest,
  Project,
  ProjectId,
  Seq,
  SessionCreated,
  SessionId,
  SessionListItem,
  Sessions,
  TurnId,
  UpsertObject,
} from "../contract";
import { pageHeaders, rememberPageKey } from "./page-key";

/** An error answer. `status` is 0 when there was no answer at all. */
export class ApiError extends Error {
  readonly status: number;
  readonly code: string;

  constructor(status: number, body: ErrorBody) {
    super(body.message);
    this.name = "ApiError";
    this.status = status;
    this.code = body.code;
  }
}

export async function login(request: LoginRequest): Promise<void> {
  const response = await call("/api/login", {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(request),
  });
  rememberPageKey(((await response.json()) as LoggedIn).pageKey);
}

/** Which agents there are. The server keeps for a while what it found; `anew` makes it look again. */
export function agents(anew: boolean): Promise<AgentInfo[]> {
  return json(anew ? "/api/agents?refresh=true" : "/api/agents");
}

/** Directories that may be projects, from what was written of a path so far. */
export async function directories(prefix: string): Promise<string[]> {
  const query = new URLSearchParams({ prefix });
  return (await json<DirectoryCompletions>(`/api/fs/dirs?${query}`)).dirs;
}

export async function createSession(request: CreateSessionRequest): Promise<SessionCreated> {
  const response = await call("/api/session/create", {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(request),
  });
  return response.json() as Promise<SessionCreated>;
}

export function projects(): Promise<Project[]> {
  return json("/api/projects");
}

export async function sessionsOf(projectId: ProjectId): Promise<SessionListItem[]> {
  const query = new URLSearchParams({ projectId, state: "all" });
  return (await json<Sessions>(`/api/session/list?${query}`)).sessions;
}

export function olderHistory(sessionId: SessionId, before: Seq): Promise<HistoryPage> {
  const query = new URLSearchParams({ before: String(before), limit: "200" });
  return json(`${sessionPath(sessionId)}/history?${query}`);
}

export function wholeItem(sessionId: SessionId, itemId: ItemId): Promise<UpsertObject> {
  return json(`${sessionPath(sessionId)}/item/${encodeURIComponent(itemId)}`);
}

/** Takes a turn that waits out of the queue. */
export async function removeQueued(sessionId: SessionId, turnId: TurnId): Promise<void> {
  await call(`${sessionPath(sessionId)}/queue/${encodeURIComponent(turnId)}`, { method: "DELETE" });
}

/** Wakes a queue that is paused. */
export async function resumeQueue(sessionId: SessionId): Promise<void> {
  await call(`${sessionPath(sessionId)}/queue/resume`, { method: "POST" });
}

export function sessionPath(sessionId: SessionId): string {
  return `/api/session/${encodeURIComponent(sessionId)}`;
}

export async function json<T>(path: string): Promise<T> {
  return (await call(path)).json() as Promise<T>;
}

export async function call(path: string, init?: RequestInit): Promise<Response> {
  const headers = { ...init?.headers, ...pageHeaders() };
  const response = await fetch(path, { ...init, headers, credentials: "same-origin" }).catch(unreachable);
  if (!response.ok) throw await errorOf(response);
  return response;
}

function unreachable(): never {
  throw new ApiError(0, { code: "UNREACHABLE", message: "The server does not answer." });
}

/** Something between us and the server may answer too, and not in our form. */
async function errorOf(response: Response): Promise<ApiError> {
  const unknown = { code: `HTTP_${response.status}`, message: `The server answered ${response.status}.` };
  const body: Partial<ErrorBody> = await response.json().catch(() => ({}));
  return new ApiError(response.status, { ...unknown, ...body });
}
