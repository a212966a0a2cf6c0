/** Asks before an agent is ended, for it takes with it whatever it is doing. */
import { button, element } from "../dom/dom";

export class EndAgentDialog {
  readonly root = element("dialog", "dialog confirm");
  private confirmed: (() => void) | undefined;

  constructor() {
    const title = element("h2", "dialog-title", "End the agent?");
    title.id = "end-agent-title";
    this.root.setAttribute("aria-labelledby", title.id);
    const keep = button("Keep it", "", () => this.root.close());
    const end = button("End agent", "danger", () => this.end());
    this.root.append(
      title,
      element("p", "dialog-text", "It is stopped with everything it started, also what it does right now."),
      element("p", "dialog-text", "The conversation stays. Your next message starts the agent again."),
      element("div", "dialog-actions", keep, end),
    );
    keep.autofocus = true;
    this.root.addEventListener("close", () => {
      this.confirmed = undefined;
    });
  }

  ask(confirmed: () => void): void {
    if (!this.root.isConnected) document.body.append(this.root);
    this.confirmed = confirmed;
    if (!this.root.open) this.root.showModal();
  }

  private end(): void {
    const { confirmed } = this;
    this.root.close();
    confirmed?.();
  }
}
