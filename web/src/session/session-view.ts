/** The open session: header, transcript, waiting permissions and composer. */
import type { PermissionRequest, SessionId, SessionListItem, SessionStatus } from "../contract";
import { element, setText } from "../dom/dom";
import type { PermissionDock } from "../permissions/permission-dock";
import type { Outgoing } from "../server/outbox";
import { EmptyState } from "../start/empty-state";
import type { NewSessionForm } from "../start/new-session-form";
import { Suggestions, suggestionsFor } from "../start/suggestions";
import { visibleText } from "../text/visible-text";
import type { Transcript } from "../transcript/transcript";
import type { Spent } from "./context-gauge";
import type { PlanPanel } from "./plan-panel";
import { SessionHeader } from "./session-header";
import type { StatusBar } from "./status-bar";
import type { Talk } from "./talk";

export type SessionViewParts = {
  status: StatusBar;
  /** Of the session in sight; `transcripts` is where it and others stand. */
  readonly transcript: Transcript;
  transcripts: HTMLElement;
  permissions: PermissionDock;
  talk: Talk;
  plan: PlanPanel;
  newSession: NewSessionForm;
};

export type SessionViewModel = {
  openId: SessionId | undefined;
  session: SessionListItem | undefined;
  status: SessionStatus | undefined;
  permissions: PermissionRequest[];
  /** Whether its project was taken out of the list. */
  isRemoved: boolean;
  /** What was written for it and is not known to have arrived. */
  unsent: Outgoing[];
  isLive: boolean;
  hasSessions: boolean;
  /** Whether the list of sessions is known. */
  isLoaded: boolean;
  /** What its turns have cost, as far as they are known. */
  spent: Spent;
};

const REMOVED = "The project of this session was removed. Start a session in its directory to bring it back.";

export class SessionView {
  readonly root = element("div", "view");
  /** What the session is about, without the header: that belongs to the page. */
  readonly main = element("main", "view-main");
  private readonly header: SessionHeader;
  private readonly empty: EmptyState;
  private readonly suggestions: Suggestions;
  private readonly notice = element("p", "notice");

  constructor(private readonly parts: SessionViewParts) {
    this.header = new SessionHeader(parts.status);
    this.empty = new EmptyState(parts.newSession);
    this.suggestions = new Suggestions((text) => parts.talk.composer.say(text));
    this.root.append(this.header.root, this.main);
    this.main.append(
      this.empty.root,
      parts.transcripts,
      this.notice,
      parts.plan.root,
      parts.permissions.root,
      this.suggestions.root,
      parts.talk.root,
    );
  }

  render(model: SessionViewModel): void {
    const open = model.openId !== undefined;
    this.header.show(model.session, open ? "Session" : "New session");
    this.header.showUsage(model.status?.usage, model.spent);
    this.empty.root.hidden = open;
    this.empty.render(model.hasSessions || !model.isLoaded);
    this.parts.permissions.render(model.permissions, model.openId);
    if (model.session) this.parts.plan.follow(isAtWork(model.session));
    this.parts.transcript.showAsking(model.permissions.length > 0);
    this.parts.transcript.leaveOut(model.status?.queued ?? []);
    this.renderNotice(model);
    const isFresh = model.session !== undefined && this.parts.transcript.isEmpty;
    this.suggestions.render(isFresh ? suggestionsFor(model.session?.cliType) : []);
    this.parts.talk.render({ ...model, isAwaited: open && !model.isLoaded });
  }

  /** Room for what belongs to the page, on a phone. */
  get headerRoot(): HTMLElement {
    return this.header.root;
  }

  private renderNotice({ status, isRemoved }: SessionViewModel): void {
    const text = isRemoved ? REMOVED : (status?.notice?.text ?? "");
    this.notice.hidden = text === "";
    setText(this.notice, visibleText(text));
  }
}

function isAtWork(session: SessionListItem | undefined): boolean {
  return session?.activity === "running" || session?.activity === "permission";
}
