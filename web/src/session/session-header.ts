/** Which session is open, what it does, and whether this page is in touch with the server. */

import type { SessionListItem, Usage } from "../contract";
import { element, setText } from "../dom/dom";
import { activityLabel } from "../sidebar/activity-label";
import { visibleName } from "../text/visible-text";
import { ContextGauge, type Spent } from "./context-gauge";
import type { StatusBar } from "./status-bar";

export class SessionHeader {
  readonly root = element("header", "session-header");
  private readonly title = element("h1", "session-heading");
  private readonly badge = element("span", "badge");
  private readonly activity = activityLabel();
  private readonly facts = element("div", "session-facts", this.badge, this.activity.root);
  private readonly gauge = new ContextGauge();

  constructor(status: StatusBar) {
    this.root.append(element("div", "session-name", this.title, this.facts), this.gauge.root, status.root);
  }

  /** What the agent tells of its window, and what its turns have cost. */
  showUsage(usage: Usage | undefined, spent: Spent): void {
    this.gauge.show(usage, spent);
  }

  /** `name` stands in for a session that is not in the list. */
  show(session: SessionListItem | undefined, name: string): void {
    setText(this.title, session ? visibleName(session.title) : name);
    this.root.dataset.open = String(session !== undefined);
    this.facts.hidden = session === undefined;
    if (!session) return;
    setText(this.badge, session.cliType);
    this.activity.update(session);
  }
}
