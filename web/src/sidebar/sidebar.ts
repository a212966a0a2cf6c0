/** The sidebar at work: what is listed, what the reader chose about it, and what can be done to sessions and projects. */
import { askOnceMore } from "../ask-once-more";
import type { ProjectId, SessionId, SessionListItem } from "../contract";
import { dialogs } from "../dialogs-later";
import * as directories from "../directory/directory";
import { NEW_SESSION, sessionHash } from "../route";
import { archiveSession, removeProject, renameSession, unarchiveSession } from "../server/list-api";
import { visibleName } from "../text/visible-text";
import type { MenuItem, MenuPlace } from "./action-menu";
import type { OfferDirectories } from "./add-project-sheet";
import { SessionList } from "./session-list";
import { KeptChoices } from "./sidebar-choices";
import { neighbourRow, nextUnread, type SidebarRows, sidebarRows } from "./sidebar-rows";

export type SidebarActions = {
  /** Something to show has changed. */
  changed(): void;
  /** Runs what may be refused, and says so then. */
  attempt(work: () => Promise<void>): void;
  /** Chooses where the next session is started. */
  startIn(path: string): void;
  archived(sessionId: SessionId): void;
  /** Whether it notifies nobody. */
  isMuted(sessionId: SessionId): boolean;
  mute(sessionId: SessionId, mute: boolean): void;
  loadList(): void;
  hide(): void;
  directories: OfferDirectories;
};

/** Ages are written anew this often. */
const CLOCK_MS = 30_000;
const ARCHIVING = [
  "Its agent is at work, and stops with everything it started.",
  "The conversation stays. Unarchive the session to go on with it.",
];
const REMOVING =
  "Its sessions leave the list and their agents stop. Nothing is deleted: add the directory again to bring them back.";

export class Sidebar {
  readonly list: SessionList;
  readonly choices: KeptChoices;
  private readonly menu = dialogs.make(({ ActionMenu }) => {
    const menu = new ActionMenu();
    this.list.root.append(menu.root);
    return menu;
  });
  private readonly importing = dialogs.make(
    ({ ImportSheet }) => new ImportSheet({ imported: () => this.actions.loadList(), open }),
  );
  private readonly adding = dialogs.make(
    ({ AddProjectSheet }) => new AddProjectSheet(this.actions.directories),
  );
  private directory = directories.emptyDirectory;
  private openId: SessionId | undefined;
  private rows: SidebarRows = { groups: [], archived: 0 };
  private drawn:
    | { directory: directories.Directory; openId: SessionId | undefined; time: number }
    | undefined;

  constructor(private readonly actions: SidebarActions) {
    this.choices = new KeptChoices(() => this.change());
    this.list = new SessionList({
      pin: (sessionId) => this.togglePin(sessionId),
      archive: (sessionId) => this.toggleArchived(sessionId),
      rename: (sessionId, title) => actions.attempt(() => renameSession(sessionId, title)),
      renamed: () => this.change(),
      menu: (sessionId, anchor, place) => this.sessionMenu(sessionId, anchor, place),
      fold: (projectId) => this.toggleFold(projectId),
      start: (projectId) => this.startIn(projectId),
      menuOfProject: (projectId, anchor) => this.projectMenu(projectId, anchor),
      filter: (text) => this.filter(text),
      addProject: () => this.addProject(),
      showArchived: (show) => this.showArchived(show),
      hide: () => actions.hide(),
      loadList: () => actions.loadList(),
      released: () => this.change(),
    });
    document.addEventListener("visibilitychange", () => this.change());
  }

  /** Draws only when something here has changed: the page is drawn with every word that an agent says. */
  render(directory: directories.Directory, openId: SessionId | undefined): void {
    const session = directories.sessionOf(directory, openId);
    const isNews = session !== undefined && !document.hidden && this.choices.look(session);
    const time = Math.floor(Date.now() / CLOCK_MS);
    const { drawn } = this;
    const isSame = drawn?.directory === directory && drawn.openId === openId && drawn.time === time;
    if (isSame && !isNews) return;
    this.directory = directory;
    this.openId = openId;
    this.draw();
    if (drawn?.openId !== openId && openId !== undefined) this.list.reveal(openId);
    this.drawn = { directory, openId, time };
  }

  /** What a command about a session means: the row in hand, else the one that is open. */
  get target(): SessionListItem | undefined {
    return directories.sessionOf(this.directory, this.list.focused ?? this.openId);
  }

  /** What a command about a project means: the one in hand, that of the session that is open, or the only one. */
  get targetProject(): ProjectId | undefined {
    const [only, ...others] = this.directory.projectNames.keys();
    return this.list.focusedProject ?? this.target?.projectId ?? (others.length === 0 ? only : undefined);
  }

  neighbour(step: 1 | -1): SessionId | undefined {
    return neighbourRow(this.rows.groups, this.openId, step);
  }

  nextUnread(): SessionId | undefined {
    return nextUnread(this.rows.groups, this.openId);
  }

  /** Whether a session that is not open waits for someone. */
  get hasNews(): boolean {
    return this.nextUnread() !== undefined;
  }

  togglePin(sessionId: SessionId): void {
    this.choices.togglePin(sessionId);
    this.change();
  }

  toggleMute(sessionId: SessionId): void {
    this.actions.mute(sessionId, !this.actions.isMuted(sessionId));
    this.change();
  }

  /** Asks only where something is cut short by it. */
  toggleArchived(sessionId: SessionId): void {
    const session = directories.sessionOf(this.directory, sessionId);
    if (!session) return;
    const { archived, activity, title } = session;
    if (archived) return this.actions.attempt(() => unarchiveSession(sessionId));
    const run = () => this.archive(sessionId);
    if (activity !== "running" && activity !== "permission") return run();
    askOnceMore({ title: `Archive ${visibleName(title)}?`, text: ARCHIVING, verb: "Archive", run });
  }

  private archive(sessionId: SessionId): void {
    this.actions.attempt(async () => {
      await archiveSession(sessionId);
      this.actions.archived(sessionId);
    });
  }

  /** Shows its row first, if something hides it. */
  rename(session: SessionListItem): void {
    this.choices.fold(session.projectId, false);
    if (session.archived) this.choices.showArchived = true;
    this.list.clearFilter();
    this.draw();
    this.list.rename(session.sessionId);
  }

  addProject(): void {
    this.adding.use((sheet) => sheet.open());
  }

  showArchived(show: boolean): void {
    this.choices.showArchived = show;
    this.change();
  }

  private filter(text: string): void {
    this.choices.filter = text;
    this.draw();
  }

  toggleFold(projectId: ProjectId): void {
    this.choices.fold(projectId, !this.choices.collapsed.has(projectId));
    this.change();
  }

  startIn(projectId: ProjectId): void {
    this.actions.startIn(this.directory.projectPaths.get(projectId) ?? "");
    location.hash = NEW_SESSION;
  }

  private nameOf(projectId: ProjectId): string {
    return this.directory.projectNames.get(projectId) ?? "";
  }

  private change(): void {
    this.drawn = undefined;
    this.actions.changed();
  }

  private draw(): void {
    const { directory, choices } = this;
    const projects = [...directory.projectNames].map(([id, name]) => {
      return { id, name, path: directory.projectPaths.get(id) ?? "" };
    });
    const { filter, collapsed, pinned, showArchived, isUnread } = choices;
    const held = this.list.isHeld ? this.list.order : undefined;
    const { isMuted } = this.actions;
    const chosen = { filter, collapsed, pinned, showArchived, isUnread, isMuted, held };
    this.rows = sidebarRows(projects, directories.sessionsOf(directory), chosen);
    this.list.render({
      ...this.rows,
      isLoaded: directory.loaded,
      missing: directory.missing,
      filter,
      showsArchived: showArchived,
      openId: this.openId,
    });
  }

  private sessionMenu(sessionId: SessionId, anchor: Element, place?: MenuPlace): void {
    const session = directories.sessionOf(this.directory, sessionId);
    if (!session) return;
    const isPinned = this.choices.pinned.has(sessionId);
    const pin = { label: isPinned ? "Unpin" : "Pin", keys: "Alt+P", run: () => this.togglePin(sessionId) };
    const items: MenuItem[] = [
      { label: "Rename", keys: "F2", run: () => this.rename(session) },
      ...(session.archived ? [] : [pin]),
      {
        label: this.actions.isMuted(sessionId) ? "Unmute" : "Mute",
        keys: "Alt+H",
        run: () => this.toggleMute(sessionId),
      },
      {
        label: session.archived ? "Unarchive" : "Archive",
        keys: "Alt+A",
        run: () => this.toggleArchived(sessionId),
      },
    ];
    this.menu.use((menu) => menu.open(visibleName(session.title), items, anchor, place));
  }

  private projectMenu(projectId: ProjectId, anchor: Element): void {
    const items: MenuItem[] = [
      { label: "New session", keys: "Alt+C", run: () => this.startIn(projectId) },
      { label: "Import sessions…", keys: "Alt+Shift+I", run: () => this.importInto(projectId) },
      {
        label: "Remove project…",
        keys: "Alt+Shift+X",
        isGrave: true,
        run: () => this.askToRemove(projectId),
      },
    ];
    this.menu.use((menu) => menu.open(this.nameOf(projectId), items, anchor));
  }

  importInto(projectId: ProjectId): void {
    this.importing.use((sheet) => void sheet.open(projectId, this.nameOf(projectId)));
  }

  askToRemove(projectId: ProjectId): void {
    const name = this.nameOf(projectId);
    askOnceMore({
      title: `Remove ${name}?`,
      text: [REMOVING],
      verb: "Remove project",
      run: () => this.actions.attempt(() => removeProject(projectId)),
    });
  }
}

function open(sessionId: SessionId): void {
  location.hash = sessionHash(sessionId);
}
