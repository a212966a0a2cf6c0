/** One tab. The button beside its name closes it, so does the middle button of a mouse. */
import type { SessionId, SessionListItem } from "../contract";
import { element, setText } from "../dom/dom";
import { iconButton, nameButton } from "../dom/line-icon";
import { standing } from "../sidebar/activity-label";
import { agentBadge } from "../sidebar/agent-badge";
import { visibleName } from "../text/visible-text";
import type { TabMeta } from "./tabs";

export type TabModel = {
  sessionId: SessionId;
  meta: TabMeta | undefined;
  session: SessionListItem | undefined;
  isUnread: boolean;
};

export type TabActions = { activate(sessionId: SessionId): void; close(sessionId: SessionId): void };

export class TabView {
  readonly root = element("li", "tab");
  private readonly face = element("button", "tab-face");
  private readonly mark = element("span", "activity tab-mark");
  private readonly badge = agentBadge();
  private readonly title = element("span", "tab-title");
  private readonly close: HTMLButtonElement;

  constructor(sessionId: SessionId, actions: TabActions) {
    this.root.dataset.tabId = sessionId;
    this.face.type = "button";
    this.mark.append(element("span", "for-listeners"));
    this.face.append(this.mark, this.title, this.badge.root);
    this.face.addEventListener("click", () => actions.activate(sessionId));
    this.close = iconButton("close", "tab-close", () => actions.close(sessionId));
    this.close.tabIndex = -1;
    this.face.setAttribute("aria-keyshortcuts", "Delete");
    this.root.append(this.face, this.close);
    this.root.addEventListener("auxclick", (event) => {
      if (event.button !== 1) return;
      event.preventDefault();
      actions.close(sessionId);
    });
    // Otherwise the middle button begins to scroll the bar.
    this.root.addEventListener("mousedown", (event) => event.button === 1 && event.preventDefault());
  }

  render({ session, meta, isUnread }: TabModel, isActive: boolean, isStop: boolean): void {
    const title = visibleName(session?.title ?? meta?.title ?? "Session");
    const { kind, word } = session ? standing(session, isUnread) : { kind: "idle", word: "" };
    setText(this.title, title);
    this.face.title = session && kind !== "idle" ? `${title} (${word})` : title;
    this.mark.dataset.activity = kind;
    if (this.mark.firstElementChild) setText(this.mark.firstElementChild, word);
    this.badge.update(session?.cliType ?? meta?.cliType ?? "");
    this.badge.root.hidden = session === undefined && meta === undefined;
    if (isActive) this.face.setAttribute("aria-current", "page");
    else this.face.removeAttribute("aria-current");
    this.face.tabIndex = isStop ? 0 : -1;
    this.root.dataset.active = String(isActive);
    this.root.dataset.unread = String(isUnread);
    nameButton(this.close, `Close ${title}`);
  }
}
