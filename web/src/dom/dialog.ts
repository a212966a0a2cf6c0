/** A dialog above the page. Esc, its button or a click beside it closes it; the focus goes back to where it was. */
import { button, element } from "./dom";

export class Dialog {
  readonly root = element("dialog", "dialog");
  private readonly frame: HTMLElement;

  constructor(
    readonly name: string,
    className: string,
    ...content: HTMLElement[]
  ) {
    this.frame = element("div", "dialog-frame", ...content);
    this.root.classList.add(className);
    this.root.setAttribute("aria-label", name);
    this.root.append(this.frame);
    closeBeside(this.root);
    this.root.addEventListener("close", () => this.root.remove());
  }

  get isOpen(): boolean {
    return this.root.open;
  }

  /** There is one at a time. */
  open(): void {
    if (this.isOpen) return;
    closeDialogs();
    document.body.append(this.root);
    this.root.showModal();
  }

  close(): void {
    this.root.close();
  }

  toggle(): void {
    if (this.isOpen) this.close();
    else this.open();
  }
}

/** The upper edge of a dialog that is read: its name and the way out. */
export function dialogHead(name: string, close: () => void): HTMLElement {
  const out = button("Close", "quiet dialog-close", close);
  return element("header", "dialog-head", element("h2", "dialog-title", name), out);
}

/** A click beside a dialog closes it. Text that is marked from inside to outside does not: the press has to begin there too. */
export function closeBeside(dialog: HTMLDialogElement): void {
  let beganBeside = false;
  dialog.addEventListener("pointerdown", ({ target }) => {
    beganBeside = target === dialog;
  });
  dialog.addEventListener("click", ({ target }) => {
    if (beganBeside && target === dialog) dialog.close();
  });
}

export function isDialogOpen(): boolean {
  return document.querySelector("dialog:modal") !== null;
}

function closeDialogs(): void {
  for (const dialog of document.querySelectorAll<HTMLDialogElement>("dialog:modal")) dialog.close();
}
