/** Tells whether something came under the pointer by itself, or the pointer went to it. */

let last: { x: number; y: number } | undefined;

/** From now on it is known where the pointer was last moved to. */
export function followPointer(): void {
  const note = (event: PointerEvent) => {
    last = { x: event.clientX, y: event.clientY };
  };
  // At the end of its way, so that whoever hears of the same event still sees where the pointer was before.
  window.addEventListener("pointermove", note);
  window.addEventListener("pointerdown", note);
}

/** To be asked when an element is entered: nobody moved, so the element did. */
export function cameToPointer(event: PointerEvent): boolean {
  return event.pointerType === "mouse" && last?.x === event.clientX && last?.y === event.clientY;
}
