/** Everything that can be done and every session, by a few letters of its name. */
import { Dialog } from "../dom/dialog";
import { element, setText } from "../dom/dom";
import { visibleLine } from "../text/visible-text";
import { type Entry, type Section, sectionsOf } from "./entries";
import { optionView } from "./option-view";
import type { Recent } from "./recent";

const LIST = "palette-list";

export class Palette {
  private readonly input = element("input", "palette-input");
  private readonly list = element("div", "palette-list");
  private readonly none = element("p", "palette-none");
  private readonly dialog: Dialog;
  private entries: readonly Entry[] = [];
  private options: { root: HTMLElement; entry: Entry }[] = [];
  private active = 0;

  constructor(
    private readonly offered: () => readonly Entry[],
    private readonly recent: Recent,
  ) {
    this.input.type = "text";
    this.input.placeholder = "Type a command or a session";
    this.input.spellcheck = false;
    this.input.autocomplete = "off";
    this.input.enterKeyHint = "go";
    this.input.role = "combobox";
    this.input.ariaLabel = "Command or session";
    this.input.ariaAutoComplete = "list";
    this.input.setAttribute("aria-controls", LIST);
    this.list.id = LIST;
    this.list.role = "listbox";
    this.list.ariaLabel = "Commands and sessions";
    this.none.role = "status";
    this.dialog = new Dialog("Command palette", "palette", this.input, this.list, this.none);
    this.input.addEventListener("input", () => this.draw());
    this.input.addEventListener("keydown", (event) => this.keyPressed(event));
    this.list.addEventListener("click", (event) => this.clicked(event));
    // The field keeps the focus, so that typing goes on.
    this.list.addEventListener("mousedown", (event) => event.preventDefault());
  }

  /** `typed`: what was written before it was there. */
  toggle(typed: string): void {
    if (this.dialog.isOpen) return this.dialog.close();
    this.entries = this.offered();
    this.input.value = typed;
    this.dialog.open();
    this.draw();
    this.input.focus();
  }

  private draw(): void {
    const sections = sectionsOf(this.input.value, this.entries, this.recent.ids);
    this.options = [];
    this.list.replaceChildren(...sections.map((section, at) => this.section(section, at)));
    const isEmpty = this.options.length === 0;
    this.list.hidden = isEmpty;
    this.none.hidden = !isEmpty;
    setText(this.none, isEmpty ? `Nothing matches “${visibleLine(this.input.value.trim())}”.` : "");
    this.input.ariaExpanded = String(!isEmpty);
    this.activate(0);
    this.list.scrollTop = 0;
  }

  private section({ heading, shown }: Section, at: number): HTMLElement {
    const group = element("div", "palette-section");
    group.role = heading === "" ? "presentation" : "group";
    if (heading !== "") {
      const title = element("div", "palette-heading", heading);
      title.id = `palette-heading-${at}`;
      // It names the group; among the options it would be one that cannot be chosen.
      title.role = "presentation";
      group.setAttribute("aria-labelledby", title.id);
      group.append(title);
    }
    for (const one of shown) {
      const root = optionView(one, `palette-option-${this.options.length}`, heading === "");
      this.options.push({ root, entry: one.entry });
      group.append(root);
    }
    return group;
  }

  private activate(at: number): void {
    this.options[this.active]?.root.setAttribute("aria-selected", "false");
    this.active = at;
    const option = this.options[at]?.root;
    option?.setAttribute("aria-selected", "true");
    option?.scrollIntoView({ block: "nearest" });
    if (option) this.input.setAttribute("aria-activedescendant", option.id);
    else this.input.removeAttribute("aria-activedescendant");
  }

  private keyPressed(event: KeyboardEvent): void {
    if (event.isComposing) return;
    const next = this.moved(event.key);
    if (next !== undefined) {
      event.preventDefault();
      return this.activate(next);
    }
    if (event.key !== "Enter") return;
    event.preventDefault();
    this.choose(this.options[this.active]?.entry);
  }

  /** Where a key leads; up and down go round, the others stop at the ends. */
  private moved(key: string): number | undefined {
    const last = this.options.length - 1;
    if (last < 0) return undefined;
    if (key === "ArrowDown") return this.active === last ? 0 : this.active + 1;
    if (key === "ArrowUp") return this.active === 0 ? last : this.active - 1;
    if (key === "PageDown") return Math.min(last, this.active + 8);
    if (key === "PageUp") return Math.max(0, this.active - 8);
    return undefined;
  }

  private clicked(event: MouseEvent): void {
    const option = (event.target as Element).closest('[role="option"]');
    this.choose(this.options.find(({ root }) => root === option)?.entry);
  }

  /** The focus is back where it was before the command runs, so that it may take it from there. */
  private choose(entry: Entry | undefined): void {
    if (!entry) return;
    this.recent.chose(entry.id);
    this.dialog.close();
    entry.run();
  }
}
