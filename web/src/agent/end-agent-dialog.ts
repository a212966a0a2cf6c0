/** Asks before an agent is ended, for it takes with it whatever it is doing. */
import { Dialog } from "../dom/dialog";
import { button, element } from "../dom/dom";

export class EndAgentDialog {
  private readonly dialog: Dialog;
  private confirmed: (() => void) | undefined;

  constructor() {
    const keep = button("Keep it", "", () => this.dialog.close());
    const end = button("End agent", "danger", () => this.end());
    keep.autofocus = true;
    this.dialog = new Dialog(
      "End the agent?",
      "confirm",
      element("h2", "dialog-title", "End the agent?"),
      element("p", "confirm-text", "It is stopped with everything it started, also what it does right now."),
      element("p", "confirm-text", "The conversation stays. Your next message starts the agent again."),
      element("div", "confirm-actions", keep, end),
    );
  }

  ask(confirmed: () => void): void {
    this.confirmed = confirmed;
    this.dialog.open();
  }

  private end(): void {
    const { confirmed } = this;
    this.dialog.close();
    confirmed?.();
  }
}
