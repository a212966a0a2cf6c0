/** One message that waits: its text, how it stands, and what can be done with it, in place. */
import { isSendKey } from "../compose/send-key";
import { button, element, setText } from "../dom/dom";
import { visibleText } from "../text/visible-text";
import type { QueueEntry } from "./queue-entries";

export type QueueRowActions = {
  change(id: string, content: string): void;
  remove(id: string): void;
  sendNow(id: string): void;
  sendWithoutImages(id: string): void;
  /** Whether somebody is changing it. */
  editing(id: string, isEditing: boolean): void;
};

export type RowModel = { entry: QueueEntry; isRunning: boolean; canMove: boolean };

const WORDLESS = "A message without words cannot wait: remove it, or leave it as it was";

export class QueueRow {
  readonly root = element("li", "waiting-message");
  readonly handle: HTMLButtonElement;
  private readonly text = element("div", "waiting-text");
  private readonly state = element("span", "waiting-state");
  private readonly edit: HTMLButtonElement;
  private readonly now: HTMLButtonElement;
  private readonly without: HTMLButtonElement;
  private readonly remove: HTMLButtonElement;
  private readonly saveButton = button("Save", "quiet", () => this.save());
  private readonly field = element("textarea", "waiting-field");
  private readonly editor: HTMLElement;
  private readonly shown: HTMLElement;
  private content = "";

  constructor(
    readonly id: string,
    private readonly actions: QueueRowActions,
  ) {
    this.root.dataset.waiting = id;
    this.handle = button("", "waiting-handle", () => {});
    this.edit = button("Edit", "quiet", () => this.startEditing());
    this.now = button("Send now", "quiet", () => actions.sendNow(id));
    this.without = button("Go without them", "quiet", () => actions.sendWithoutImages(id));
    this.remove = button("Remove", "quiet", () => actions.remove(id));
    const row = element("div", "waiting-actions", this.now, this.without, this.edit, this.remove);
    this.shown = element("div", "waiting-shown", this.text, this.state, row);
    this.editor = this.makeEditor();
    this.root.append(this.handle, this.shown, this.editor);
  }

  get isEditing(): boolean {
    return !this.editor.hidden;
  }

  /** What was written in its place, if it differs from what waits. */
  get unsaved(): string | undefined {
    return this.isEditing && this.field.value !== this.content ? this.field.value : undefined;
  }

  render({ entry, isRunning, canMove }: RowModel): void {
    this.content = entry.content;
    this.root.dataset.state = entry.state;
    setText(this.text, visibleText(entry.content) || "Images only");
    setText(this.state, entry.words);
    const name = entry.content.slice(0, 60);
    this.handle.hidden = !canMove;
    this.handle.setAttribute("aria-label", `Move: ${name}. Arrow keys change its place`);
    this.handle.title = "Drag, or press the arrow keys";
    this.now.hidden = !entry.isTurn;
    this.now.title = isRunning ? "Interrupts what runs and starts this" : "Starts this one, the others wait";
    this.without.hidden = entry.state !== "incomplete";
    this.edit.hidden = !entry.isTurn && !entry.canChange;
    this.remove.hidden = !entry.isTurn && !entry.canRemove;
    for (const one of [this.now, this.edit]) one.disabled = !entry.canChange;
    this.remove.disabled = !entry.canRemove;
  }

  focus(): void {
    if (this.handle.hidden) this.edit.focus();
    else this.handle.focus();
  }

  private makeEditor(): HTMLElement {
    this.field.setAttribute("aria-label", "Text that waits");
    this.field.addEventListener("keydown", (event) => {
      if (event.key === "Escape" && !event.isComposing) this.leave(event, () => this.stopEditing());
      else if (isSendKey(event)) this.leave(event, () => this.save());
    });
    this.field.addEventListener("input", () => this.drawSave());
    const cancel = button("Cancel", "quiet", () => this.stopEditing());
    const editor = element(
      "div",
      "waiting-editor",
      this.field,
      element("div", "waiting-actions", cancel, this.saveButton),
    );
    editor.hidden = true;
    return editor;
  }

  private leave(event: KeyboardEvent, then: () => void): void {
    event.preventDefault();
    event.stopPropagation();
    then();
  }

  private startEditing(): void {
    this.field.value = this.content;
    this.editor.hidden = false;
    this.shown.hidden = true;
    this.drawSave();
    this.actions.editing(this.id, true);
    this.field.focus();
  }

  private stopEditing(): void {
    if (!this.isEditing) return;
    this.editor.hidden = true;
    this.shown.hidden = false;
    this.actions.editing(this.id, false);
    this.edit.focus();
  }

  /** Whoever takes away all words does not mean the old ones. */
  private get isBlank(): boolean {
    return this.field.value.trim() === "" && this.content.trim() !== "";
  }

  private drawSave(): void {
    this.saveButton.disabled = this.isBlank;
    this.saveButton.title = this.isBlank ? WORDLESS : "";
  }

  private save(): void {
    if (this.isBlank) return;
    const written = this.field.value;
    if (written.trim() !== "" && written !== this.content) this.actions.change(this.id, written);
    this.stopEditing();
  }
}
