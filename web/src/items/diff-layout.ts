/** Whether changes stand side by side: where there is room, and the reader likes it. */
import { button } from "../dom/dom";
import { preference } from "../preferences/likes";

const likesSplit = preference("diff-split");
const room = matchMedia("(width >= 72rem)");
const drawings = new WeakMap<Element, () => void>();

room.addEventListener("change", drawAll);

export function isSplit(): boolean {
  return room.matches && likesSplit.get();
}

/** There is room for it at all. */
export function canSplit(): boolean {
  return room.matches;
}

export function toggleSplit(): void {
  likesSplit.set(!likesSplit.get());
  drawAll();
}

/** Draws a diff now, and again whenever the layout changes. */
export function drawLayout(diff: HTMLElement, draw: () => void): void {
  drawings.set(diff, draw);
  draw();
}

export function layoutButton(): HTMLButtonElement {
  const made = button("Split", "quiet bare diff-layout", toggleSplit);
  made.setAttribute("aria-label", "Side by side");
  made.setAttribute("aria-pressed", String(likesSplit.get()));
  return made;
}

function drawAll(): void {
  for (const diff of document.getElementsByClassName("diff")) drawings.get(diff)?.();
  for (const made of document.getElementsByClassName("diff-layout")) {
    made.setAttribute("aria-pressed", String(likesSplit.get()));
  }
}
