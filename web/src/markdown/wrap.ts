/** Whether long lines of code are wrapped: one choice for all code, kept in the browser. */
import { button } from "../dom/dom";
import { preference } from "../preferences/likes";

const wraps = preference("wrap");

export function toggleWrap(): void {
  wraps.set(!wraps.get());
  for (const block of document.getElementsByClassName("fence")) showWrap(block);
}

/** Gives a block the layout that was chosen. */
export function showWrap(block: Element): void {
  block.classList.toggle("wrapped", wraps.get());
  block.querySelector(".wrap-code")?.setAttribute("aria-pressed", String(wraps.get()));
}

export function wrapButton(): HTMLButtonElement {
  const made = button("Wrap", "quiet bare wrap-code", toggleWrap);
  made.setAttribute("aria-pressed", String(wraps.get()));
  return made;
}
