/**
 * Guards against answers that were meant for something else: what has just come under the pointer or the focus takes
 * none for a moment. Pure: time is an argument, in milliseconds.
 */
export const GRACE_MS = 500;

export class Grace {
  private until: number;

  constructor(now: number) {
    this.until = now + GRACE_MS;
  }

  /** It came to another place, by itself. */
  moved(now: number): void {
    this.until = now + GRACE_MS;
  }

  isOver(now: number): boolean {
    return now >= this.until;
  }
}
