/**
 * What is out of sight and does not change costs nothing: the browser leaves out what is in it, and keeps its height only.
 *
 * Something rests only after it was laid out once, so that its height is known and nothing moves when it comes into sight.
 * `styles/resting.css` says what resting is.
 */

const sizes = new ResizeObserver((changes) => {
  for (const { target } of changes) {
    sizes.unobserve(target);
    if (!isAtWork(target as HTMLElement)) (target as HTMLElement).dataset.rests = "true";
  }
});

/** It is laid out with the next frame, and rests afterwards, unless it is at work. */
export function restAnew(element: HTMLElement): void {
  delete element.dataset.rests;
  sizes.unobserve(element);
  sizes.observe(element);
}

/** It is not shown any more. */
export function forgetRest(element: HTMLElement): void {
  sizes.unobserve(element);
}

/** What is in it is seen with this frame. */
export function wakeAll(element: HTMLElement): void {
  const inside = element.querySelectorAll<HTMLElement>("[data-rests]");
  for (const resting of [element, ...inside]) if (resting.dataset.rests) restAnew(resting);
}

/** What still grows is laid out with every piece of it: resting in between would cost more than it saves. */
function isAtWork({ dataset: { status } }: HTMLElement): boolean {
  return status === "create" || status === "update";
}
