/** A dialog above the page. Esc, its button or a click beside it closes it; the focus goes back to where it was. */
import { button, element } from "./dom";

export class Dialog {
  readonly root = element("dialog", "dialog");
  private readonly frame: HTMLElement;
  /** Set while a press began beside it: text that is marked from inside to outside does not close it. */
  private pressedBeside = false;

  constructor(
    readonly name: string,
    className: string,
    ...content: HTMLElement[]
  ) {
    this.frame = element("div", "dialog-frame", ...content);
    this.root.classList.add(className);
    this.root.setAttribute("aria-label", name);
    this.root.append(this.frame);
    this.root.addEventListener("pointerdown", (event) => {
      this.pressedBeside = event.target === this.root;
    });
    this.root.addEventListener("click", (event) => {
      if (this.pressedBeside && event.target === this.root) this.close();
    });
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

export function isDialogOpen(): boolean {
  return document.querySelector("dialog:modal") !== null;
}

function closeDialogs(): void {
  for (const dialog of document.querySelectorAll<HTMLDialogElement>("dialog:modal")) dialog.close();
}
