/** A block of code that is still being written: taken line by line, never read again. */
import { FenceView } from "./fence-view";

const OPENING = /^( {0,3})(`{3,}(?=[^`\n]*\n)|~{3,})([^\n]*)\n/;

export class OpenFence {
  readonly view: FenceView;
  private readonly closing: RegExp;
  private isFirstLine = true;
  /** How much of the unfinished line is shown already. */
  private shownOfLine = 0;

  private constructor(
    readonly opening: string,
    private readonly indent: number,
    ticks: string,
    info: string,
  ) {
    this.view = new FenceView(info);
    this.closing = new RegExp(`^ {0,3}${ticks}[~\`]* *$`);
  }

  /** The fence that begins here, once its first line is whole. */
  static at(source: string, info: string): OpenFence | undefined {
    const [opening, indent, ticks] = OPENING.exec(source) ?? [];
    if (opening === undefined || indent === undefined || ticks === undefined) return undefined;
    // Space before tildes is not taken off: so does marked with fences that come whole.
    return new OpenFence(opening, ticks.startsWith("`") ? indent.length : 0, ticks, info);
  }

  /** Takes whole lines out of the source; tells how much was taken and whether the fence was closed. */
  feed(source: string, isFinal: boolean): { taken: number; isClosed: boolean } {
    let taken = 0;
    for (;;) {
      const end = source.indexOf("\n", taken);
      if (end < 0) break;
      const line = source.slice(taken, end);
      taken = end + 1;
      if (this.closing.test(line)) return { taken, isClosed: true };
      this.show(line);
      this.isFirstLine = false;
      this.shownOfLine = 0;
    }
    return this.feedUnfinished(source.slice(taken), taken, isFinal);
  }

  /** The last line is shown as it grows, unless it may become the end of the fence. */
  private feedUnfinished(
    line: string,
    taken: number,
    isFinal: boolean,
  ): { taken: number; isClosed: boolean } {
    if (isFinal) {
      const whole = taken + line.length;
      if (line !== "" && !this.closing.test(line)) this.show(line);
      return { taken: whole, isClosed: true };
    }
    const mayClose = /^ {0,3}[`~]* *$/.test(line) && this.shownOfLine === 0;
    if (!mayClose) this.show(line);
    return { taken, isClosed: false };
  }

  private show(line: string): void {
    if (this.shownOfLine === 0 && !this.isFirstLine) this.view.code.append("\n");
    const text = this.withoutIndent(line);
    this.view.code.append(text.slice(Math.max(0, this.shownOfLine - 1)));
    // Counted from one, to tell a line that is shown and empty from one that is not.
    this.shownOfLine = text.length + 1;
  }

  /** As much of the space before a line as there is before the fence belongs to the fence. */
  private withoutIndent(line: string): string {
    const space = /^\s*/.exec(line)?.[0].length ?? 0;
    return line.slice(Math.min(space, this.indent));
  }
}
