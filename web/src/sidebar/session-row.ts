/** One session in the sidebar. */
import type { SessionId } from "../contract";
import { element, setText } from "../dom/dom";
import { iconButton, lineIcon, nameButton } from "../dom/line-icon";
import { sessionHash } from "../route";
import { age, clock, day } from "../text/time-text";
import { visibleName } from "../text/visible-text";
import type { MenuPlace } from "./action-menu";
import { activityLabel } from "./activity-label";
import { agentBadge } from "./agent-badge";
import type { Row } from "./sidebar-rows";
import { titleEditor } from "./title-editor";

export type RowActions = {
  pin(sessionId: SessionId): void;
  archive(sessionId: SessionId): void;
  rename(sessionId: SessionId, title: string): void;
  /** The title is not being written any more. */
  renamed(): void;
  menu(sessionId: SessionId, anchor: Element, place?: MenuPlace): void;
};

export class SessionRow {
  readonly root = element("li", "session");
  readonly link = element("a", "session-link");
  private readonly title = element("span", "session-title");
  private readonly time = element("time", "session-time");
  private readonly origin = element("span", "session-origin");
  private readonly muted = element("span", "session-muted", lineIcon("muted"));
  private readonly badge = agentBadge();
  private readonly activity = activityLabel();
  private readonly pin: HTMLButtonElement;
  private readonly archive: HTMLButtonElement;
  private readonly more: HTMLButtonElement;
  private shown: { row: Row; isOpen: boolean; age: string } | undefined;
  private editor: HTMLInputElement | undefined;

  constructor(
    private readonly sessionId: SessionId,
    private readonly actions: RowActions,
  ) {
    this.pin = iconButton("pin", "row-action", () => actions.pin(sessionId));
    this.archive = iconButton("archive", "row-action", () => actions.archive(sessionId));
    this.more = iconButton("more", "row-action row-more", () => actions.menu(sessionId, this.more));
    // Keys and the menu do the same: with the keyboard a row is two stops, not four.
    this.pin.tabIndex = -1;
    this.archive.tabIndex = -1;
    this.link.href = sessionHash(sessionId);
    // A link would be dragged away while someone only holds it a little too long.
    this.link.draggable = false;
    this.link.append(
      element("span", "session-line", this.title, this.time),
      element(
        "span",
        "session-line session-facts-line",
        this.badge.root,
        this.activity.root,
        this.muted,
        this.origin,
      ),
    );
    this.muted.role = "img";
    this.muted.ariaLabel = "Muted";
    this.muted.title = "Muted: it tells nobody when something happens";
    this.root.dataset.sessionId = sessionId;
    this.root.append(this.link, element("div", "row-actions", this.pin, this.archive, this.more));
    this.root.addEventListener("contextmenu", (event) => this.contextMenu(event));
  }

  /** Most rows are the same most of the time: these cost a comparison. */
  render(row: Row, isOpen: boolean, now: Date): void {
    const years = age(row.session.lastActiveAt, now);
    const { shown } = this;
    if (shown && isSame(shown.row, row) && shown.isOpen === isOpen && shown.age === years) return;
    this.shown = { row, isOpen, age: years };
    this.draw(row, isOpen, years);
  }

  get isEditing(): boolean {
    return this.editor !== undefined;
  }

  edit(): void {
    if (!this.shown || this.editor) return;
    const editor = titleEditor(this.shown.row.session.title, {
      save: (title) => {
        setText(this.title, visibleName(title));
        this.actions.rename(this.sessionId, title);
      },
      close: () => this.endEdit(),
    });
    this.editor = editor;
    this.root.dataset.editing = "true";
    this.root.prepend(editor);
    editor.focus();
    editor.select();
  }

  private endEdit(): void {
    const hadFocus = document.activeElement === this.editor;
    const { editor } = this;
    this.editor = undefined;
    delete this.root.dataset.editing;
    editor?.remove();
    if (hadFocus) this.link.focus();
    this.actions.renamed();
  }

  private draw(row: Row, isOpen: boolean, years: string): void {
    const { session, projectName, isPinned, isUnread } = row;
    const title = visibleName(session.title);
    this.muted.hidden = !row.isMuted;
    setText(this.title, title);
    this.link.title = title;
    setText(this.time, years);
    this.time.dateTime = session.lastActiveAt;
    this.time.title = `${day(session.lastActiveAt)}, ${clock(session.lastActiveAt, true)}`;
    this.badge.update(session.cliType);
    this.activity.update(session, isUnread);
    setText(this.origin, session.archived ? "Archived" : isPinned ? projectName : "");
    const { dataset } = this.root;
    dataset.archived = String(session.archived);
    dataset.unread = String(isUnread);
    dataset.pinned = String(isPinned);
    if (isOpen) this.link.setAttribute("aria-current", "page");
    else this.link.removeAttribute("aria-current");
    nameButton(this.pin, isPinned ? "Unpin" : "Pin");
    this.pin.hidden = session.archived;
    nameButton(this.archive, session.archived ? "Unarchive" : "Archive");
    if (this.archive.dataset.icon !== String(session.archived)) {
      this.archive.dataset.icon = String(session.archived);
      this.archive.replaceChildren(lineIcon(session.archived ? "unarchive" : "archive"));
    }
    nameButton(this.more, `Actions for ${title}`);
  }

  private contextMenu(event: MouseEvent): void {
    if (this.editor) return;
    event.preventDefault();
    const { clientX: x, clientY: y } = event;
    // Asked for by a key, there is no place but the row itself.
    const byKey = x === 0 && y === 0;
    this.actions.menu(
      this.sessionId,
      this.link,
      byKey ? undefined : { left: x, right: x + 200, top: y, bottom: y },
    );
  }
}

function isSame(a: Row, b: Row): boolean {
  const same = a.session === b.session || JSON.stringify(a.session) === JSON.stringify(b.session);
  return (
    same &&
    a.projectName === b.projectName &&
    a.isPinned === b.isPinned &&
    a.isUnread === b.isUnread &&
    a.isMuted === b.isMuted
  );
}
