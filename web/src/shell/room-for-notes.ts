/**
 * Notes lie over the top of what is read instead of pushing it away. Room above its first line keeps all of it within
 * reach: it comes and goes together with a scroll by as much, so that nothing that is seen moves.
 */

/** What is scrolled beneath the notes has this class. */
export const UNDER_NOTES = "under-notes";
const ROOM = "--notes-room";

export class RoomForNotes {
  private height = 0;
  /** Boxes whose room is looked at, and how much it is: it stays until the reader goes on. */
  private readonly held = new Map<Element, number>();

  constructor(private readonly notes: HTMLElement) {
    new ResizeObserver(() => this.follow()).observe(notes);
    document.addEventListener("scroll", ({ target }) => this.scrolled(target), {
      capture: true,
      passive: true,
    });
  }

  private follow(): void {
    const before = this.height;
    this.height = this.notes.offsetHeight;
    if (this.height === before) return;
    const boxes = [...document.querySelectorAll<HTMLElement>(`.${UNDER_NOTES}`)];
    // Before anything changes: taking room away scrolls by itself what has nowhere else to go.
    const places = boxes.map((box) => ({ box, top: box.scrollTop, room: this.held.get(box) ?? before }));
    // For all of them, and for what is opened meanwhile.
    document.documentElement.style.setProperty(ROOM, `${this.height}px`);
    this.held.clear();
    for (const { box, top, room } of places) this.leaveRoom(box, top, room);
  }

  private leaveRoom(box: HTMLElement, top: number, room: number): void {
    const wanted = top + this.height - room;
    const isHeld = wanted < 0 && box.clientHeight > 0;
    if (isHeld) this.held.set(box, room);
    box.style.setProperty(ROOM, isHeld ? `${room}px` : "");
    box.scrollTop = isHeld ? top : wanted;
  }

  private scrolled(target: EventTarget | null): void {
    const box = target as HTMLElement;
    const room = this.held.get(box);
    if (room === undefined || box.scrollTop + this.height < room) return;
    this.held.delete(box);
    this.leaveRoom(box, box.scrollTop, room);
  }
}
