/** The tabs of a phone: a button that says how many are open, and a sheet to choose from. */
import type { SessionId } from "../contract";
import { arrange, element, setText } from "../dom/dom";
import { nameButton } from "../dom/line-icon";
import { Sheet } from "../dom/sheet";
import { type TabActions, type TabModel, TabView } from "./tab-view";

export class TabSwitcher {
  readonly button = element("button", "tab-count");
  private readonly number = element("span", "");
  private readonly sheet = new Sheet("Close");
  private readonly list = element("ol", "switcher");
  private readonly views = new Map<SessionId, TabView>();

  constructor(private readonly actions: TabActions) {
    this.button.type = "button";
    this.button.append(this.number);
    this.button.addEventListener("click", () => this.sheet.open("Open sessions"));
    this.sheet.body.append(this.list);
  }

  render(tabs: TabModel[], active: SessionId | undefined): void {
    this.button.hidden = tabs.length === 0;
    setText(this.number, String(tabs.length));
    nameButton(this.button, tabs.length === 1 ? "1 open session" : `${tabs.length} open sessions`);
    if (tabs.length === 0 && this.sheet.isOpen) this.sheet.close();
    for (const sessionId of this.views.keys())
      if (!tabs.some((tab) => tab.sessionId === sessionId)) this.views.delete(sessionId);
    arrange(
      this.list,
      tabs.map((tab) => {
        const view = this.viewOf(tab.sessionId);
        view.render(tab, tab.sessionId === active, true);
        return view.root;
      }),
    );
  }

  private viewOf(sessionId: SessionId): TabView {
    const made = () =>
      new TabView(sessionId, {
        activate: (chosen) => {
          this.sheet.close();
          this.actions.activate(chosen);
        },
        close: (unwanted) => this.actions.close(unwanted),
      });
    const view = this.views.get(sessionId) ?? made();
    this.views.set(sessionId, view);
    return view;
  }
}
