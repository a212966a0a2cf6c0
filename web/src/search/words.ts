/** What is looked for, by the server's rule: all words, in any order, each the beginning of one. Pure. */
import type { UpsertObject } from "../contract";

export type Span = { from: number; to: number };

export function wordsOf(query: string): string[] {
  return [...new Set(query.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [])];
}

/** Where the words are in a text, in order and without overlaps: the first ones, if there are more than `most`. */
export function spansOf(text: string, words: readonly string[], most = Number.POSITIVE_INFINITY): Span[] {
  if (words.length === 0) return [];
  // The longest first: where one word begins another, the longer one is meant.
  const any = [...words].sort((a, b) => b.length - a.length).join("|");
  const found = text.matchAll(new RegExp(`(?<![\\p{L}\\p{N}])(?:${any})`, "giu"));
  const spans: Span[] = [];
  for (const { index, 0: word } of found) {
    if (spans.length >= most) break;
    spans.push({ from: index, to: index + word.length });
  }
  return spans;
}

export function hasAll(text: string, words: readonly string[]): boolean {
  return words.length > 0 && words.every((word) => spansOf(text, [word], 1).length > 0);
}

/** What a reader sees of an item, as the server looks through it. */
export function searchedText(item: UpsertObject): string {
  if (item.type !== "tool_call") return item.content;
  return `${item.toolName} ${JSON.stringify(item.toolArguments)} ${item.toolOutput ?? ""}`;
}
