/** What the sidebar lists, in its order: pinned sessions, then projects with theirs. Pure. */
import type { ProjectId, SessionId, SessionListItem } from "../contract";

export type ListedProject = { id: ProjectId; name: string; path: string };

export type SidebarChoices = {
  filter: string;
  collapsed: ReadonlySet<ProjectId>;
  pinned: ReadonlySet<SessionId>;
  showArchived: boolean;
  isUnread(session: SessionListItem): boolean;
  isMuted(sessionId: SessionId): boolean;
  /** The order that is on screen, while it must not change under somebody's hand. */
  held: readonly SessionId[] | undefined;
};

export type Row = {
  session: SessionListItem;
  projectName: string;
  isPinned: boolean;
  isUnread: boolean;
  isMuted: boolean;
};

export type Group = {
  /** Absent: the pinned ones of all projects. */
  project: ListedProject | undefined;
  rows: Row[];
  isCollapsed: boolean;
  /** What is said where there are no rows. */
  none: string;
};

export type SidebarRows = { groups: Group[]; archived: number };

/** `sessions` are newest first, and so they stay. */
export function sidebarRows(
  projects: ListedProject[],
  sessions: SessionListItem[],
  choices: SidebarChoices,
): SidebarRows {
  const names = new Map(projects.map((project) => [project.id, project.name]));
  const terms = choices.filter.toLowerCase().split(/\s+/).filter(Boolean);
  const isFiltered = terms.length > 0;
  const all = sessions.map((session) => rowOf(session, names.get(session.projectId) ?? "", choices));
  const shown = all.filter(({ session }) => choices.showArchived || !session.archived);
  const rows = steady(archivedLast(shown.filter((row) => matches(row, terms))), choices.held);
  const groups = projects.map((project): Group => {
    const own = ({ session }: Row) => session.projectId === project.id;
    return {
      project,
      rows: rows.filter((row) => own(row) && !row.isPinned),
      isCollapsed: !isFiltered && choices.collapsed.has(project.id),
      none: noneText(all.filter(own), shown.filter(own)),
    };
  });
  const pinned = rows.filter((row) => row.isPinned);
  const first: Group[] =
    pinned.length > 0 ? [{ project: undefined, rows: pinned, isCollapsed: false, none: "" }] : [];
  return {
    groups: [...first, ...(isFiltered ? groups.filter((group) => group.rows.length > 0) : groups)],
    archived: sessions.filter((session) => session.archived).length,
  };
}

/** The rows that can be seen, from top to bottom. */
function visibleRows(groups: Group[]): Row[] {
  return groups.flatMap((group) => (group.isCollapsed ? [] : group.rows));
}

/** The next one with news after the open one, round and round; those that wait for an answer come first. */
export function nextUnread(groups: Group[], openId: SessionId | undefined): SessionId | undefined {
  const rows = groups.flatMap((group) => group.rows);
  const at = rows.findIndex(({ session }) => session.sessionId === openId);
  const others = [...rows.slice(at + 1), ...rows.slice(0, Math.max(at, 0))];
  const asking = others.find(({ session }) => session.activity === "permission");
  return (asking ?? others.find((row) => row.isUnread))?.session.sessionId;
}

/** The one `step` rows away from the open one, or the first or last where none is open. */
export function neighbourRow(
  groups: Group[],
  openId: SessionId | undefined,
  step: 1 | -1,
): SessionId | undefined {
  const rows = visibleRows(groups);
  const at = rows.findIndex(({ session }) => session.sessionId === openId);
  if (at < 0) return rows.at(step > 0 ? 0 : -1)?.session.sessionId;
  return rows[at + step]?.session.sessionId;
}

function rowOf(session: SessionListItem, projectName: string, choices: SidebarChoices): Row {
  const isPinned = choices.pinned.has(session.sessionId) && !session.archived;
  const isMuted = choices.isMuted(session.sessionId);
  return { session, projectName, isPinned, isUnread: choices.isUnread(session), isMuted };
}

function matches({ session, projectName }: Row, terms: string[]): boolean {
  const text = `${session.title} ${projectName} ${session.cliType}`.toLowerCase();
  return terms.every((term) => text.includes(term));
}

function archivedLast(rows: Row[]): Row[] {
  return [
    ...rows.filter(({ session }) => !session.archived),
    ...rows.filter(({ session }) => session.archived),
  ];
}

/** What is on screen keeps its order; what is new comes before it. */
function steady(rows: Row[], held: readonly SessionId[] | undefined): Row[] {
  if (!held) return rows;
  const place = new Map(held.map((sessionId, at) => [sessionId, at]));
  const at = ({ session }: Row) => place.get(session.sessionId) ?? -1;
  return [...rows].sort((a, b) => at(a) - at(b));
}

function noneText(all: Row[], shown: Row[]): string {
  if (shown.length > 0) return "All pinned";
  return all.length > 0 ? "All archived" : "No sessions yet";
}
