/** Leads a reader who is further up to the end, and says how much has come there. */
import { button, setText } from "../dom/dom";

export class JumpPill {
  readonly root: HTMLButtonElement;

  constructor(pressed: () => void) {
    this.root = button("", "to-latest", pressed);
    this.show(false, 0);
  }

  show(isShown: boolean, fresh: number): void {
    this.root.hidden = !isShown;
    setText(this.root, pillText(fresh));
  }
}

export function pillText(fresh: number): string {
  return fresh === 0 ? "Jump to latest" : `Jump to latest (${fresh.toLocaleString("en")} new)`;
}
