/** A file's changes as lines that can be shown, one under the other or side by side. */
import type { DiffHunk, FileDiff } from "../contract";
import { counted } from "../text/amount-text";
import { type Words, wordDiff } from "./word-diff";

export type DiffLineKind = "added" | "removed" | "same" | "gap";
export type DiffLine = {
  kind: DiffLineKind;
  /** Its number before and after; what was not there has none. */
  before?: number;
  after?: number;
  text: string;
  /** Which of its words are others than in the line that it was or became. */
  words?: Words;
};
/** A line of two columns: the same line twice, a change, or what was only removed or only added. */
export type DiffPair = { before?: DiffLine; after?: DiffLine };

/** The lines of all hunks, numbered as in the file that they belong to, with a gap between hunks. */
export function diffLines(diff: FileDiff): DiffLine[] {
  const lines = diff.hunks.flatMap((hunk, at) => [
    ...gapBefore(diff.hunks[at - 1], hunk),
    ...hunkLines(hunk),
  ]);
  markWords(lines);
  return lines;
}

/** The same lines, side by side. */
export function diffPairs(lines: DiffLine[]): DiffPair[] {
  const pairs: DiffPair[] = [];
  for (let at = 0; at < lines.length; ) {
    const { removed, added } = changeAt(lines, at);
    const rows = Math.max(removed.length, added.length);
    for (let row = 0; row < rows; row += 1) pairs.push(pairOf(removed[row], added[row]));
    const same = lines[at];
    if (rows === 0 && same) pairs.push({ before: same, after: same });
    at += Math.max(1, removed.length + added.length);
  }
  return pairs;
}

export function diffCounts(diff: FileDiff): { added: number; removed: number } {
  let [added, removed] = [0, 0];
  for (const { lines } of diff.hunks) {
    for (const line of lines) {
      if (line.startsWith("+")) added += 1;
      else if (line.startsWith("-")) removed += 1;
    }
  }
  return { added, removed };
}

/** What all files of a call changed together. */
export function totalCounts(diffs: FileDiff[]): { added: number; removed: number } {
  return diffs
    .map(diffCounts)
    .reduce((sum, one) => ({ added: sum.added + one.added, removed: sum.removed + one.removed }), {
      added: 0,
      removed: 0,
    });
}

function gapBefore(previous: DiffHunk | undefined, hunk: DiffHunk): DiffLine[] {
  if (!previous) return [];
  const left = hunk.oldStart - previous.oldStart - previous.oldLines;
  return [{ kind: "gap", text: left > 0 ? `${counted(left, "line")} not changed` : "⋯" }];
}

function hunkLines(hunk: DiffHunk): DiffLine[] {
  let [before, after] = [hunk.oldStart, hunk.newStart];
  // Lines of which nobody knows where they are have no numbers.
  if (before === 0 && after === 0) return hunkLines({ ...hunk, oldStart: 1, newStart: 1 }).map(unnumbered);
  return hunk.lines.map((line): DiffLine => {
    const text = line.slice(1);
    if (line.startsWith("+")) return { kind: "added", after: after++, text };
    if (line.startsWith("-")) return { kind: "removed", before: before++, text };
    // What a diff says of itself, such as that lines were left out, is no line of the file.
    if (line.startsWith("\\")) return { kind: "gap", text: text.trim() };
    return { kind: "same", before: before++, after: after++, text };
  });
}

function unnumbered({ kind, text }: DiffLine): DiffLine {
  return { kind, text };
}

/** Lines that were removed and lines that follow them in their place. */
function changeAt(lines: DiffLine[], from: number): { removed: DiffLine[]; added: DiffLine[] } {
  let at = from;
  while (lines[at]?.kind === "removed") at += 1;
  const removed = lines.slice(from, at);
  while (lines[at]?.kind === "added") at += 1;
  return { removed, added: lines.slice(from + removed.length, at) };
}

function markWords(lines: DiffLine[]): void {
  for (let at = 0; at < lines.length; ) {
    const { removed, added } = changeAt(lines, at);
    // Where as many lines came as went, each became another; otherwise nobody knows which.
    if (removed.length === added.length)
      for (const [n, before] of removed.entries()) markPair(before, added[n]);
    at += Math.max(1, removed.length + added.length);
  }
}

function markPair(before: DiffLine, after: DiffLine | undefined): void {
  const words = after && wordDiff(before.text, after.text);
  if (!words) return;
  before.words = words.before;
  after.words = words.after;
}

function pairOf(before: DiffLine | undefined, after: DiffLine | undefined): DiffPair {
  return { ...(before && { before }), ...(after && { after }) };
}
