/** The changes of an edit: as its agent tells them, or, before it has told, as its arguments propose them. */
import type { DiffHunk, FileDiff, ToolArguments } from "../contract";
import type { ToolItem } from "./tool-text";

/** So many lines that stay are shown around a proposal. */
const AROUND = 3;
const known = new WeakMap<ToolArguments, FileDiff[]>();

export function changesOf(item: ToolItem): FileDiff[] | undefined {
  if (item.diff) return item.diff;
  const proposed = known.get(item.toolArguments) ?? proposedBy(item.toolArguments);
  known.set(item.toolArguments, proposed);
  return proposed.length > 0 ? proposed : undefined;
}

function proposedBy(told: ToolArguments): FileDiff[] {
  const path = told.file_path;
  if (typeof path !== "string") return [];
  const edits = Array.isArray(told.edits) ? told.edits : [told];
  const hunks = edits.map(hunkOf).filter((hunk) => hunk !== undefined);
  return hunks.length === edits.length && hunks.length > 0 ? [{ path, hunks }] : [];
}

/** Where in the file it is nobody knows yet: it begins at line 0, which means no line. */
function hunkOf(edit: unknown): DiffHunk | undefined {
  const { old_string: before, new_string: after } = (edit ?? {}) as Record<string, unknown>;
  if (typeof before !== "string" || typeof after !== "string") return undefined;
  const [old, now] = [linesOf(before), linesOf(after)];
  const most = Math.min(old.length, now.length);
  let first = 0;
  while (first < most && old[first] === now[first]) first += 1;
  let last = 0;
  while (last < most - first && old.at(-1 - last) === now.at(-1 - last)) last += 1;
  const lines = [
    ...old.slice(Math.max(0, first - AROUND), first).map((line) => ` ${line}`),
    ...old.slice(first, old.length - last).map((line) => `-${line}`),
    ...now.slice(first, now.length - last).map((line) => `+${line}`),
    ...old.slice(old.length - last, old.length - last + AROUND).map((line) => ` ${line}`),
  ];
  return { oldStart: 0, oldLines: old.length, newStart: 0, newLines: now.length, lines };
}

function linesOf(text: string): string[] {
  return text === "" ? [] : text.replace(/\n$/, "").split("\n");
}
