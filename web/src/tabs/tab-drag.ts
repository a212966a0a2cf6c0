/** Moves a tab along its bar by a mouse or a pen; a finger scrolls the bar instead. */

/** A hand that only clicks trembles less than this. */
const THRESHOLD = 5;

export type TabDragActions = { move(tab: HTMLElement, to: number): void };

export function watchDrag(bar: HTMLElement, actions: TabDragActions): void {
  bar.addEventListener("pointerdown", (event) => {
    const tab = (event.target as Element).closest<HTMLElement>(".tab");
    if (!tab || event.button !== 0 || event.pointerType === "touch") return;
    if ((event.target as Element).closest(".tab-close")) return;
    drag(bar, tab, event.clientX, actions);
  });
}

function drag(bar: HTMLElement, tab: HTMLElement, from: number, actions: TabDragActions): void {
  const over = new AbortController();
  const { signal } = over;
  const end = () => {
    over.abort();
    delete tab.dataset.dragged;
  };
  // The tab is put elsewhere while it is held, so it cannot capture the pointer itself.
  window.addEventListener(
    "pointermove",
    ({ clientX }) => {
      if (tab.dataset.dragged === undefined && Math.abs(clientX - from) < THRESHOLD) return;
      tab.dataset.dragged = "true";
      actions.move(tab, placeAt(bar, tab, clientX));
    },
    { signal },
  );
  window.addEventListener("pointerup", end, { signal });
  window.addEventListener("pointercancel", end, { signal });
}

/** How many of the other tabs have their middle before a point. */
function placeAt(bar: HTMLElement, tab: HTMLElement, x: number): number {
  const others = [...bar.querySelectorAll<HTMLElement>(".tab")].filter((other) => other !== tab);
  return others.filter((other) => {
    const { left, width } = other.getBoundingClientRect();
    return left + width / 2 < x;
  }).length;
}
