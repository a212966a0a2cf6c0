/** A file's changes as lines that can be shown. */
import type { DiffHunk, FileDiff } from "../contract";

export type DiffLineKind = "added" | "removed" | "same" | "gap";
export type DiffLine = { kind: DiffLineKind; number: string; text: string };

/** The lines of all hunks, numbered as in the file that they belong to, with a gap between hunks. */
export function diffLines(diff: FileDiff): DiffLine[] {
  return diff.hunks.flatMap((hunk, at) => (at === 0 ? hunkLines(hunk) : [GAP, ...hunkLines(hunk)]));
}

export function diffCounts(diff: FileDiff): { added: number; removed: number } {
  const lines = diff.hunks.flatMap((hunk) => hunk.lines);
  const starting = (sign: string) => lines.filter((line) => line.startsWith(sign)).length;
  return { added: starting("+"), removed: starting("-") };
}

const GAP: DiffLine = { kind: "gap", number: "", text: "⋯" };

function hunkLines(hunk: DiffHunk): DiffLine[] {
  let [before, after] = [hunk.oldStart, hunk.newStart];
  return hunk.lines.map((line) => {
    const text = line.slice(1);
    if (line.startsWith("+")) return { kind: "added", number: String(after++), text };
    if (line.startsWith("-")) return { kind: "removed", number: String(before++), text };
    // What a diff says of itself, such as that lines were left out, is no line of the file.
    if (line.startsWith("\\")) return { kind: "gap", number: "", text: `⋯${text}` };
    before += 1;
    return { kind: "same", number: String(after++), text };
  });
}
