/** A dialog that has a name and its own content: palette, settings, shortcuts. */
import { button, element } from "./dom";
import { Modal } from "./modal";

export class Dialog extends Modal {
  constructor(
    readonly name: string,
    className: string,
    ...content: HTMLElement[]
  ) {
    super(`dialog ${className}`);
    this.root.append(element("div", "dialog-frame", ...content));
  }

  open(): void {
    this.show(this.name);
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
