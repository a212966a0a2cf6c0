/** The tabs of a phone: a button that says how many are open, and a sheet to choose from. */
import type { SessionId } from "../contract";
import { dialogs } from "../dialogs-later";
import { arrange, element, setText } from "../dom/dom";
import { nameButton } from "../dom/line-icon";
import { type TabActions, type TabModel, TabView } from "./tab-view";

export class TabSwitcher {
  readonly button = element("button", "tab-count");
  private readonly number = element("span", "");
  private readonly list = element("ol", "switcher");
  private readonly sheet = dialogs.make(({ Sheet }) => {
    const sheet = new Sheet("Close");
    sheet.body.append(this.list);
    return sheet;
  });
  private readonly views = new Map<SessionId, TabView>();

  constructor(private readonly actions: TabActions) {
    this.button.type = "button";
    this.button.append(this.number);
    this.button.addEventListener("click", () => this.sheet.use((sheet) => sheet.open("Open sessions")));
  }

  render(tabs: TabModel[], active: SessionId | undefined): void {
    this.button.hidden = tabs.length === 0;
    setText(this.number, String(tabs.length));
    nameButton(this.button, tabs.length === 1 ? "1 open session" : `${tabs.length} open sessions`);
    if (tabs.length === 0) this.close();
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

  private close(): void {
    this.sheet.ifMade((sheet) => sheet.close());
  }

  private viewOf(sessionId: SessionId): TabView {
    const made = () =>
      new TabView(sessionId, {
        activate: (chosen) => {
          this.close();
          this.actions.activate(chosen);
        },
        close: (unwanted) => this.actions.close(unwanted),
      });
    const view = this.views.get(sessionId) ?? made();
    this.views.set(sessionId, view);
    return view;
  }
}
