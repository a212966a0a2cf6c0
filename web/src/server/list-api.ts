/** What the sidebar asks of the server: names, the archive, projects and earlier sessions of agents. */
import type {
  ImportableSession,
  ImportableSessions,
  ImportSessionRequest,
  Project,
  ProjectId,
  SessionCreated,
  SessionId,
  SessionListItem,
} from "../contract";
import type { Missing } from "../directory/directory";
import { ApiError, bodyOf, call, json, post, projects, sessionPath, sessionsOf } from "./api";

export type WholeList = {
  projects: Project[];
  sessions: SessionListItem[];
  missing: Missing;
  /** Why something is missing. */
  failure: ApiError | undefined;
};

/** All projects with their sessions. One that cannot be had does not keep the others away. */
export async function wholeList(): Promise<WholeList> {
  try {
    const known = await projects();
    const lists = await Promise.allSettled(known.map(({ id }) => sessionsOf(id)));
    const sessions = lists.flatMap((list) => (list.status === "fulfilled" ? list.value : []));
    const failed = lists.find((list) => list.status === "rejected");
    const failure = failed && apiError(failed.reason);
    return { projects: known, sessions, missing: failure ? "some" : "nothing", failure };
  } catch (error) {
    return { projects: [], sessions: [], missing: "all", failure: apiError(error) };
  }
}

function apiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  throw error;
}

export async function renameSession(sessionId: SessionId, title: string): Promise<void> {
  await post(`${sessionPath(sessionId)}/title`, { title });
}

/** Answers once the agent is gone. */
export async function archiveSession(sessionId: SessionId): Promise<void> {
  await post(`${sessionPath(sessionId)}/archive`, {});
}

export async function unarchiveSession(sessionId: SessionId): Promise<void> {
  await post(`${sessionPath(sessionId)}/unarchive`, {});
}

export async function addProject(path: string): Promise<Project> {
  return bodyOf(await post("/api/projects", { path }));
}

export async function removeProject(projectId: ProjectId): Promise<void> {
  await call(projectPath(projectId), { method: "DELETE" });
}

/** What agents keep of the directory of a project and is not here yet. */
export async function importableSessions(projectId: ProjectId): Promise<ImportableSession[]> {
  return (await json<ImportableSessions>(`${projectPath(projectId)}/importable`)).sessions;
}

export async function importSession(request: ImportSessionRequest): Promise<SessionId> {
  return (await bodyOf<SessionCreated>(await post("/api/session/import", request))).sessionId;
}

function projectPath(projectId: ProjectId): string {
  return `/api/projects/${encodeURIComponent(projectId)}`;
}
