/** A dialog above the page: a title, what it is about, and what can be done. On a phone it comes from below. */
import { closeBeside } from "./dialog";
import { button, element, setText } from "./dom";

export class Sheet {
  readonly root = element("dialog", "sheet");
  readonly body = element("div", "sheet-body");
  readonly actions = element("div", "sheet-actions");
  private readonly title = element("h2", "sheet-title");
  private readonly problem = element("p", "alert");

  constructor(cancel = "Cancel") {
    const close = button(cancel, "", () => this.close());
    this.problem.role = "alert";
    this.actions.append(close);
    this.root.append(this.title, this.body, this.problem, this.actions);
    closeBeside(this.root);
    // Keys that mean something in a dialog mean nothing to the page behind it.
    this.root.addEventListener("keydown", (event) => {
      if (event.key === "Escape") event.stopPropagation();
    });
  }

  open(title: string): void {
    setText(this.title, title);
    this.root.setAttribute("aria-label", title);
    this.say("");
    if (!this.root.isConnected) document.body.append(this.root);
    if (!this.root.open) this.root.showModal();
  }

  close(): void {
    this.root.close();
  }

  /** What went wrong, until the next attempt. */
  say(problem: string): void {
    setText(this.problem, problem);
    this.problem.hidden = problem === "";
  }
}
