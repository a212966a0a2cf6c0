/** The open sessions side by side, above the view. */
import type { SessionId } from "../contract";
import { arrange, element } from "../dom/dom";
import { reveal } from "../dom/reveal";
import { watchDrag } from "./tab-drag";
import { type TabModel, TabView } from "./tab-view";

export type TabBarActions = {
  activate(sessionId: SessionId): void;
  close(sessionId: SessionId): void;
  move(sessionId: SessionId, to: number): void;
};

export class TabBar {
  readonly root = element("nav", "tabbar");
  private readonly list = element("ol", "tabs");
  private readonly views = new Map<SessionId, TabView>();
  private active: SessionId | undefined;

  constructor(
    private readonly actions: TabBarActions,
    before: HTMLElement,
  ) {
    this.root.setAttribute("aria-label", "Tabs");
    this.root.append(before, this.list);
    this.list.addEventListener("keydown", (event) => this.keyPressed(event));
    // A wheel turns up and down; the bar goes left and right.
    this.list.addEventListener(
      "wheel",
      ({ deltaX, deltaY }) => this.list.scrollBy(deltaX === 0 ? deltaY : 0, 0),
      {
        passive: true,
      },
    );
    watchDrag(this.list, {
      move: (tab, to) => tab.dataset.tabId !== undefined && actions.move(tab.dataset.tabId, to),
    });
  }

  render(tabs: TabModel[], active: SessionId | undefined): void {
    const open = new Set(tabs.map((tab) => tab.sessionId));
    for (const sessionId of this.views.keys()) if (!open.has(sessionId)) this.views.delete(sessionId);
    // With none active the first one is the stop of the Tab key.
    const stop = active !== undefined && open.has(active) ? active : tabs[0]?.sessionId;
    const elements = tabs.map((tab) => {
      const view = this.viewOf(tab.sessionId);
      view.render(tab, tab.sessionId === active, tab.sessionId === stop);
      return view.root;
    });
    arrange(this.list, elements);
    this.root.dataset.empty = String(tabs.length === 0);
    if (active === this.active) return;
    this.active = active;
    const view = active === undefined ? undefined : this.views.get(active);
    if (view) reveal(view.root);
  }

  private viewOf(sessionId: SessionId): TabView {
    const view = this.views.get(sessionId) ?? new TabView(sessionId, this.actions);
    this.views.set(sessionId, view);
    return view;
  }

  private keyPressed(event: KeyboardEvent): void {
    if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    const views = [...this.list.querySelectorAll<HTMLElement>(".tab-face")];
    const at = views.indexOf(document.activeElement as HTMLElement);
    const sessionId = views[at]?.parentElement?.dataset.tabId;
    if (at < 0 || sessionId === undefined) return;
    const last = views.length - 1;
    const to = { ArrowRight: Math.min(at + 1, last), ArrowLeft: Math.max(at - 1, 0), Home: 0, End: last }[
      event.key
    ];
    if (event.key === "Delete") this.closeByKey(sessionId, views[at + 1] ?? views[at - 1]);
    else if (to !== undefined) views[to]?.focus();
    else return;
    event.preventDefault();
  }

  private closeByKey(sessionId: SessionId, next: HTMLElement | undefined): void {
    this.actions.close(sessionId);
    next?.focus();
  }
}
