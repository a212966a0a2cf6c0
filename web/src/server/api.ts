/** The HTTP API, as far as this page needs it. */
import type {
  AgentInfo,
  CancelRequest,
  CreateSessionRequest,
  DirectoryCompletions,
  ErrorBody,
  FileCompletions,
  HistoryPage,
  ItemId,
  LoggedIn,
  LoginRequest,
  ModeId,
  ModelId,
  PermissionRequest,
  Project,
  ProjectId,
  QueuePatch,
  SearchHit,
  SearchResults,
  SendRequest,
  Seq,
  SessionCreated,
  SessionId,
  SessionListItem,
  SessionOptions,
  SessionSent,
  Sessions,
  TaskId,
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
  rememberPageKey((await bodyOf<LoggedIn>(await post("/api/login", request))).pageKey);
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
  return bodyOf(await post("/api/session/create", request));
}

export function projects(): Promise<Project[]> {
  return json("/api/projects");
}

export async function sessionsOf(projectId: ProjectId): Promise<SessionListItem[]> {
  const query = new URLSearchParams({ projectId, state: "all" });
  return (await json<Sessions>(`/api/session/list?${query}`)).sessions;
}

/** A page of what lies before a position, of what changed after a seq, or of the newest. */
export function historyPage(
  sessionId: SessionId,
  limit: number,
  part: { before: Seq } | { after: Seq } | Record<never, never> = {},
): Promise<HistoryPage> {
  const asked = Object.entries(part).map(([name, at]) => [name, String(at)]);
  const query = new URLSearchParams([...asked, ["limit", String(limit)]]);
  return json(`${sessionPath(sessionId)}/history?${query}`);
}

/** The newest items that have all of the words: of one session, or of all. */
export async function search(words: string, sessionId?: SessionId): Promise<SearchHit[]> {
  const query = new URLSearchParams({ q: words, ...(sessionId !== undefined && { sessionId }) });
  return (await json<SearchResults>(`/api/search?${query}`)).hits;
}

export function wholeItem(sessionId: SessionId, itemId: ItemId): Promise<UpsertObject> {
  return json(`${sessionPath(sessionId)}/item/${encodeURIComponent(itemId)}`);
}

/** What agents asked and is over, the last asked first: of one session, or of all. */
export function decisions(sessionId?: SessionId): Promise<PermissionRequest[]> {
  const query = sessionId === undefined ? { limit: "200" } : { sessionId, limit: "500" };
  return json(`/api/decisions?${new URLSearchParams(query)}`);
}

/** Takes a turn that waits out of the queue. */
export async function removeQueued(sessionId: SessionId, turnId: TurnId): Promise<void> {
  await call(`${sessionPath(sessionId)}/queue/${encodeURIComponent(turnId)}`, { method: "DELETE" });
}

/** Wakes a queue that is paused. */
export async function resumeQueue(sessionId: SessionId): Promise<void> {
  await call(`${sessionPath(sessionId)}/queue/resume`, { method: "POST" });
}

/** Sends a message with what the socket does not carry. */
export async function sendMessage(sessionId: SessionId, request: SendRequest): Promise<SessionSent> {
  return bodyOf(await post(`${sessionPath(sessionId)}/send`, request));
}

export async function changeQueued(sessionId: SessionId, turnId: TurnId, patch: QueuePatch): Promise<void> {
  await call(`${sessionPath(sessionId)}/queue/${encodeURIComponent(turnId)}`, {
    method: "PATCH",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(patch),
  });
}

/** Stops this turn and no other; answered once it has ended. */
export async function cancelTurn(sessionId: SessionId, request: CancelRequest): Promise<void> {
  await post(`${sessionPath(sessionId)}/cancel`, request);
}

/** Ends the agent and all it started. */
export async function endAgent(sessionId: SessionId): Promise<void> {
  await call(`${sessionPath(sessionId)}/kill`, { method: "POST" });
}

/** Starts the session's agent, if none runs. */
export async function startAgent(sessionId: SessionId): Promise<void> {
  await call(`${sessionPath(sessionId)}/load`, { method: "POST" });
}

export async function stopTask(sessionId: SessionId, taskId: TaskId): Promise<void> {
  await call(`${sessionPath(sessionId)}/task/${encodeURIComponent(taskId)}/stop`, { method: "POST" });
}

export function sessionOptions(sessionId: SessionId): Promise<SessionOptions> {
  return json(`${sessionPath(sessionId)}/options`);
}

export async function setMode(sessionId: SessionId, modeId: ModeId): Promise<SessionOptions> {
  return bodyOf(await post(`${sessionPath(sessionId)}/mode`, { modeId }));
}

export async function setModel(sessionId: SessionId, modelId: ModelId): Promise<SessionOptions> {
  return bodyOf(await post(`${sessionPath(sessionId)}/model`, { modelId }));
}

/** Files of the session's project, by what was written of a name so far. */
export async function projectFiles(sessionId: SessionId, q: string): Promise<string[]> {
  const query = new URLSearchParams({ q });
  return (await json<FileCompletions>(`${sessionPath(sessionId)}/files?${query}`)).files;
}

export function post(path: string, body: unknown): Promise<Response> {
  return call(path, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
  });
}

export function sessionPath(sessionId: SessionId): string {
  return `/api/session/${encodeURIComponent(sessionId)}`;
}

export async function json<T>(path: string): Promise<T> {
  return bodyOf(await call(path));
}

/** What the server answered. An answer that is cut off is as good as none. */
export function bodyOf<T>(response: Response): Promise<T> {
  return response.json().catch(unreachable) as Promise<T>;
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
