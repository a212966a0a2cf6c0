/** Changes of files as a patch that `git apply` and `patch` take. */
import type { DiffHunk, FileDiff } from "../contract";

export const NO_NEWLINE = "\\ No newline at end of file";

/** Nothing for changes of which lines or their places are not known: half of a patch is none. */
export function patchOf(diffs: FileDiff[]): string | undefined {
  const isWhole = diffs.every(({ hunks }) =>
    hunks.every((hunk) => isPlaced(hunk) && hunk.lines.every(isLine)),
  );
  return isWhole && diffs.length > 0 ? diffs.map(filePatch).join("") : undefined;
}

function filePatch({ path, hunks }: FileDiff): string {
  const isNew = hunks.length === 1 && hunks[0]?.oldLines === 0 && hunks[0].oldStart === 0;
  const isGone = hunks.length === 1 && hunks[0]?.newLines === 0 && hunks[0].newStart === 0;
  const before = isNew ? "/dev/null" : named("a", path);
  const after = isGone ? "/dev/null" : named("b", path);
  return `--- ${before}\n+++ ${after}\n${hunks.map(hunkPatch).join("")}`;
}

function hunkPatch({ oldStart, newStart, lines }: DiffHunk): string {
  // Counted anew: a header that does not fit to its lines makes a patch useless.
  const before = lines.filter((line) => !line.startsWith("+") && !line.startsWith("\\")).length;
  const after = lines.filter((line) => !line.startsWith("-") && !line.startsWith("\\")).length;
  return `@@ -${oldStart},${before} +${newStart},${after} @@\n${lines.map((line) => `${line === "" ? " " : line}\n`).join("")}`;
}

function isPlaced({ oldStart, newStart }: DiffHunk): boolean {
  return oldStart > 0 || newStart > 0;
}

function isLine(line: string): boolean {
  return !line.startsWith("\\") || line === NO_NEWLINE;
}

function named(side: "a" | "b", path: string): string {
  const name = `${side}/${path.replace(/^\/+/, "")}`;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: names that hold them are quoted
  return /["\\\u0000-\u001f]/.test(name) ? JSON.stringify(name) : name;
}
