/** What lies above the page and keeps it out of reach, one at a time. Esc or a click beside it closes it; the focus goes back to where it was. */
import { element } from "./dom";
import { OPEN } from "./is-dialog-open";

export class Modal {
  readonly root: HTMLDialogElement;

  constructor(className: string) {
    this.root = element("dialog", className);
    closeBeside(this.root);
    // Told only afterwards: it may be open again by then.
    this.root.addEventListener("close", () => {
      if (this.isOpen) return;
      this.root.remove();
      bringCaretBack();
    });
  }

  get isOpen(): boolean {
    return this.root.open;
  }

  close(): void {
    this.root.close();
  }

  protected show(name: string): void {
    this.root.setAttribute("aria-label", name);
    if (this.isOpen) return;
    for (const other of document.querySelectorAll<HTMLDialogElement>(OPEN)) other.close();
    document.body.append(this.root);
    this.root.showModal();
  }
}

/** Chromium gives the field that had the focus the focus back, but not always the caret: then what is typed goes nowhere. */
function bringCaretBack(): void {
  const field = document.activeElement;
  if (!(field instanceof HTMLTextAreaElement || field instanceof HTMLInputElement)) return;
  if (field.selectionStart !== null) field.setSelectionRange(field.selectionStart, field.selectionEnd);
}

/** A click beside a dialog closes it. Text that is marked from inside to outside does not: the press has to begin there too. */
function closeBeside(dialog: HTMLDialogElement): void {
  let beganBeside = false;
  dialog.addEventListener("pointerdown", ({ target }) => {
    beganBeside = target === dialog;
  });
  dialog.addEventListener("click", ({ target }) => {
    if (beganBeside && target === dialog) dialog.close();
  });
}
