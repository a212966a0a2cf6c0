/** Brings something into sight once the frame is drawn: in between, the page would be laid out once more for each. */
export function reveal(element: Element): void {
  queueMicrotask(() => element.scrollIntoView({ block: "nearest", inline: "nearest" }));
}
