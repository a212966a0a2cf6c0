/**
 * What is known of all sessions: their list, how they stand, and which permissions wait.
 *
 * Pure: every function takes a directory and gives back the next one.
 */
import type {
  PermissionRequest,
  Project,
  ProjectId,
  ServerFrame,
  SessionId,
  SessionListItem,
  SessionStatus,
} from "./contract";
import { type PermissionIndex, waitingIn, withoutRequest, withRequest } from "./permission-index";
import {
  newestFirst,
  type SessionIndex,
  withChange,
  withSession,
  withSessions,
  withStatus,
} from "./session-index";

export type Directory = {
  /** Whether the list was loaded, so that no sessions means that there are none. */
  loaded: boolean;
  projectNames: ReadonlyMap<ProjectId, string>;
  sessions: SessionIndex;
  statuses: ReadonlyMap<SessionId, SessionStatus>;
  permissions: PermissionIndex;
};

export const emptyDirectory: Directory = {
  loaded: false,
  projectNames: new Map(),
  sessions: new Map(),
  statuses: new Map(),
  permissions: new Map(),
};

/** A new connection: the server is about to tell how everything stands, and what it does not name is over. */
export function greeted(directory: Directory): Directory {
  return { ...directory, statuses: new Map(), permissions: new Map() };
}

/** A list arrived. It is as old as its request: what was told meanwhile is newer. */
export function listed(directory: Directory, projects: Project[], listing: SessionListItem[]): Directory {
  const projectNames = new Map(projects.map((project) => [project.id, project.name]));
  const statuses = [...directory.statuses.values()];
  const sessions = statuses.reduce(
    (index, status) => withStatus(index, status),
    withSessions(directory.sessions, listing),
  );
  return { ...directory, loaded: true, projectNames, sessions };
}

/** The server told something. Gives back the same directory when it does not concern it. */
export function told(directory: Directory, frame: ServerFrame, now: Date): Directory {
  const { sessions, permissions } = directory;
  switch (frame.type) {
    case "session:status":
      return statusTold(directory, frame, now);
    case "session:created":
      return { ...directory, sessions: withSession(sessions, frame.session) };
    case "session:archived":
      return { ...directory, sessions: withChange(sessions, frame.sessionId, { archived: true }) };
    case "session:title-updated":
      return { ...directory, sessions: withChange(sessions, frame.sessionId, { title: frame.title }) };
    case "project:added":
      return withProject(directory, frame.project);
    case "permission:requested":
      return { ...directory, permissions: withRequest(permissions, frame) };
    case "permission:resolved":
      return { ...directory, permissions: withoutRequest(permissions, frame.permissionId) };
    default:
      return directory;
  }
}

export function sessionsOf(directory: Directory): SessionListItem[] {
  return newestFirst(directory.sessions);
}

export function permissionsOf(directory: Directory, sessionId: SessionId | undefined): PermissionRequest[] {
  return waitingIn(directory.permissions, sessionId);
}

function statusTold(directory: Directory, status: SessionStatus, now: Date): Directory {
  return {
    ...directory,
    statuses: new Map(directory.statuses).set(status.sessionId, status),
    sessions: withStatus(directory.sessions, status, now),
  };
}

function withProject(directory: Directory, project: Project): Directory {
  return { ...directory, projectNames: new Map(directory.projectNames).set(project.id, project.name) };
}
