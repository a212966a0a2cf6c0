/**
 * What is out of sight and does not change costs nothing: the browser leaves out what is in it, and keeps its height only.
 *
 * Something rests only after it was laid out once, so that its height is known and nothing moves when it comes into sight.
 * `styles/resting.css` says what resting is.
 */
import { whenIdle } from "./later";

/** Marking them changes how the page is laid out: it is done for all of them at once, when there is time. */
const LATEST_MS = 500;

const laidOut = new Set<HTMLElement>();

const sizes = new ResizeObserver((changes) => {
  for (const { target } of changes) {
    sizes.unobserve(target);
    if (laidOut.size === 0) whenIdle(rest, LATEST_MS);
    laidOut.add(target as HTMLElement);
  }
});

function rest(): void {
  for (const element of laidOut) if (mayRest(element)) element.dataset.rests = "true";
  laidOut.clear();
}

/** It is laid out with the next frame, and rests afterwards, unless it is at work. */
export function restAnew(element: HTMLElement): void {
  delete element.dataset.rests;
  forgetRest(element);
  sizes.observe(element);
}

/** It is not shown any more. */
export function forgetRest(element: HTMLElement): void {
  sizes.unobserve(element);
  laidOut.delete(element);
}

/** What is in it is seen with this frame. */
export function wake(element: HTMLElement): void {
  if (element.dataset.rests) restAnew(element);
}

/** The parts of something that rest by themselves. */
export function restingParts(element: Element): HTMLElement[] {
  return [...element.querySelectorAll<HTMLElement>(".stretch")].filter(({ dataset }) => dataset.rests);
}

/**
 * What still grows is laid out with every piece of it: resting in between would cost more than it saves. And nothing rests inside of what
 * rests: the browser finds out one after the other what is in sight, a frame for each.
 */
function mayRest(element: HTMLElement): boolean {
  const { status } = element.dataset;
  return status !== "create" && status !== "update" && !element.querySelector(".stretch + .stretch");
}
