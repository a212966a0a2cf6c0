/** The list of sessions: a column on wide screens, a drawer above the view on narrow ones. */

import type { ProjectId, SessionId, SessionListItem } from "../contract";
import { brand } from "../dom/brand";
import { arrange, element, setText } from "../dom/dom";
import { NEW_SESSION, sessionHash } from "../route";
import { ago } from "../text/time-text";
import { type ActivityLabel, activityLabel } from "./activity-label";

export type SessionListModel = {
  sessions: SessionListItem[];
  projectNames: ReadonlyMap<ProjectId, string>;
  openId: SessionId | undefined;
};

type Entry = {
  root: HTMLLIElement;
  link: HTMLAnchorElement;
  title: HTMLElement;
  origin: HTMLElement;
  time: HTMLTimeElement;
  activity: ActivityLabel;
};

export class SessionList {
  readonly root = element("nav", "sidebar");
  private readonly list = element("ol", "sessions");
  private readonly heading = element("h2", "sidebar-heading", "Sessions");
  private readonly none = element("p", "sidebar-none", "None yet.");
  private readonly toggle = element("button", "button sidebar-toggle", "Sessions");
  private readonly entries = new Map<SessionId, Entry>();

  constructor() {
    this.list.id = "sessions";
    this.toggle.type = "button";
    this.toggle.setAttribute("aria-controls", this.list.id);
    this.toggle.addEventListener("click", () => this.expand(!this.expanded));
    this.root.setAttribute("aria-label", "Sessions");
    const fresh = element("a", "button new-link", "New session");
    fresh.href = NEW_SESSION;
    // Also where the address names it already.
    fresh.addEventListener("click", () => this.expand(false));
    const head = element("div", "sidebar-head", this.heading, fresh);
    this.root.append(element("div", "sidebar-top", brand(), this.toggle), head, this.none, this.list);
    this.expand(true);
  }

  /** Opens or closes the drawer. On wide screens the list is always there and this changes nothing to see. */
  expand(expanded: boolean): void {
    this.root.dataset.expanded = String(expanded);
    this.toggle.setAttribute("aria-expanded", String(expanded));
  }

  render(model: SessionListModel): void {
    setText(this.toggle, model.sessions.length === 0 ? "Sessions" : `Sessions (${model.sessions.length})`);
    this.none.hidden = model.sessions.length > 0;
    this.root.dataset.empty = String(model.sessions.length === 0);
    arrange(
      this.list,
      model.sessions.map((session) => this.update(session, model)),
    );
  }

  private get expanded(): boolean {
    return this.root.dataset.expanded === "true";
  }

  private update(session: SessionListItem, model: SessionListModel): HTMLElement {
    const entry = this.entries.get(session.sessionId) ?? this.addEntry(session.sessionId);
    setText(entry.title, session.title);
    setText(entry.origin, originOf(session, model.projectNames.get(session.projectId)));
    setText(entry.time, ago(session.lastActiveAt, new Date()));
    entry.time.dateTime = session.lastActiveAt;
    entry.activity.update(session);
    entry.root.dataset.archived = String(session.archived);
    if (session.sessionId === model.openId) entry.link.setAttribute("aria-current", "page");
    else entry.link.removeAttribute("aria-current");
    return entry.root;
  }

  private addEntry(sessionId: SessionId): Entry {
    const entry = makeEntry(sessionId);
    entry.link.addEventListener("click", () => this.expand(false));
    this.entries.set(sessionId, entry);
    return entry;
  }
}

function makeEntry(sessionId: SessionId): Entry {
  const title = element("span", "session-title");
  const origin = element("span", "session-origin");
  const time = element("time", "session-time");
  const activity = activityLabel();
  const link = element(
    "a",
    "session-link",
    element("span", "session-line", title, time),
    element("span", "session-line", activity.root, origin),
  );
  link.href = sessionHash(sessionId);
  const root = element("li", "session", link);
  root.dataset.sessionId = sessionId;
  return { root, link, title, origin, time, activity };
}

function originOf(session: SessionListItem, project: string | undefined): string {
  const parts = [project, session.cliType, session.archived ? "archived" : undefined];
  return parts.filter((part) => part !== undefined).join(" · ");
}
