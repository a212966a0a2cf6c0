/** Stands in for what could not be loaded: says so, and tries again when asked to. */
import { button, element, setText } from "./dom";

export class FailedNote {
  readonly root: HTMLElement;
  private readonly text = element("p", "");

  constructor(again: () => void) {
    this.root = element("div", "failed-note", this.text, button("Try again", "", again));
    this.root.role = "status";
    this.root.hidden = true;
  }

  /** An empty text: nothing is missing. */
  show(text: string): void {
    setText(this.text, text);
    this.root.hidden = text === "";
  }
}
