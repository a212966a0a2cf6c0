/**
 * Keeps a scrolled box at its end while it grows, as long as the reader is there.
 *
 * Only the reader's own movement up ends following. Being away from the end does not: between growth and the scroll
 * that answers it the box is always away from it for a moment.
 */
export type ScrollPlace = { top: number; height: number; visible: number };

/** How far from the end, in pixels, still counts as being there. */
const NEAR = 24;

export function stillFollows(follows: boolean, before: ScrollPlace, now: ScrollPlace): boolean {
  if (now.height - now.visible - now.top <= NEAR) return true;
  return follows && now.top >= before.top;
}

export class FollowEnd {
  private follows = true;
  private place: ScrollPlace;

  constructor(
    private readonly box: HTMLElement,
    content: HTMLElement,
    private readonly changed: (follows: boolean) => void,
  ) {
    this.place = placeOf(box);
    box.addEventListener("scroll", () => this.scrolled(), { passive: true });
    const observer = new ResizeObserver(() => this.keep());
    observer.observe(box);
    observer.observe(content);
  }

  /** To be called after the content has changed. */
  keep(): void {
    if (!this.follows) return;
    this.box.scrollTop = this.box.scrollHeight;
    this.place = placeOf(this.box);
  }

  toEnd(): void {
    this.set(true);
    this.keep();
  }

  private scrolled(): void {
    const now = placeOf(this.box);
    const follows = stillFollows(this.follows, this.place, now);
    this.place = now;
    this.set(follows);
  }

  private set(follows: boolean): void {
    if (this.follows === follows) return;
    this.follows = follows;
    this.changed(follows);
  }
}

function placeOf(box: HTMLElement): ScrollPlace {
  return { top: box.scrollTop, height: box.scrollHeight, visible: box.clientHeight };
}
