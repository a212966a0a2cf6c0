/** A tool call in words. */
import type { ToolArguments } from "../contract";
import { visibleLine } from "../text/visible-text";
import type { Item } from "../timeline/timeline";
import { ending } from "./item-ending";
import { firstLinesTo, lastLinesFrom } from "./output-fold";

export type ToolItem = Extract<Item, { type: "tool_call" }>;
export type ToolState = "running" | "done" | "failed" | "stopped";

/** Without output a call runs, whether its arguments are final yet or not. So does one whose output still grows. */
export function toolState(item: ToolItem): ToolState {
  if (item.status === "error") return ending(item).kind === "failed" ? "failed" : "stopped";
  if (item.status !== "complete") return "running";
  if (item.toolOutput !== undefined) return item.toolOutputIsError ? "failed" : "done";
  return "running";
}

/** Arguments that say most about a call, best first. */
const TELLING = ["command", "file_path", "path", "url", "pattern", "query", "description"];

/** One line of the arguments, to tell calls apart without opening them. */
export function toolHint(toolArguments: ToolArguments): string {
  const telling = TELLING.map((name) => toolArguments[name]).find(isText);
  return visibleLine(telling ?? Object.values(toolArguments).find(isText) ?? "");
}

/** Lines of a running call that are worth seeing: the newest. */
const NEWEST = 8;
/** More of a line is never seen. */
const LONGEST_LINE = 400;

/** The end of what a running call has put out so far. Only the end is read. */
export function newestLines(output: string): string {
  const end = output.slice(-NEWEST * 4 * LONGEST_LINE).trimEnd();
  return shortened(end.slice(lastLinesFrom(end, NEWEST)));
}

/** The beginning of what went wrong, to be seen without opening anything, and whether there is more of it. */
export function firstLines(output: string): { text: string; isAll: boolean } {
  const begin = output.slice(0, NEWEST * LONGEST_LINE).trimEnd();
  const to = firstLinesTo(begin, NEWEST);
  return {
    text: shortened(begin.slice(0, to).trimEnd()),
    isAll: to === begin.length && begin.length >= output.trimEnd().length,
  };
}

function shortened(lines: string): string {
  return lines
    .split("\n")
    .map((line) => (line.length > LONGEST_LINE ? `${line.slice(0, LONGEST_LINE)}…` : line))
    .join("\n");
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}
