/** What the sidebar asks of the server: names, the archive, projects and earlier sessions of agents. */
import type {
  ImportableSession,
  ImportableSessions,
  ImportSessionRequest,
  Project,
  ProjectId,
  SessionCreated,
  SessionId,
} from "../contract";
import { bodyOf, call, json, post, sessionPath } from "./api";

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
