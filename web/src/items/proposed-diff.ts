/** The changes of an edit: as its agent tells them, or, before it has told, as its arguments propose them. Pure. */
import type { DiffHunk, FileDiff, ToolArguments } from "../contract";
import { lineDiff } from "./line-diff";
import { NO_NEWLINE } from "./patch-text";
import type { ToolItem } from "./tool-text";

type Arguments = Readonly<Record<string, unknown>>;

/** A change, and the arguments that it does not show. */
export type Proposal = { file: FileDiff; rest: Arguments };

/** So many lines that stay are shown around a call's proposal. */
const AROUND = 3;
const known = new WeakMap<ToolArguments, FileDiff[]>();

/** For the card of a call: what it writes whole is its content, no change. */
export function changesOf(item: ToolItem): FileDiff[] | undefined {
  if (item.diff) return item.diff;
  const proposed = known.get(item.toolArguments) ?? editsIn(item.toolArguments);
  known.set(item.toolArguments, proposed);
  return proposed.length > 0 ? proposed : undefined;
}

function editsIn(told: ToolArguments): FileDiff[] {
  const file = proposalOf(told)?.file;
  const isWritten = !Array.isArray(told.edits) && edited(told) === undefined;
  if (!file || isWritten) return [];
  return [{ ...file, hunks: file.hunks.map(shortened) }];
}

/** What the arguments of an edit would change, if that is what they are. */
export function proposalOf(given: Arguments): Proposal | undefined {
  const name = ["file_path", "path"].find((one) => typeof given[one] === "string");
  if (name === undefined) return undefined;
  const { [name]: path, ...others } = given;
  const change = editsOf(others) ?? edited(others) ?? written(others);
  return change && { file: { path: path as string, hunks: change.hunks }, rest: change.rest };
}

type Change = { hunks: DiffHunk[]; rest: Arguments };

/** One that is not understood must not be left out of what is shown: then none is. */
function editsOf({ edits, ...rest }: Arguments): Change | undefined {
  if (!Array.isArray(edits) || edits.length === 0) return undefined;
  const changes = edits.map((one) => edited((one ?? {}) as Arguments)).filter((one) => one !== undefined);
  if (changes.length < edits.length) return undefined;
  const left = changes.map((change) => change.rest);
  const isLeft = left.some((members) => Object.keys(members).length > 0);
  return { hunks: changes.flatMap(({ hunks }) => hunks), rest: isLeft ? { ...rest, edits: left } : rest };
}

function edited({ old_string: before, new_string: after, ...rest }: Arguments): Change | undefined {
  if (typeof before !== "string" || typeof after !== "string") return undefined;
  const areLines = before.endsWith("\n") && after.endsWith("\n");
  const [old, fresh] = [before, after].map((text) => linesOf(areLines ? text.slice(0, -1) : text));
  return { hunks: [hunkOf(old ?? [], fresh ?? [])], rest };
}

function written({ content, ...rest }: Arguments): Change | undefined {
  if (typeof content !== "string") return undefined;
  const isEnded = content === "" || content.endsWith("\n");
  const hunk = hunkOf([], linesOf(content.replace(/\n$/, "")));
  const lines = isEnded ? hunk.lines : [...hunk.lines, NO_NEWLINE];
  return { hunks: [{ ...hunk, lines }], rest };
}

/** Where in the file it is nobody knows yet: it begins at line 0, which means no line. */
function hunkOf(old: string[], fresh: string[]): DiffHunk {
  const lines = lineDiff(old, fresh);
  return { oldStart: 0, oldLines: old.length, newStart: 0, newLines: fresh.length, lines };
}

function linesOf(text: string): string[] {
  return text === "" ? [] : text.split("\n");
}

function shortened(hunk: DiffHunk): DiffHunk {
  const first = hunk.lines.findIndex(isChanged);
  const last = hunk.lines.findLastIndex(isChanged);
  return { ...hunk, lines: hunk.lines.slice(Math.max(0, first - AROUND), last + 1 + AROUND) };
}

function isChanged(line: string): boolean {
  return !line.startsWith(" ");
}
