/** The end of a text, as blocks of which the first may be final. */
import type { Token } from "marked";

export type Tail = {
  source: string;
  tokens: Token[];
  /** Where each token begins, and where the last one ends. */
  starts: number[];
  /** The last token that is more than space, or -1. */
  last: number;
  /** How many of the first tokens can no longer change. */
  whole: number;
};

export function tailOf(source: string, tokens: Token[]): Tail {
  const starts = [0];
  for (const token of tokens) starts.push((starts.at(-1) ?? 0) + token.raw.length);
  const last = tokens.findLastIndex((token) => token.type !== "space");
  const before = tokens.slice(0, Math.max(0, last)).findLastIndex((token) => token.type !== "space");
  const isKnown = isBeginKnown(source.slice(starts[last] ?? 0), tokens, last);
  const whole = Math.max(0, isKnown ? last : before);
  // Should the pieces not make up the text, nothing is known of where they are.
  return { source, tokens, starts, last, whole: starts.at(-1) === source.length ? whole : 0 };
}

const EMPTY_ITEM = /^\s*(?:[-*+]|\d+[.)])\s*$/;

/**
 * Whether it is known that a block begins here: when its first line is whole. A table that follows a text at once is
 * told from more of that text only by its second line, and a list only by the words of its first item.
 */
function isBeginKnown(source: string, tokens: Token[], at: number): boolean {
  const line = source.indexOf("\n") + 1;
  if (line === 0 || tokens[at - 1]?.type !== "paragraph") return line > 0;
  if (tokens[at]?.type === "list" && EMPTY_ITEM.test(source.slice(0, line))) return false;
  const isText = tokens[at]?.type === "paragraph" || tokens[at]?.type === "table";
  return !isText || source.indexOf("\n", line) >= 0;
}
