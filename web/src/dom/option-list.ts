/** Options that belong to a field: the field keeps the focus, the arrow keys mark one, Enter or a click takes it. */
import { visibleLine } from "../text/visible-text";
import { element } from "./dom";

export type Choice = {
  /** What it stands for. */
  value: string;
  name: string;
  /** How the name goes on, for those who write on. */
  hint?: string;
  /** What is said beside or below the name. */
  detail?: string;
  /** Stands above the first one of its kind. */
  heading?: string;
  /** What is worth a second thought. */
  isRisky?: boolean;
  isCurrent?: boolean;
};

/** Tab takes an option too, but whoever presses it wants to go on from there. */
export type TakenBy = "enter" | "tab" | "pointer";
export type OptionListActions = {
  taken(choice: Choice, by: TakenBy): void;
  /** Esc closed it: none is wanted there. */
  left?(): void;
};

let made = 0;

export class OptionList {
  readonly root = element("ul", "options");
  private choices: Choice[] = [];
  private options: HTMLElement[] = [];
  private marked = -1;
  /** Something else is written by now, and what fits to it is on its way. */
  private isAwaited = false;
  /** Tab was pressed meanwhile: it takes what comes. */
  private isTabbed = false;

  constructor(
    private readonly owner: HTMLElement,
    label: string,
    private readonly actions: OptionListActions,
  ) {
    made += 1;
    this.root.id = `options-${made}`;
    this.root.role = "listbox";
    this.root.setAttribute("aria-label", label);
    this.root.hidden = true;
    owner.setAttribute("aria-haspopup", "listbox");
    // A press on an option must not take the focus from the field.
    this.root.addEventListener("pointerdown", (event) => event.preventDefault());
    this.root.addEventListener("mousedown", (event) => event.preventDefault());
    owner.addEventListener("blur", () => this.close());
  }

  get isOpen(): boolean {
    return !this.root.hidden;
  }

  get isMarked(): boolean {
    return this.isOpen && this.marked >= 0;
  }

  /** Whether Tab waits for what comes. */
  get completes(): boolean {
    return this.isTabbed;
  }

  /** What is in sight does not fit any more: it stays until the answer is there, but no key takes any of it. */
  expect(): void {
    this.isAwaited = true;
    this.isTabbed = false;
    if (this.isOpen) this.mark(-1);
  }

  /** Shows these; none closes the list. `marked` is -1 where nothing is to be taken by Enter. */
  show(choices: Choice[], marked = 0): void {
    const { isTabbed } = this;
    if (choices.length === 0) return this.close();
    this.settle();
    this.choices = choices;
    this.options = choices.map((choice, at) => this.option(choice, at));
    this.root.replaceChildren(...this.options.flatMap((option, at) => this.withHeading(option, at)));
    this.root.hidden = false;
    this.owner.setAttribute("aria-controls", this.root.id);
    this.expanded(true);
    this.mark(Math.min(marked, choices.length - 1));
    if (isTabbed && this.isMarked) this.take(this.marked, "tab");
  }

  markFirst(): void {
    if (this.isOpen && !this.isAwaited) this.mark(0);
  }

  close(): void {
    this.settle();
    if (!this.isOpen) return;
    this.root.hidden = true;
    this.owner.removeAttribute("aria-activedescendant");
    this.expanded(false);
  }

  private settle(): void {
    this.isAwaited = false;
    this.isTabbed = false;
  }

  /** Whether a key press was meant for the list; then it has been dealt with. */
  pressed(event: KeyboardEvent): boolean {
    if (event.isComposing || event.ctrlKey || event.metaKey || event.altKey) return false;
    if (!this.handled(event)) return false;
    event.preventDefault();
    event.stopPropagation();
    return true;
  }

  private handled({ key, shiftKey }: KeyboardEvent): boolean {
    // Once: should no answer come, the next one leaves the field.
    if (key === "Tab" && !shiftKey && this.isAwaited && !this.isTabbed) this.isTabbed = true;
    else if (!this.isOpen) return false;
    else if (key === "Escape") this.leave();
    else if (key === "ArrowDown") this.move(1);
    else if (key === "ArrowUp") this.move(-1);
    else if (key === "Enter" && !shiftKey && this.marked >= 0) this.take(this.marked, "enter");
    else if (key === "Tab" && !shiftKey && this.marked >= 0) this.take(this.marked, "tab");
    else return false;
    return true;
  }

  private leave(): void {
    this.close();
    this.actions.left?.();
  }

  private move(step: number): void {
    const count = this.choices.length;
    const from = this.marked < 0 && step < 0 ? 0 : this.marked;
    this.mark((from + step + count) % count);
  }

  private mark(at: number): void {
    this.marked = at;
    this.options.forEach((option, index) => {
      option.setAttribute("aria-selected", String(index === at));
    });
    const option = this.options[at];
    if (option) this.owner.setAttribute("aria-activedescendant", option.id);
    else this.owner.removeAttribute("aria-activedescendant");
    option?.scrollIntoView({ block: "nearest" });
  }

  private take(at: number, by: TakenBy): void {
    const choice = this.choices[at];
    this.close();
    if (choice) this.actions.taken(choice, by);
  }

  private option({ name, hint, detail, isRisky, isCurrent }: Choice, at: number): HTMLElement {
    const shown = element("span", "option-name", visibleLine(name));
    if (hint) shown.append(element("span", "option-hint", ` ${visibleLine(hint)}`));
    const option = element("li", "option", shown);
    if (detail) option.append(element("span", "option-detail", visibleLine(detail)));
    option.id = `${this.root.id}-${at}`;
    option.role = "option";
    option.dataset.risky = String(isRisky === true);
    option.dataset.current = String(isCurrent === true);
    option.addEventListener("pointermove", () => this.marked !== at && this.mark(at));
    option.addEventListener("click", () => this.take(at, "pointer"));
    return option;
  }

  private withHeading(option: HTMLElement, at: number): HTMLElement[] {
    const heading = this.choices[at]?.heading;
    if (heading === undefined || heading === this.choices[at - 1]?.heading) return [option];
    const shown = element("li", "options-heading", heading);
    shown.role = "presentation";
    return [shown, option];
  }

  /** A field of many lines is no combobox, and must not say that it is expanded. */
  private expanded(isExpanded: boolean): void {
    if (!(this.owner instanceof HTMLTextAreaElement))
      this.owner.setAttribute("aria-expanded", String(isExpanded));
  }
}
