/** The frame of the page: the sidebar, the tabs and, between them, what is being read. */
import type { SessionId } from "../contract";
import * as directories from "../directory/directory";
import { element } from "../dom/dom";
import { KeptValue } from "../dom/kept-value";
import { iconButton, nameButton } from "../dom/line-icon";
import { Sidebar, type SidebarActions } from "../sidebar/sidebar";
import { OpenTabs } from "../tabs/open-tabs";
import { Drawer } from "./drawer";
import { Splitter } from "./splitter";

export type ShellActions = Omit<SidebarActions, "hide" | "archived"> & {
  /** A session was closed: nothing of it has to be kept. */
  closed(sessionId: SessionId): void;
};

export class Shell {
  readonly sidebar: Sidebar;
  readonly tabs: OpenTabs;
  readonly splitter: Splitter;
  private readonly drawer: Drawer;
  private readonly workspace = element("div", "workspace");
  private readonly menu = iconButton("menu", "sidebar-toggle", () => this.drawer.open(true));
  private readonly hidden = new KeptValue("liminal:sidebar-hidden", (kept) => kept === true);
  /** On a phone the list stands in for a page that has nothing to show; once, until the reader closes it. */
  private wantsList = false;

  /** `root` becomes the frame; `header` of the view has room for buttons on a phone. */
  constructor(
    private readonly root: HTMLElement,
    view: HTMLElement,
    header: HTMLElement,
    actions: ShellActions,
  ) {
    this.sidebar = new Sidebar({
      ...actions,
      hide: () => this.toggleSidebar(),
      archived: (sessionId) => this.tabs.close(sessionId),
    });
    const show = iconButton("sidebar", "sidebar-show", () => this.toggleSidebar());
    nameButton(show, "Show sidebar");
    this.tabs = new OpenTabs(actions, show);
    nameButton(this.menu, "Sessions");
    this.menu.setAttribute("aria-controls", this.sidebar.list.root.id);
    this.menu.ariaExpanded = "false";
    this.drawer = new Drawer(this.sidebar.list.root, this.workspace, () => {
      this.menu.ariaExpanded = String(this.drawer.isOpen);
    });
    header.prepend(this.menu);
    header.append(this.tabs.switcher.button);
    this.workspace.append(this.tabs.bar.root, view);
    this.splitter = new Splitter(root);
    this.sidebar.list.root.append(this.splitter.root);
    root.append(this.sidebar.list.root, this.workspace, this.drawer.scrim);
    this.showSidebar();
  }

  /** The address asks for something else. */
  follow(openId: SessionId | undefined, isHome: boolean): void {
    this.tabs.follow(openId);
    this.drawer.leave();
    this.wantsList = isHome;
  }

  render(directory: directories.Directory, openId: SessionId | undefined): void {
    this.sidebar.render(directory, openId);
    this.tabs.render({
      openId,
      isLoaded: directory.loaded,
      sessionOf: (sessionId) => directories.sessionOf(directory, sessionId),
      isUnread: this.sidebar.choices.isUnread,
    });
    this.menu.dataset.news = String(this.sidebar.hasNews);
    if (!this.wantsList || !directory.loaded) return;
    this.wantsList = false;
    if (directories.sessionsOf(directory).length > 0) this.drawer.open(false);
  }

  /** Shows or hides the sidebar; on a phone it opens or closes the drawer. */
  toggleSidebar(): void {
    if (this.drawer.isNarrow) return this.drawer.isOpen ? this.drawer.close() : this.drawer.open(true);
    this.hidden.set(!this.hidden.value);
    this.showSidebar();
  }

  /** For what happens in the sidebar itself. */
  revealSidebar(): void {
    if (this.drawer.isNarrow) return this.drawer.open(true);
    this.hidden.set(false);
    this.showSidebar();
  }

  /** It was archived elsewhere: what is being read stays. */
  archived(sessionId: SessionId): void {
    if (sessionId !== this.tabs.activeTab) this.tabs.close(sessionId);
  }

  private showSidebar(): void {
    this.root.dataset.sidebar = this.hidden.value ? "hidden" : "shown";
  }
}
