/**
 * Tells for how long something has stood where it stands, so that a press meant for what was there before is no press.
 *
 * What is scrolled is moved by whoever looks at it, on purpose: that is no move.
 */

/** As often it is looked where things are; whoever asks looks once more. */
const LOOK_MS = 100;
/** What has this class is watched. */
export const WATCHED = "keeps-place";

type Stand = { screen: string; content: string; since: number };

const stands = new WeakMap<Element, Stand>();

export function followPlaces(): void {
  const watched = document.getElementsByClassName(WATCHED);
  setInterval(() => {
    for (const one of watched) standOf(one, performance.now());
  }, LOOK_MS);
}

export function stillFor(watched: Element, now: number): number {
  return now - standOf(watched, now).since;
}

function standOf(watched: Element, now: number): Stand {
  const known = stands.get(watched);
  const { screen, content } = placesOf(watched);
  const isMoved = known?.screen !== screen && known?.content !== content;
  const stand = { screen, content, since: isMoved ? now : (known?.since ?? now) };
  stands.set(watched, stand);
  return stand;
}

/** Where its buttons are: on the screen, and in what can be scrolled. */
function placesOf(watched: Element): { screen: string; content: string } {
  let [left, top] = [0, 0];
  for (let around = watched.parentElement; around; around = around.parentElement) {
    left += around.scrollLeft;
    top += around.scrollTop;
  }
  const boxes = Array.from(watched.getElementsByTagName("button"), (one) => one.getBoundingClientRect());
  const at = (x: number, y: number) =>
    boxes.map((box) => `${Math.round(box.x + x)},${Math.round(box.y + y)}`);
  return { screen: at(0, 0).join(" "), content: at(left, top).join(" ") };
}
