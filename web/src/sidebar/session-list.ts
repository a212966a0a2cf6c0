/** The sidebar: what can be done, a filter, and the sessions of every project. */
import type { ProjectId, SessionId } from "../contract";
import type { Missing } from "../directory/directory";
import { brand } from "../dom/brand";
import { arrange, button, element, keepFocus, setText } from "../dom/dom";
import { FailedNote } from "../dom/failed-note";
import { iconButton, lineIcon, nameButton } from "../dom/line-icon";
import { NextFrame } from "../dom/next-frame";
import { reveal } from "../dom/reveal";
import { skeleton } from "../dom/skeleton";
import { NEW_SESSION } from "../route";
import { type GroupActions, ProjectGroup } from "./project-group";
import { type RowActions, SessionRow } from "./session-row";
import type { Row, SidebarRows } from "./sidebar-rows";

export type SessionListActions = RowActions &
  GroupActions & {
    filter(text: string): void;
    addProject(): void;
    showArchived(show: boolean): void;
    hide(): void;
    loadList(): void;
    /** Nothing points at the list any more: it may take its order again. */
    released(): void;
  };

export type SessionListModel = SidebarRows & {
  isLoaded: boolean;
  missing: Missing;
  filter: string;
  showsArchived: boolean;
  openId: SessionId | undefined;
};

/** So many rows are made with one frame: more than can be seen, and few enough for the page to answer meanwhile. */
const MOST_NEW = 60;

/** `left`: how many rows may still be made. */
type Drawing = { openId: SessionId | undefined; now: Date; left: number };

export class SessionList {
  readonly root = element("nav", "sidebar");
  private readonly filter = element("input", "filter-input");
  private readonly scroller = element("div", "sidebar-scroll");
  private readonly groups = element("div", "projects");
  private readonly loading = skeleton("Loading sessions");
  private readonly failed: FailedNote;
  private readonly nothing = element("div", "sidebar-none");
  private readonly nothingText = element("p", "");
  private readonly nothingButton: HTMLButtonElement;
  private readonly archived: HTMLButtonElement;
  private readonly rows = new Map<SessionId, SessionRow>();
  private readonly projects = new Map<ProjectId | undefined, ProjectGroup>();
  private readonly frame = new NextFrame(() => this.model && this.render(this.model));
  private model: SessionListModel | undefined;
  private isPointedAt = false;
  private isFiltered = false;
  private showsArchived = false;

  constructor(private readonly actions: SessionListActions) {
    this.root.setAttribute("aria-label", "Sessions");
    this.root.id = "sidebar";
    this.root.tabIndex = -1;
    this.nothingButton = button("Add project", "", () =>
      this.isFiltered ? this.clearFilter() : actions.addProject(),
    );
    this.nothing.append(this.nothingText, this.nothingButton);
    this.archived = button("", "quiet", () => actions.showArchived(!this.showsArchived));
    this.failed = new FailedNote(() => actions.loadList());
    // Last, so that it moves no row.
    this.scroller.append(this.loading, this.nothing, this.groups, this.failed.root);
    this.root.append(this.head(), this.tools(), this.scroller, this.foot());
    this.watchPointer();
    this.root.addEventListener("keydown", (event) => this.keyPressed(event));
  }

  render(model: SessionListModel): void {
    this.model = model;
    this.isFiltered = model.filter !== "";
    this.showsArchived = model.showsArchived;
    this.loading.hidden = model.isLoaded || model.missing !== "nothing";
    this.root.ariaBusy = String(!this.loading.hidden);
    this.failed.show(failedWords(model));
    this.drawNothing(model);
    // A row may go from one group to another.
    keepFocus(this.groups, () => this.drawGroups(model));
    this.archived.hidden = model.archived === 0;
    setText(this.archived, model.showsArchived ? "Hide archived" : `Show archived (${model.archived})`);
    this.archived.setAttribute("aria-pressed", String(model.showsArchived));
  }

  private drawGroups(model: SessionListModel): void {
    const drawing = { openId: model.openId, now: new Date(), left: MOST_NEW };
    const shown = model.groups.map((group) => {
      const rows = group.rows.map((row) => this.drawRow(row, drawing)).filter((row) => row !== undefined);
      const view = this.groupOf(group.project?.id);
      view.render(group, rows);
      return view.root;
    });
    arrange(this.groups, shown);
    if (drawing.left < 0) this.frame.ask();
  }

  /** Rows that are new wait for a later frame if there are too many of them, but for the open one. */
  private drawRow(row: Row, drawing: Drawing): HTMLElement | undefined {
    const { sessionId } = row.session;
    const isOpen = sessionId === drawing.openId;
    if (!this.rows.has(sessionId)) drawing.left -= 1;
    if (!this.rows.has(sessionId) && drawing.left < 0 && !isOpen) return undefined;
    const view = this.rowOf(sessionId);
    view.render(row, isOpen, drawing.now);
    return view.root;
  }

  /** Whether rows must stay where they are. */
  get isHeld(): boolean {
    return this.isPointedAt || [...this.rows.values()].some((row) => row.isEditing);
  }

  get order(): SessionId[] {
    const rows = this.groups.querySelectorAll<HTMLElement>("[data-session-id]");
    return [...rows].map((row) => row.dataset.sessionId ?? "");
  }

  /** The session whose row has the focus. */
  get focused(): SessionId | undefined {
    const row = document.activeElement?.closest<HTMLElement>("[data-session-id]");
    return row && this.root.contains(row) ? row.dataset.sessionId : undefined;
  }

  /** The project whose name, or a session of it, has the focus. */
  get focusedProject(): ProjectId | undefined {
    const group = document.activeElement?.closest<HTMLElement>("[data-project-id]");
    return group && this.root.contains(group) ? group.dataset.projectId : undefined;
  }

  rename(sessionId: SessionId): void {
    const row = this.rows.get(sessionId);
    if (row?.root.isConnected) row.edit();
  }

  reveal(sessionId: SessionId): void {
    const row = this.rows.get(sessionId);
    if (row?.root.isConnected && !this.isPointedAt) reveal(row.root);
  }

  focusFilter(): void {
    this.filter.focus();
    this.filter.select();
  }

  clearFilter(): void {
    this.filter.value = "";
    this.actions.filter("");
  }

  private head(): HTMLElement {
    const hide = iconButton("sidebar", "sidebar-hide", () => this.actions.hide());
    hide.append(lineIcon("close"));
    nameButton(hide, "Hide sidebar");
    return element("div", "sidebar-top", brand(), hide);
  }

  private tools(): HTMLElement {
    const fresh = element("a", "button new-link", lineIcon("add"), "New session");
    fresh.href = NEW_SESSION;
    this.filter.type = "search";
    this.filter.placeholder = "Filter";
    this.filter.spellcheck = false;
    this.filter.autocomplete = "off";
    this.filter.setAttribute("aria-label", "Filter sessions");
    this.filter.addEventListener("input", () => this.actions.filter(this.filter.value));
    const filter = element("label", "filter", lineIcon("search"), this.filter);
    return element("div", "sidebar-tools", fresh, filter);
  }

  private foot(): HTMLElement {
    const add = button("Add project", "quiet", () => this.actions.addProject());
    add.prepend(lineIcon("add"));
    return element("div", "sidebar-foot", add, this.archived);
  }

  private drawNothing(model: SessionListModel): void {
    this.nothing.hidden = !model.isLoaded || model.groups.length > 0;
    setText(
      this.nothingText,
      this.isFiltered
        ? `Nothing matches “${model.filter}”.`
        : "Add a project to get started: a directory for agents to work in.",
    );
    setText(this.nothingButton, this.isFiltered ? "Clear the filter" : "Choose a directory");
  }

  private rowOf(sessionId: SessionId): SessionRow {
    const row = this.rows.get(sessionId) ?? new SessionRow(sessionId, this.actions);
    this.rows.set(sessionId, row);
    return row;
  }

  private groupOf(projectId: ProjectId | undefined): ProjectGroup {
    const group = this.projects.get(projectId) ?? new ProjectGroup(projectId, this.actions);
    this.projects.set(projectId, group);
    return group;
  }

  /** A finger leaves no pointer behind: only a mouse holds the list. */
  private watchPointer(): void {
    this.scroller.addEventListener("pointerenter", ({ pointerType }) => {
      this.isPointedAt = pointerType === "mouse";
    });
    this.scroller.addEventListener("pointerleave", () => {
      this.isPointedAt = false;
      this.actions.released();
    });
  }

  private keyPressed(event: KeyboardEvent): void {
    if (event.defaultPrevented || event.altKey || event.ctrlKey || event.metaKey) return;
    if (event.target === this.filter && event.key === "Escape" && this.filter.value !== "") {
      event.preventDefault();
      event.stopPropagation();
      return this.clearFilter();
    }
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step === undefined || this.root.querySelector(".title-editor")) return;
    event.preventDefault();
    this.moveFocus(step);
  }

  private moveFocus(step: number): void {
    const stops = [...this.root.querySelectorAll<HTMLElement>(".filter-input, .project-fold, .session-link")];
    const from = document.activeElement?.closest(".session, .project-head, .filter");
    const at = stops.findIndex((stop) => from?.contains(stop));
    const to = at < 0 ? 0 : at + step;
    stops[to]?.focus();
  }
}

/** What was listed before stays: then only some may be missing. */
function failedWords({ isLoaded, missing }: SessionListModel): string {
  if (missing === "nothing") return "";
  return isLoaded ? "Some sessions could not be loaded." : "The sessions could not be loaded.";
}
