/** Asks once more before something that is not wanted by accident. */
import { button, element, setText } from "./dom";
import { Sheet } from "./sheet";

export type Question = {
  title: string;
  /** What it is about, one by one. */
  list?: readonly string[];
  text: readonly string[];
  verb: string;
  run(): void;
};

export class ConfirmSheet {
  private readonly sheet = new Sheet();
  private readonly verb = button("", "danger", () => this.confirmed());
  private run: () => void = () => {};

  constructor() {
    this.sheet.actions.append(this.verb);
    // Who presses Enter too soon has done nothing.
    const cancel = this.sheet.actions.firstElementChild;
    if (cancel instanceof HTMLElement) cancel.autofocus = true;
  }

  ask({ title, list = [], text, verb, run }: Question): void {
    this.run = run;
    this.sheet.body.replaceChildren(...text.map((line) => element("p", "sheet-text", line)));
    const items = list.map((line) => element("li", "", line));
    if (items.length > 0) this.sheet.body.prepend(element("ul", "sheet-list", ...items));
    setText(this.verb, verb);
    this.sheet.open(title);
  }

  private confirmed(): void {
    this.sheet.close();
    this.run();
  }
}
