/** How much of a long output is shown at first, and how long it is. Nothing here reads more of a text than it has to. */

/** An output of so many lines is shown as it is. */
export const MOST_LINES = 80;
const MOST_CHARACTERS = 24 * 1024;

/** Counts lines of a text that grows, by what is new of it. */
export class LineCount {
  private ended = 0;
  private length = 0;
  private endsLine = true;

  /** `text` goes on from what was counted before, or is another one. */
  update(text: string, isMore: boolean): number {
    if (!isMore) [this.ended, this.length] = [0, 0];
    for (let at = text.indexOf("\n", this.length); at >= 0; at = text.indexOf("\n", at + 1)) this.ended += 1;
    this.length = text.length;
    this.endsLine = text === "" || text.endsWith("\n");
    return this.ended + (this.endsLine ? 0 : 1);
  }
}

/** Where the last lines begin. */
export function lastLinesFrom(text: string, lines = MOST_LINES, characters = MOST_CHARACTERS): number {
  const least = Math.max(0, text.length - characters);
  let from = text.endsWith("\n") ? text.length - 1 : text.length;
  for (let count = 0; count < lines; count += 1) {
    const end = from <= 0 ? -1 : text.lastIndexOf("\n", from - 1);
    if (end < 0 && least === 0) return 0;
    // A line that is too long by itself is cut, others are left out whole.
    if (end < least) return count === 0 ? least : from + 1;
    from = end;
  }
  return from + 1;
}

/** Where the first lines end. */
export function firstLinesTo(text: string, lines = MOST_LINES, characters = MOST_CHARACTERS): number {
  const most = Math.min(text.length, characters);
  let to = 0;
  for (let count = 0; count < lines; count += 1) {
    const end = text.indexOf("\n", to);
    if (end < 0 || end >= most) return most;
    to = end + 1;
  }
  return to;
}
