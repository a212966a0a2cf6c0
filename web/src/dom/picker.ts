/** A button that shows what is chosen and opens a list to choose from, with a line on what each choice means. */
import { visibleLine } from "../text/visible-text";
import { element, setText } from "./dom";
import { type Choice, OptionList } from "./option-list";

export class Picker {
  readonly root = element("div", "picker");
  private readonly opener = element("button", "picker-button");
  private readonly value = element("span", "picker-value");
  private readonly list: OptionList;
  private choices: Choice[] = [];
  private drawn = "";

  constructor(
    private readonly label: string,
    chosen: (value: string) => void,
  ) {
    this.opener.type = "button";
    this.opener.role = "combobox";
    this.opener.setAttribute("aria-label", label);
    this.opener.setAttribute("aria-expanded", "false");
    this.opener.append(element("span", "picker-label", label), this.value);
    this.list = new OptionList(this.opener, label, { taken: ({ value }) => chosen(value) });
    this.root.append(this.opener, this.list.root);
    this.opener.addEventListener("click", () => this.toggle());
    this.opener.addEventListener("keydown", (event) => this.pressed(event));
    this.show([]);
  }

  /** What there is to choose from, and what is chosen; nothing to choose from hides it. */
  show(choices: Choice[], words?: string): void {
    const key = JSON.stringify([choices, words]);
    if (key === this.drawn) return;
    this.drawn = key;
    this.choices = choices;
    this.root.hidden = choices.length === 0;
    const current = choices.find(({ isCurrent }) => isCurrent);
    setText(this.value, visibleLine(current?.name ?? words ?? "Default"));
    this.opener.dataset.risky = String(current?.isRisky === true);
    this.opener.title = current?.detail ? `${this.label}: ${visibleLine(current.detail)}` : this.label;
  }

  set disabled(isDisabled: boolean) {
    this.opener.disabled = isDisabled;
  }

  get isShown(): boolean {
    return !this.root.hidden;
  }

  open(): void {
    this.opener.focus();
    const current = this.choices.findIndex(({ isCurrent }) => isCurrent);
    this.list.show(this.choices, Math.max(0, current));
  }

  private toggle(): void {
    if (this.list.isOpen) this.list.close();
    else this.open();
  }

  private pressed(event: KeyboardEvent): void {
    if (this.list.pressed(event)) return;
    if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
    event.preventDefault();
    this.open();
  }
}
