/** The open sessions as tabs: kept over a reload, closed, moved and found again. */
import type { SessionId, SessionListItem } from "../contract";
import { KeptValue } from "../dom/kept-value";
import { HOME, sessionHash } from "../route";
import { TabBar } from "./tab-bar";
import { TabSwitcher } from "./tab-switcher";
import type { TabModel } from "./tab-view";
import * as tabs from "./tabs";

export type OpenTabsActions = {
  changed(): void;
  /** Nothing of it has to be kept. */
  closed(sessionId: SessionId): void;
};

export type OpenTabsModel = {
  openId: SessionId | undefined;
  isLoaded: boolean;
  sessionOf(sessionId: SessionId): SessionListItem | undefined;
  isUnread(session: SessionListItem): boolean;
};

export class OpenTabs {
  readonly bar: TabBar;
  readonly switcher: TabSwitcher;
  private active: SessionId | undefined;
  private readonly kept = new KeptValue("liminal:tabs", tabs.readTabs, (value) =>
    tabs.keptForm(value, this.active),
  );

  /** `before` stands at the beginning of the bar. */
  constructor(
    private readonly actions: OpenTabsActions,
    before: HTMLElement,
  ) {
    const own = {
      activate: (sessionId: SessionId) => this.activate(sessionId),
      close: (sessionId: SessionId) => this.close(sessionId),
      move: (sessionId: SessionId, to: number) => this.move(sessionId, to),
    };
    this.bar = new TabBar(own, before);
    this.switcher = new TabSwitcher(own);
  }

  /** The address names another session, or none. */
  follow(openId: SessionId | undefined): void {
    this.active = openId;
    this.kept.set(openId === undefined ? this.tabs : tabs.opened(this.tabs, openId));
  }

  render(model: OpenTabsModel): void {
    this.settle(model);
    const shown = this.tabs.open.map((sessionId): TabModel => {
      const session = model.sessionOf(sessionId);
      const isUnread = session !== undefined && model.isUnread(session);
      return { sessionId, session, meta: this.tabs.meta[sessionId], isUnread };
    });
    this.bar.render(shown, this.active);
    this.switcher.render(shown, this.active);
  }

  get count(): number {
    return this.tabs.open.length;
  }

  get activeTab(): SessionId | undefined {
    return this.active;
  }

  activate(sessionId: SessionId | undefined): void {
    if (sessionId !== undefined) location.hash = sessionHash(sessionId);
  }

  close(sessionId: SessionId | undefined): void {
    if (sessionId === undefined || !this.tabs.open.includes(sessionId)) return;
    const next = tabs.successor(this.tabs, sessionId);
    this.change(tabs.closed(this.tabs, sessionId));
    if (sessionId === this.active) location.hash = next === undefined ? HOME : sessionHash(next);
    // What is in sight is left first.
    setTimeout(() => this.actions.closed(sessionId));
  }

  get canReopen(): boolean {
    return this.tabs.closed.length > 0;
  }

  reopen(): void {
    this.activate(this.tabs.closed.at(-1));
  }

  beside(step: 1 | -1): void {
    this.activate(tabs.beside(this.tabs, this.active, step));
  }

  jump(number: number): void {
    this.activate(tabs.numbered(this.tabs, number));
  }

  moveBy(step: 1 | -1): void {
    if (this.active !== undefined) this.move(this.active, this.tabs.open.indexOf(this.active) + step);
  }

  private move(sessionId: SessionId, to: number): void {
    this.change(tabs.moved(this.tabs, sessionId, to));
  }

  /** Forgets tabs of sessions that are gone, and keeps what the others are called. */
  private settle({ openId, isLoaded, sessionOf }: OpenTabsModel): void {
    const isKnown = (sessionId: SessionId) => sessionId === openId || sessionOf(sessionId) !== undefined;
    const left = isLoaded ? tabs.known(this.tabs, isKnown) : this.tabs;
    const next = tabs.described(left, (sessionId) => {
      const session = sessionOf(sessionId);
      return session && { title: session.title, cliType: session.cliType };
    });
    if (next !== this.tabs) this.kept.set(next);
  }

  private get tabs(): tabs.Tabs {
    return this.kept.value;
  }

  private change(next: tabs.Tabs): void {
    if (next === this.tabs) return;
    this.kept.set(next);
    this.actions.changed();
  }
}
