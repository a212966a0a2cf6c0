/**
 * What is known of all sessions: their list, how they stand, and which permissions wait.
 *
 * Pure: every function takes a directory and gives back the next one.
 */
import type {
  PermissionId,
  PermissionRequest,
  Project,
  ProjectId,
  ServerFrame,
  SessionId,
  SessionListItem,
  SessionStatus,
} from "../contract";
import { type PermissionIndex, waitingIn, withoutRequest, withRequest } from "./permission-index";
import {
  newestFirst,
  type SessionIndex,
  withChange,
  withSession,
  withSessions,
  withStatus,
  withStatuses,
} from "./session-index";

/** What could not be loaded of the list. */
export type Missing = "nothing" | "some" | "all";

export type Directory = {
  /** Whether the list was loaded, so that no sessions means that there are none. */
  loaded: boolean;
  missing: Missing;
  projectNames: ReadonlyMap<ProjectId, string>;
  /** Also of projects that were removed since: they are only looked up. */
  projectPaths: ReadonlyMap<ProjectId, string>;
  sessions: SessionIndex;
  statuses: ReadonlyMap<SessionId, SessionStatus>;
  permissions: PermissionIndex;
  /** What an earlier connection told and this one has not told again yet. */
  unconfirmed: { statuses: ReadonlySet<SessionId>; permissions: ReadonlySet<PermissionId> };
};

const NONE: Directory["unconfirmed"] = { statuses: new Set(), permissions: new Set() };

export const emptyDirectory: Directory = {
  loaded: false,
  missing: "nothing",
  projectNames: new Map(),
  projectPaths: new Map(),
  sessions: new Map(),
  statuses: new Map(),
  permissions: new Map(),
  unconfirmed: NONE,
};

/**
 * A new connection: the server is about to tell how everything stands. What it does not name is over, but only its answer to
 * a ping tells that it has named everything; until then what is shown stays, and with it what someone is about to answer.
 */
export function greeted(directory: Directory): Directory {
  const { statuses, permissions } = directory;
  const unconfirmed = { statuses: new Set(statuses.keys()), permissions: new Set(permissions.keys()) };
  return { ...directory, unconfirmed };
}

function settled(directory: Directory): Directory {
  const { unconfirmed } = directory;
  return {
    ...directory,
    statuses: without(directory.statuses, unconfirmed.statuses),
    permissions: without(directory.permissions, unconfirmed.permissions),
    unconfirmed: NONE,
  };
}

function without<Key, Value>(map: ReadonlyMap<Key, Value>, keys: ReadonlySet<Key>): ReadonlyMap<Key, Value> {
  return keys.size === 0 ? map : new Map([...map].filter(([key]) => !keys.has(key)));
}

/** A list arrived. It is as old as its request (`asked` is what was known then): what was told meanwhile is newer. */
export function listed(
  directory: Directory,
  projects: Project[],
  listing: SessionListItem[],
  asked: Directory = directory,
): Directory {
  const projectNames = new Map(projects.map((project) => [project.id, project.name]));
  for (const [id, name] of directory.projectNames)
    if (!asked.projectNames.has(id)) projectNames.set(id, name);
  for (const id of asked.projectNames.keys()) if (!directory.projectNames.has(id)) projectNames.delete(id);
  const projectPaths = new Map([...directory.projectPaths, ...projects.map(pathOf)]);
  const since = listing.map((session) => toldSince(session, asked, directory));
  const sessions = withStatuses(withSessions(directory.sessions, since), [...directory.statuses.values()]);
  return { ...directory, loaded: true, projectNames, projectPaths, sessions };
}

/** What was told of a session while its list was on its way stands. */
function toldSince(session: SessionListItem, asked: Directory, directory: Directory): SessionListItem {
  const was = asked.sessions.get(session.sessionId);
  const now = directory.sessions.get(session.sessionId);
  if (!now || now === was) return session;
  if (!was) return now;
  const title = now.title === was.title ? session.title : now.title;
  const archived = now.archived === was.archived ? session.archived : now.archived;
  return { ...session, title, archived };
}

/** The server told something. Gives back the same directory when it does not concern it. */
export function told(directory: Directory, frame: ServerFrame): Directory {
  const { sessions, permissions } = directory;
  switch (frame.type) {
    case "session:status":
      return statusTold(directory, frame);
    case "session:created":
      return { ...directory, sessions: withSession(sessions, frame.session) };
    case "session:archived":
      return { ...directory, sessions: withChange(sessions, frame.sessionId, { archived: true }) };
    case "session:title-updated":
      return { ...directory, sessions: withChange(sessions, frame.sessionId, { title: frame.title }) };
    case "project:added":
      return withProject(directory, frame.project);
    case "project:removed":
      return withoutProject(directory, frame.projectId);
    case "permission:requested":
      return confirmed({ ...directory, permissions: withRequest(permissions, frame) }, frame.permissionId);
    case "permission:resolved":
      return { ...directory, permissions: withoutRequest(permissions, frame.permissionId) };
    case "pong":
      return settled(directory);
    default:
      return directory;
  }
}

/** Ids of sessions and of permissions are never the same. */
function confirmed(directory: Directory, id: SessionId | PermissionId): Directory {
  const { statuses, permissions } = directory.unconfirmed;
  if (!statuses.has(id) && !permissions.has(id)) return directory;
  const rest = (ids: ReadonlySet<string>) => new Set([...ids].filter((one) => one !== id));
  return { ...directory, unconfirmed: { statuses: rest(statuses), permissions: rest(permissions) } };
}

/** Those of removed projects are not listed; before the first list nobody knows which these are. */
export function sessionsOf(directory: Directory): SessionListItem[] {
  return newestFirst(directory.sessions)
    .filter((session) => !isRemoved(directory, session))
    .map((session) => asking(directory, session));
}

export function sessionOf(
  directory: Directory,
  sessionId: SessionId | undefined,
): SessionListItem | undefined {
  const session = sessionId === undefined ? undefined : directory.sessions.get(sessionId);
  return session && asking(directory, session);
}

/** A session with a question open waits for its answer, whatever else is told of it. */
function asking(directory: Directory, session: SessionListItem): SessionListItem {
  const asks = permissionsOf(directory, session.sessionId).length > 0;
  return asks ? { ...session, activity: "permission" } : session;
}

/** How a session is called, and its project; a session that is not in the list has no name. */
export function nameOf(directory: Directory, sessionId: SessionId): { title: string; project: string } {
  const session = directory.sessions.get(sessionId);
  const project = session && directory.projectNames.get(session.projectId);
  return { title: session?.title ?? "Session", project: project ?? "" };
}

/** Whether the project of a session was taken out of the list. */
export function isRemoved(directory: Directory, session: SessionListItem): boolean {
  return directory.loaded && !directory.projectNames.has(session.projectId);
}

export function permissionsOf(directory: Directory, sessionId: SessionId | undefined): PermissionRequest[] {
  return waitingIn(directory.permissions, sessionId);
}

function statusTold(directory: Directory, status: SessionStatus): Directory {
  const next = {
    ...directory,
    statuses: new Map(directory.statuses).set(status.sessionId, status),
    sessions: withStatus(directory.sessions, status),
  };
  return confirmed(next, status.sessionId);
}

function withProject(directory: Directory, project: Project): Directory {
  const projectNames = new Map(directory.projectNames).set(project.id, project.name);
  return { ...directory, projectNames, projectPaths: new Map([...directory.projectPaths, pathOf(project)]) };
}

function pathOf({ id, path }: Project): [ProjectId, string] {
  return [id, path];
}

function withoutProject(directory: Directory, projectId: ProjectId): Directory {
  const projectNames = new Map(directory.projectNames);
  projectNames.delete(projectId);
  return { ...directory, projectNames };
}
