/**
 * How to show the last line of a text that is still being written.
 *
 * Signs that have not yet got their meaning are left out, and those that are open are closed, so that nothing is first
 * shown as signs and then as what they mean. Only what is shown is changed, never the text.
 */
import { closedInline } from "./half-written-inline";

/** Signs of quotes, items and tasks before the words of a line. */
const CONTAINERS = /^(?:[ \t]*(?:>|[-*+](?=[ \t])|\d{1,9}[.)](?=[ \t])))*[ \t]*(?:\[[ xX]\][ \t]+)?/;
/** What may become anything yet: headings, rules, items, fences, tables, ticks of tasks, definitions. */
const UNDECIDED = [
  /^#{1,6}[ \t]*$/,
  /^[-*+_=~`][-*+_=~` \t]*$/,
  /^\d{1,3}[.)]?$/,
  /^`{3,}[^`]*$/,
  /^~{3,}/,
  /^\|?[-:| \t]+$/,
  /^\[[ xX]?\]?[ \t]*$/,
  /^\[[^\]]+\]:[ \t]*$/,
];
const ROW = /^ {0,3}\|/;

export function withoutHalves(source: string): string {
  const start = source.lastIndexOf("\n") + 1;
  const line = source.slice(start);
  if (line.trim() === "") return withoutTableHead(source);
  const signs = CONTAINERS.exec(line)?.[0] ?? "";
  const words = line.slice(signs.length);
  if (words === "" || UNDECIDED.some((shape) => shape.test(words))) {
    return withoutTableHead(source.slice(0, start));
  }
  if (ROW.test(line) && mayBeTableHead(source, start)) return source.slice(0, start);
  return source.slice(0, start) + signs + closedInline(words);
}

/** A first row is no table before the line below it is whole. */
function withoutTableHead(source: string): string {
  const end = source.endsWith("\n") ? source.length - 1 : source.length;
  const start = source.lastIndexOf("\n", end - 1) + 1;
  const line = source.slice(start, end);
  return ROW.test(line) && mayBeTableHead(source, start) ? source.slice(0, start) : source;
}

function mayBeTableHead(source: string, start: number): boolean {
  const before = source.slice(source.lastIndexOf("\n", start - 2) + 1, Math.max(0, start - 1));
  return start === 0 || !before.includes("|");
}
