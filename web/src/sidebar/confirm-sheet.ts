/** Asks once more before something that is not wanted by accident. */
import { button, element, setText } from "../dom/dom";
import { Sheet } from "../dom/sheet";

export class ConfirmSheet {
  private readonly sheet = new Sheet();
  private readonly text = element("p", "");
  private readonly verb = button("", "primary", () => this.confirmed());
  private run: () => void = () => {};

  constructor() {
    this.sheet.body.append(this.text);
    this.sheet.actions.append(this.verb);
  }

  ask(title: string, text: string, verb: string, run: () => void): void {
    this.run = run;
    setText(this.text, text);
    setText(this.verb, verb);
    this.sheet.open(title);
    this.verb.focus();
  }

  private confirmed(): void {
    this.sheet.close();
    this.run();
  }
}
