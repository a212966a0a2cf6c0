/**
 * Esc stops a turn, but only when it is pressed twice: the first press says so. It counts for what was looked at then, and for
 * nothing that came in its place. Pure but for its clock.
 */

/** How long the first press counts. */
export const AGAIN_MS = 2_000;

export class StopTwice {
  private until = 0;
  private meant: string | undefined;

  /** Whether this press stops `what`; else it was the first one. */
  pressed(now: number, what: string): boolean {
    const isSecond = now < this.until && this.meant === what;
    this.until = isSecond ? 0 : now + AGAIN_MS;
    this.meant = what;
    return isSecond;
  }

  /** Whether the first press was meant for this. */
  isFor(what: string | undefined): boolean {
    return this.meant === what;
  }

  isArmed(now: number): boolean {
    return now < this.until;
  }

  forget(): void {
    this.until = 0;
  }
}
