/**
 * The open sessions as tabs: kept over a reload, closed, moved and found again. All windows of the page have the same tabs: each
 * change is made to what is kept now, and the others follow. What is in sight in a window has a tab there all the same.
 */
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
  private isKnown: ((sessionId: SessionId) => boolean) | undefined;
  private names = "";
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
    this.kept.follow(() => actions.changed());
  }

  /** The address names another session, or none. */
  follow(openId: SessionId | undefined): void {
    this.active = openId;
    this.kept.change((kept) => (openId === undefined ? kept : tabs.opened(kept, openId)));
  }

  render(model: OpenTabsModel): void {
    this.settle(model);
    const now = this.tabs;
    const shown = now.open.map((sessionId): TabModel => {
      const session = model.sessionOf(sessionId);
      const isUnread = session !== undefined && model.isUnread(session);
      return { sessionId, session, meta: now.meta[sessionId], isUnread };
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
    const isActive = sessionId === this.active;
    if (isActive) this.active = undefined;
    this.change((kept) => tabs.closed(kept, sessionId));
    if (isActive) location.hash = next === undefined ? HOME : sessionHash(next);
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
    this.change((kept) => tabs.moved(this.shown(kept), sessionId, to));
  }

  /** Shows no tabs of sessions that are gone, and keeps what the others are called. */
  private settle({ openId, isLoaded, sessionOf }: OpenTabsModel): void {
    const isKnown = (sessionId: SessionId) => sessionId === openId || sessionOf(sessionId) !== undefined;
    this.isKnown = isLoaded ? isKnown : undefined;
    const metaOf = (sessionId: SessionId) => {
      const session = sessionOf(sessionId);
      return session && { title: session.title, cliType: session.cliType };
    };
    // Only names that are news here are written: another window may know newer ones, and would answer for ever.
    const names = JSON.stringify(this.tabs.open.map(metaOf));
    if (names === this.names) return;
    this.names = names;
    const next = tabs.described(this.kept.value, metaOf);
    if (next !== this.kept.value) this.kept.change((kept) => tabs.described(kept, metaOf));
  }

  private get tabs(): tabs.Tabs {
    return this.shown(this.kept.value);
  }

  /** Of those that are kept. One that another window has just opened may not be known here yet, so it is only passed over. */
  private shown(kept: tabs.Tabs): tabs.Tabs {
    const left = this.isKnown ? tabs.known(kept, this.isKnown) : kept;
    return this.active === undefined ? left : tabs.opened(left, this.active);
  }

  private change(next: (tabs: tabs.Tabs) => tabs.Tabs): void {
    this.kept.change(next);
    this.actions.changed();
  }
}
