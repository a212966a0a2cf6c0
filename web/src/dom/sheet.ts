/** A dialog above the page: a title, what it is about, and what can be done. On a phone it comes from below. */
import { button, element, setText } from "./dom";
import { Modal } from "./modal";

export class Sheet extends Modal {
  readonly body = element("div", "sheet-body");
  readonly actions = element("div", "sheet-actions");
  private readonly title = element("h2", "sheet-title");
  private readonly problem = element("p", "alert");

  constructor(cancel = "Cancel") {
    super("sheet");
    this.problem.role = "alert";
    this.actions.append(button(cancel, "", () => this.close()));
    this.root.append(this.title, this.body, this.problem, this.actions);
  }

  open(title: string): void {
    setText(this.title, title);
    this.say("");
    this.show(title);
  }

  /** What went wrong, until the next attempt. */
  say(problem: string): void {
    setText(this.problem, problem);
    this.problem.hidden = problem === "";
  }
}
