/** The ways to what concerns all sessions: what waits for someone, and everything at once. */
import { element, setText } from "../dom/dom";
import { INBOX, type Route, WALL } from "../route";

export class OverviewLinks {
  readonly root = element("div", "overview-links");
  /** For where the list is folded away: stands only when something waits, and moves nothing. */
  readonly badge = element("a", "overview-badge overview-count");
  private readonly inbox = element("a", "overview-link", "Inbox");
  private readonly wall = element("a", "overview-link", "Wall");
  private readonly count = element("span", "overview-count");

  constructor() {
    this.inbox.href = INBOX;
    this.wall.href = WALL;
    this.badge.href = INBOX;
    this.inbox.append(this.count);
    this.root.append(this.inbox, this.wall);
  }

  render(waiting: number, route: Route["kind"]): void {
    setText(this.count, waiting === 0 ? "" : String(waiting));
    this.inbox.title = waiting === 0 ? "Nothing waits for you" : `${waiting} waiting for your answer`;
    setText(this.badge, String(waiting));
    this.badge.ariaLabel = `Inbox: ${this.inbox.title}`;
    this.badge.hidden = waiting === 0;
    mark(this.inbox, route === "inbox");
    mark(this.wall, route === "wall");
  }
}

function mark(link: HTMLAnchorElement, isCurrent: boolean): void {
  if (isCurrent) link.setAttribute("aria-current", "page");
  else link.removeAttribute("aria-current");
}
