/**
 * Reads what programs write for a terminal: text with colours, piece by piece as it comes.
 *
 * Only colours and weights mean something here, and a return to the start of the line. All other sequences are left out; other
 * characters that cannot be seen are written as escapes.
 */
import { visibleText } from "../text/visible-text";

/** Text of one look, or the return to the start of its line: what stands in the line so far is written over. */
export type Piece = { text: string; look: string } | "rewind";

/** What a sequence may be at most; a longer one is text. */
const LONGEST = 2_048;
const CONTROL = /(?![\n\t])\p{Cc}/u;
// Control sequences, commands with a text, and two letters; a carriage return with what follows it.
const SIGN =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  /(?:\u001b\[|\u009b)([0-?]*)[ -/]*([@-~])|(?:\u001b[\]PX^_]|[\u009d\u0090])[^\u0007\u001b\u009c]*(?:\u0007|\u001b\\|\u009c)|\u001b[ -/]*[0-Z\\`-~]|\r+\n|\r+(?!\n)|\u0007/g;
const UNFINISHED =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  /(?:\r+|(?:\u001b\[|\u009b)[0-?]*[ -/]*|(?:\u001b[\]PX^_]|[\u009d\u0090])[^\u0007\u001b\u009c]*\u001b?|\u001b[ -/]*)$/;

export class AnsiReader {
  private readonly style = new Style();
  private waiting = "";

  read(written: string): Piece[] {
    const all = this.waiting + written;
    const rest = UNFINISHED.exec(all.slice(-LONGEST))?.[0] ?? "";
    this.waiting = rest;
    return this.pieces(rest === "" ? all : all.slice(0, -rest.length));
  }

  private pieces(text: string): Piece[] {
    const pieces: Piece[] = [];
    let from = 0;
    for (const sign of text.matchAll(SIGN)) {
      this.add(pieces, text.slice(from, sign.index));
      from = sign.index + sign[0].length;
      this.mean(pieces, sign[0], sign[1], sign[2]);
    }
    this.add(pieces, text.slice(from));
    return pieces;
  }

  private mean(pieces: Piece[], sign: string, values?: string, letter?: string): void {
    if (letter === "m") this.style.change(values ?? "");
    else if (letter === "K" && values === "2") pieces.push("rewind");
    else if (sign.startsWith("\r")) {
      if (sign.endsWith("\n")) this.add(pieces, "\n");
      else pieces.push("rewind");
    }
  }

  private add(pieces: Piece[], text: string): void {
    if (text === "") return;
    const { look } = this.style;
    const last = pieces.at(-1);
    const shown = visibleText(text);
    if (last !== undefined && last !== "rewind" && last.look === look) last.text += shown;
    else pieces.push({ text: shown, look });
  }
}

/** The text without its signs, for those who copy it. */
export function plainOutput(output: string): string {
  if (!CONTROL.test(output)) return output;
  let text = "";
  for (const piece of new AnsiReader().read(output)) {
    text = piece === "rewind" ? text.slice(0, text.lastIndexOf("\n") + 1) : text + piece.text;
  }
  return text;
}

const WEIGHTS = new Map([
  [1, "bold"],
  [2, "dim"],
  [3, "italic"],
  [4, "underline"],
  [7, "inverse"],
  [9, "strike"],
]);

class Style {
  private readonly weights = new Set<string>();
  private ink = "";
  private paper = "";
  private shown = "";

  /** Names of classes, in one order. */
  get look(): string {
    return this.shown;
  }

  change(values: string): void {
    const codes = values.split(/[;:]/).map(Number);
    for (let at = 0; at < codes.length; at += 1) at += this.take(codes, at);
    const names = [...this.weights].sort().map((weight) => `ansi-${weight}`);
    this.shown = [this.ink, this.paper, ...names].filter((name) => name !== "").join(" ");
  }

  /** Gives how many of the following codes belong to this one. */
  private take(codes: number[], at: number): number {
    const code = codes[at] ?? 0;
    const weight = WEIGHTS.get(code);
    if (weight !== undefined) this.weights.add(weight);
    else if (code === 0) this.reset();
    else if (code === 22) for (const one of ["bold", "dim"]) this.weights.delete(one);
    else if (code > 22 && code < 30) this.weights.delete(WEIGHTS.get(code - 20) ?? "");
    else return this.colour(codes, at, code);
    return 0;
  }

  private colour(codes: number[], at: number, code: number): number {
    if (code === 39) this.ink = "";
    else if (code === 49) this.paper = "";
    else if (code >= 30 && code < 38) this.ink = `ansi-${code - 30}`;
    else if (code >= 90 && code < 98) this.ink = `ansi-${code - 82}`;
    else if (code >= 40 && code < 48) this.paper = `ansi-on-${code - 40}`;
    else if (code >= 100 && code < 108) this.paper = `ansi-on-${code - 92}`;
    else if (code === 38 || code === 48) return this.mixed(codes, at, code === 38);
    return 0;
  }

  /** One of 256 colours, or any: the nearest of the sixteen that can be read here. */
  private mixed(codes: number[], at: number, isInk: boolean): number {
    const [kind = 0, a = 0, b = 0, c = 0] = codes.slice(at + 1, at + 5);
    if (kind !== 5 && kind !== 2) return 0;
    const number = kind === 5 ? ofTable(a) : nearest(a, b, c);
    if (isInk) this.ink = `ansi-${number}`;
    else this.paper = `ansi-on-${number}`;
    return kind === 5 ? 2 : 4;
  }

  private reset(): void {
    this.weights.clear();
    this.ink = "";
    this.paper = "";
  }
}

function ofTable(index: number): number {
  if (index < 16) return index;
  if (index >= 232) return nearest(...threeTimes(8 + (index - 232) * 10));
  const at = index - 16;
  const level = (part: number) => (part === 0 ? 0 : 55 + part * 40);
  return nearest(level(Math.floor(at / 36)), level(Math.floor(at / 6) % 6), level(at % 6));
}

function threeTimes(value: number): [number, number, number] {
  return [value, value, value];
}

/** By which of red, green and blue it is made of; what has little colour is a grey. */
function nearest(red: number, green: number, blue: number): number {
  const most = Math.max(red, green, blue);
  const least = Math.min(red, green, blue);
  if (most - least < 40) {
    if (most < 64) return 0;
    if (most < 144) return 8;
    return most < 216 ? 7 : 15;
  }
  const middle = (most + least) / 2;
  const mix = (red > middle ? 1 : 0) + (green > middle ? 2 : 0) + (blue > middle ? 4 : 0);
  return mix + (most > 200 ? 8 : 0);
}
