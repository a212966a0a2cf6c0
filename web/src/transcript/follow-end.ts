/**
 * Keeps a scrolled box at its end while it grows, as long as the reader is there, and else what is read where it is.
 *
 * Only the reader's own movement up ends following. Being away from the end does not: between growth and the scroll
 * that answers it the box is always away from it for a moment.
 */
import type { KeepPlace } from "./keep-place";

export type ScrollPlace = { top: number; height: number; visible: number };

/** How far from the end, in pixels, still counts as being there. */
const NEAR = 24;

export function stillFollows(follows: boolean, before: ScrollPlace, now: ScrollPlace): boolean {
  if (now.height - now.visible - now.top <= NEAR) return true;
  return follows && now.top >= before.top;
}

export type FollowActions = {
  changed(follows: boolean): void;
  /** Whether the end of what is shown is the end of the session. */
  isEnd(): boolean;
  /** Something is in sight that was far from it just now. */
  jumped(): void;
};

export class FollowEnd {
  private following = true;
  private place: ScrollPlace;

  constructor(
    private readonly box: HTMLElement,
    private readonly content: HTMLElement,
    private readonly reading: KeepPlace,
    private readonly actions: FollowActions,
  ) {
    this.place = placeOf(box);
    box.addEventListener("scroll", () => this.scrolled(), { passive: true });
    // Opening something is reading it: what was opened stays where it is.
    content.addEventListener("click", (event) => this.opened(event));
    const observer = new ResizeObserver(() => this.keep());
    observer.observe(box);
    observer.observe(content);
  }

  get follows(): boolean {
    return this.following;
  }

  /** To be called after the content has changed. */
  keep(): void {
    if (this.following && this.box.scrollHeight !== this.place.height && this.isSelecting()) this.leave();
    if (!this.following) return this.reading.restore();
    this.box.scrollTop = this.box.scrollHeight;
    this.place = placeOf(this.box);
    this.reading.recordAnew();
  }

  toEnd(): void {
    this.set(true);
    this.box.scrollTop = this.box.scrollHeight;
    this.actions.jumped();
    this.keep();
  }

  /** The reader goes elsewhere, and the end is not to be followed from there. */
  leave(): void {
    this.set(false);
    this.place = placeOf(this.box);
    this.reading.recordAnew();
  }

  private opened({ target }: Event): void {
    if (!(target instanceof Element && target.closest("summary"))) return;
    this.leave();
    requestAnimationFrame(() => this.scrolled());
  }

  private isSelecting(): boolean {
    const selection = this.box.ownerDocument.getSelection();
    return selection !== null && !selection.isCollapsed && this.content.contains(selection.anchorNode);
  }

  private scrolled(): void {
    if (this.box.clientHeight === 0) return;
    const now = placeOf(this.box);
    const follows = this.actions.isEnd() && stillFollows(this.following, this.place, now);
    if (Math.abs(now.top - this.place.top) > now.visible) this.actions.jumped();
    this.place = now;
    this.reading.record();
    this.set(follows);
  }

  private set(follows: boolean): void {
    if (this.following === follows) return;
    this.following = follows;
    this.actions.changed(follows);
  }
}

function placeOf(box: HTMLElement): ScrollPlace {
  return { top: box.scrollTop, height: box.scrollHeight, visible: box.clientHeight };
}
