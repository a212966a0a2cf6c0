/** Esc stops a turn, but only when it is pressed twice: the first press says so. Pure but for its clock. */

/** How long the first press counts. */
export const AGAIN_MS = 2_000;

export class StopTwice {
  private until = 0;

  /** Whether this press stops; else it was the first one. */
  pressed(now: number): boolean {
    const isSecond = now < this.until;
    this.until = isSecond ? 0 : now + AGAIN_MS;
    return isSecond;
  }

  isArmed(now: number): boolean {
    return now < this.until;
  }

  forget(): void {
    this.until = 0;
  }
}
