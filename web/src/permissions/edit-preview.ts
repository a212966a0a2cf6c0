/** What an edit would change, from the arguments of the call that asks for it. Pure. */
import type { FileDiff } from "../contract";

type Arguments = Readonly<Record<string, unknown>>;
type Edit = { before: string; after: string };

/** Above this the smallest difference is not looked for: all that goes, then all that comes. */
const MOST_LINES = 600;

/** The change of one file, if the arguments are those of an edit. */
export function editPreview(given: Arguments): FileDiff | undefined {
  const path = textOf(given, "file_path") ?? textOf(given, "path");
  if (path === undefined) return undefined;
  const edits = editsOf(given);
  if (edits.length === 0) return undefined;
  return { path, hunks: edits.map(hunk) };
}

/** The names of the arguments that the preview shows whole. */
export function shownByPreview(given: Arguments): readonly string[] {
  if (Array.isArray(given.edits)) return ["file_path", "path", "edits"];
  if (textOf(given, "content") !== undefined) return ["file_path", "path", "content"];
  return ["file_path", "path", "old_string", "new_string"];
}

function editsOf(given: Arguments): Edit[] {
  if (Array.isArray(given.edits)) {
    const edits = given.edits.map((one) => editOf(one as Arguments));
    // One that is not understood must not be left out of what is shown.
    return edits.every((one) => one !== undefined) ? edits : [];
  }
  const edit = editOf(given);
  if (edit) return [edit];
  const content = textOf(given, "content");
  return content === undefined ? [] : [{ before: "", after: content }];
}

function editOf(given: Arguments | null): Edit | undefined {
  if (given === null || typeof given !== "object") return undefined;
  const [before, after] = [textOf(given, "old_string"), textOf(given, "new_string")];
  return before === undefined || after === undefined ? undefined : { before, after };
}

function textOf(given: Arguments, name: string): string | undefined {
  const value = given[name];
  return typeof value === "string" ? value : undefined;
}

function hunk({ before, after }: Edit): FileDiff["hunks"][number] {
  const [old, fresh] = [linesOf(before), linesOf(after)];
  const lines = lineDiff(old, fresh);
  return { oldStart: 1, oldLines: old.length, newStart: 1, newLines: fresh.length, lines };
}

function linesOf(text: string): string[] {
  return text === "" ? [] : text.split("\n");
}

/** Lines with their signs: the fewest that go and come, where that is cheap to find. */
export function lineDiff(old: readonly string[], fresh: readonly string[]): string[] {
  if (old.length + fresh.length > MOST_LINES) return [...signed("-", old), ...signed("+", fresh)];
  const common = commonLengths(old, fresh);
  const lines: string[] = [];
  let [i, j] = [0, 0];
  while (i < old.length || j < fresh.length) {
    if (i < old.length && j < fresh.length && old[i] === fresh[j]) {
      lines.push(` ${old[i]}`);
      i += 1;
      j += 1;
    } else if (i < old.length && (j === fresh.length || at(common, i + 1, j) >= at(common, i, j + 1))) {
      lines.push(`-${old[i]}`);
      i += 1;
    } else {
      lines.push(`+${fresh[j]}`);
      j += 1;
    }
  }
  return lines;
}

/** Of each pair of ends, how many lines they have in common. */
function commonLengths(old: readonly string[], fresh: readonly string[]): number[][] {
  const table = Array.from({ length: old.length + 1 }, () => new Array<number>(fresh.length + 1).fill(0));
  for (let i = old.length - 1; i >= 0; i -= 1) {
    const row = table[i] as number[];
    for (let j = fresh.length - 1; j >= 0; j -= 1) {
      row[j] =
        old[i] === fresh[j]
          ? at(table, i + 1, j + 1) + 1
          : Math.max(at(table, i + 1, j), at(table, i, j + 1));
    }
  }
  return table;
}

function at(table: number[][], i: number, j: number): number {
  return table[i]?.[j] ?? 0;
}

function signed(sign: string, lines: readonly string[]): string[] {
  return lines.map((line) => sign + line);
}
