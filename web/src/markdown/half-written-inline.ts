/** Closes what is open at the end of a line that is still being written: emphasis, code, links. */
type Opened = { sign: string; at: number };

const WORD = /[\p{L}\p{N}]/u;
const WHOLE_LINK = /^!?\[[^[\]]*\]\((?:[^()\s]|\([^()\s]*\))*(?:\s+"[^"]*")?\s*\)/;
const OPEN_LABEL = /^!?\[([^[\]]*)$/;
const OPEN_TARGET = /^!?\[([^[\]]*)\](?:\([^)]*)?$/;
const OPEN_AUTOLINK = /^<(?:h|ht|htt|https?|https?:[^\s>]*|m|ma|mai|mail|mailt|mailto|mailto:[^\s>]*)$/;

/** A line beyond this is no prose, and it is read again with each letter. */
const MOST = 4 * 1024;
/** Nobody means more than that at once. */
const MOST_OPEN = 6;

export function closedInline(line: string): string {
  return line.length > MOST ? line : new Closer(line).closed();
}

class Closer {
  private out = "";
  private readonly open: Opened[] = [];

  constructor(private readonly line: string) {}

  closed(): string {
    let at = 0;
    while (at < this.line.length) at = this.step(at);
    return this.close();
  }

  private step(at: number): number {
    const sign = this.line[at] ?? "";
    if (sign === "\\") return this.escaped(at);
    if (sign === "`") return this.code(at);
    if (sign === "[" || (sign === "!" && this.line[at + 1] === "[")) return this.link(at);
    if (sign === "<" && OPEN_AUTOLINK.test(this.line.slice(at))) return this.line.length;
    if (sign === "*" || sign === "_" || sign === "~") return this.emphasis(at, sign);
    return this.copy(at, at + 1);
  }

  private copy(from: number, to: number): number {
    this.out += this.line.slice(from, to);
    return to;
  }

  private escaped(at: number): number {
    return at + 1 === this.line.length ? at + 1 : this.copy(at, at + 2);
  }

  private code(at: number): number {
    const ticks = runAt(this.line, at);
    const end = closingTicks(this.line, at + ticks.length, ticks.length);
    if (end !== undefined) return this.copy(at, end);
    const code = this.line.slice(at + ticks.length).replace(/`+$/, "");
    if (code.trim() !== "") this.out += ticks + code + (code.endsWith("`") ? " " : "") + ticks;
    return this.line.length;
  }

  private link(at: number): number {
    const rest = this.line.slice(at);
    const whole = WHOLE_LINK.exec(rest)?.[0];
    if (whole !== undefined) return this.copy(at, at + whole.length);
    const label = OPEN_LABEL.exec(rest)?.[1] ?? OPEN_TARGET.exec(rest)?.[1];
    if (label === undefined) return this.copy(at, at + 1);
    this.out += closedInline(label);
    return this.line.length;
  }

  private emphasis(at: number, sign: string): number {
    const run = runAt(this.line, at);
    const end = at + run.length;
    // At the very end it may be half of a sign, the beginning of something, or its end.
    if (end === this.line.length) return end;
    if (sign === "~" && run.length !== 2) return this.copy(at, end);
    const [before, after] = [this.line[at - 1] ?? " ", this.line[end] ?? " "];
    const isInWord = WORD.test(before) && WORD.test(after);
    if (!isInWord && before.trim() !== "" && this.closes(run)) return this.copy(at, end);
    const opens = !WORD.test(before) && after.trim() !== "" && this.open.length < MOST_OPEN;
    if (opens) this.open.push({ sign: run, at: this.out.length });
    return this.copy(at, end);
  }

  private closes(run: string): boolean {
    const last = this.open.at(-1);
    if (last === undefined || last.sign[0] !== run[0]) return false;
    if (run.length < last.sign.length) last.sign = last.sign.slice(run.length);
    else this.open.pop();
    return true;
  }

  private close(): string {
    for (const { sign, at } of this.open.reverse()) {
      const isEmpty = this.out.slice(at + sign.length).trim() === "";
      this.out = isEmpty ? this.out.slice(0, at) : this.out.trimEnd() + sign;
    }
    return this.out;
  }
}

/** The run of equal signs that begins here. */
function runAt(line: string, at: number): string {
  let end = at;
  while (line[end] === line[at]) end += 1;
  return line.slice(at, end);
}

/** Where a run of exactly as many ticks ends. */
function closingTicks(line: string, from: number, count: number): number | undefined {
  for (const found of line.slice(from).matchAll(/`+/g)) {
    if (found[0].length === count) return from + found.index + count;
  }
  return undefined;
}
