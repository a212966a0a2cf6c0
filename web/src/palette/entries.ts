/** What the palette offers, and in which order. Pure. */
import type { Command } from "../commands/commands";
import type { Project, ProjectId, SessionId, SessionListItem } from "../contract";
import { visibleName } from "../text/visible-text";
import { findIn } from "./match";

export type Entry = {
  /** Stable: what was chosen is remembered by it. */
  id: string;
  title: string;
  /** Where it belongs, also searched. */
  beside: string;
  heading: string;
  /** The chord that does the same. */
  keys?: string;
  session?: SessionListItem;
  run(): void;
};

/** An entry with the places of what was typed, in its title and beside it. */
export type Shown = { entry: Entry; title: readonly number[]; beside: readonly number[] };
export type Section = { heading: string; shown: Shown[] };

export type Sources = {
  commands: readonly Command[];
  sessions: readonly SessionListItem[];
  projects: readonly Pick<Project, "id" | "name">[];
  open(sessionId: SessionId): void;
  startIn(projectId: ProjectId): void;
};

/** As many as someone would look through. */
const MOST_SHOWN = 40;
const MOST_RECENT = 5;
/** Of sessions that nobody asked for. */
const MOST_SESSIONS = 6;
/** What was chosen lately wins against what fits as well. */
const RECENT_BONUS = 4;

export const RECENT = "Recent";
export const GO_TO = "Go to session";
export const START_IN = "Start a session in";

export function entriesOf({ commands, sessions, projects, open, startIn }: Sources): Entry[] {
  const names = new Map(projects.map((project) => [project.id, project.name]));
  return [
    ...sessions.map((session) => sessionEntry(session, names.get(session.projectId), open)),
    ...commands.map(commandEntry),
    ...projects.map((project) => ({
      id: `project ${project.id}`,
      title: project.name,
      beside: START_IN,
      heading: START_IN,
      run: () => startIn(project.id),
    })),
  ];
}

function commandEntry({ id, title, group, keys, run }: Command): Entry {
  const shortcut = keys?.[0];
  return {
    id: `command ${id}`,
    title,
    beside: group,
    heading: group,
    ...(shortcut !== undefined && { keys: shortcut }),
    run: () => run(),
  };
}

function sessionEntry(session: SessionListItem, project: string | undefined, open: Sources["open"]): Entry {
  const beside = [project, session.cliType, session.archived ? "archived" : undefined];
  return {
    id: `session ${session.sessionId}`,
    title: visibleName(session.title),
    beside: beside.filter((part) => part !== undefined).join(" · "),
    heading: GO_TO,
    session,
    run: () => open(session.sessionId),
  };
}

/** `recent` are ids, the latest first. */
export function sectionsOf(typed: string, entries: readonly Entry[], recent: readonly string[]): Section[] {
  if (typed.trim() === "") return overview(entries, recent);
  const shown = found(typed, entries, recent);
  return shown.length === 0 ? [] : [{ heading: "", shown }];
}

/** Nothing is typed: what was chosen lately, then everything by where it belongs. */
function overview(entries: readonly Entry[], recent: readonly string[]): Section[] {
  const byId = new Map(entries.map((entry) => [entry.id, entry]));
  const lately = recent.flatMap((id) => byId.get(id) ?? []).slice(0, MOST_RECENT);
  const sections = new Map<string, Entry[]>(lately.length > 0 ? [[RECENT, lately]] : []);
  for (const entry of entries) {
    if (lately.includes(entry)) continue;
    const section = sections.get(entry.heading) ?? [];
    if (entry.session && (entry.session.archived || section.length >= MOST_SESSIONS)) continue;
    sections.set(entry.heading, [...section, entry]);
  }
  return Array.from(sections, ([heading, all]) => ({
    heading,
    shown: all.map((entry) => ({ entry, title: [], beside: [] })),
  }));
}

function found(typed: string, entries: readonly Entry[], recent: readonly string[]): Shown[] {
  return entries
    .flatMap((entry) => {
      const match = findIn(typed, [entry.title, entry.beside]);
      if (!match) return [];
      const score = match.score + (recent.includes(entry.id) ? RECENT_BONUS : 0);
      return [{ entry, score, title: match.at[0] ?? [], beside: match.at[1] ?? [] }];
    })
    .sort((a, b) => b.score - a.score)
    .slice(0, MOST_SHOWN);
}

/** What was chosen, with the latest choice in front. */
export function withChoice(recent: readonly string[], id: string): string[] {
  return [id, ...recent.filter((known) => known !== id)].slice(0, 20);
}
