/** Where a session works: a path that is written, with recent projects and what is on the disk to choose from. */
import type { Project } from "../contract";
import { element, setText } from "../dom/dom";
import { type Choice, OptionList, type TakenBy } from "../dom/option-list";
import { directoryNote, offeredDirectories } from "./directory-offer";

export type DirectoryFieldActions = {
  /** Directories that begin so; of nothing the places where projects may be. */
  directories(written: string): Promise<string[]>;
  changed(): void;
};

/** Who types fast is not answered in between. */
const TYPING_MS = 150;

export class DirectoryField {
  readonly root = element("div", "field directory-field");
  private readonly input = element("input", "field-input");
  private readonly note = element("p", "field-note");
  private readonly list: OptionList;
  private recent: Project[] = [];
  private roots: string[] = [];
  private typing: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly actions: DirectoryFieldActions,
    about = { id: "project-directory", label: "Project directory" },
  ) {
    this.input.id = about.id;
    this.note.id = `${about.id}-note`;
    this.input.required = true;
    this.input.spellcheck = false;
    this.input.autocomplete = "off";
    this.input.setAttribute("autocapitalize", "off");
    this.input.placeholder = "/path/to/project";
    this.input.role = "combobox";
    this.input.setAttribute("aria-autocomplete", "list");
    this.input.setAttribute("aria-expanded", "false");
    this.input.setAttribute("aria-describedby", this.note.id);
    this.list = new OptionList(this.input, "Directories", {
      taken: (choice, by) => this.taken(choice, by),
    });
    const label = element("label", "field-label", about.label);
    label.htmlFor = this.input.id;
    this.root.append(label, element("div", "options-anchor", this.input, this.list.root), this.note);
    this.note.setAttribute("aria-live", "polite");
    this.input.addEventListener("input", () => this.typed());
    this.input.addEventListener("keydown", (event) => this.pressed(event));
    this.input.addEventListener("click", () => this.list.isOpen || this.offerRecent());
    this.say("");
  }

  get value(): string {
    return this.input.value.trim();
  }

  /** Projects, the last used first. */
  showRecent(projects: Project[]): void {
    this.recent = projects;
  }

  /** A place to begin, unless one was written already. */
  suggest(path: string | undefined): void {
    if (this.input.value !== "" || path === undefined) return;
    this.input.value = path;
    // Who is about to write means to write something else, not something after it.
    if (document.activeElement === this.input) this.input.select();
  }

  choose(path: string): void {
    this.input.value = path;
    this.say("");
  }

  focus(): void {
    this.input.focus();
  }

  private typed(): void {
    this.actions.changed();
    clearTimeout(this.typing);
    this.list.expect();
    this.typing = setTimeout(() => void this.offer(), TYPING_MS);
  }

  private async offer(): Promise<void> {
    const written = this.input.value;
    if (this.roots.length === 0) this.roots = await this.actions.directories("");
    const found = await this.actions.directories(written.trim());
    // What was typed meanwhile has an answer of its own.
    if (written !== this.input.value) return;
    this.say(directoryNote(written, this.roots, found));
    if (document.activeElement !== this.input) return;
    const choices = offeredDirectories(written, this.recent, found);
    const isAnswer = choices.length === 1 && choices[0]?.value === written.trim();
    this.list.show(isAnswer ? [] : choices, this.list.completes ? 0 : -1);
  }

  private offerRecent(): void {
    if (this.recent.length > 1) this.list.show(offeredDirectories("", this.recent, []), -1);
  }

  private pressed(event: KeyboardEvent): void {
    if (this.leaves(event)) return;
    if (event.key === "Tab" && !this.list.isMarked) this.list.markFirst();
    if (this.list.pressed(event)) return;
    if (event.key !== "ArrowDown" || event.altKey) return;
    event.preventDefault();
    void this.offer();
  }

  /** As in a shell, Tab completes a name that was begun; behind a / it leaves the field. */
  private leaves({ key, shiftKey }: KeyboardEvent): boolean {
    const isBehind = this.input.value.trim().endsWith("/") && !this.list.isMarked;
    return key === "Tab" && (shiftKey || isBehind);
  }

  /** Enter means this one, Tab means further in. */
  private taken({ value }: Choice, by: TakenBy): void {
    this.input.value = by === "tab" ? `${value.replace(/\/$/, "")}/` : value;
    this.say("");
    this.actions.changed();
    if (by === "tab") void this.offer();
  }

  private say(text: string): void {
    setText(this.note, text);
    this.note.hidden = text === "";
  }
}
