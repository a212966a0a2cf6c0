/** What a tool call does, in one line of plain words. */
import type { ToolArguments, ToolKind } from "../contract";
import { shortPath } from "../text/short-path";
import { isSubagent, kindOf } from "./tool-kind";
import { type ToolItem, type ToolState, toolHint } from "./tool-text";

export type ToolWords = {
  /** "Read", "Ran", or the name of a tool that nothing is known of. */
  verb: string;
  /** What it is done with; empty when nobody told. */
  object: string;
  /** Whether the object is code: a command, a path, a pattern. */
  isCode: boolean;
};

/** While it runs, once it is done, and where it came to nothing. */
type Verb = readonly [running: string, done: string, failed: string];

const VERBS: Record<Exclude<ToolKind, "other" | "think">, Verb> = {
  read: ["Reading", "Read", "Read"],
  edit: ["Editing", "Edited", "Edit"],
  delete: ["Deleting", "Deleted", "Delete"],
  move: ["Moving", "Moved", "Move"],
  search: ["Searching for", "Searched for", "Search for"],
  execute: ["Running", "Ran", "Run"],
  fetch: ["Fetching", "Fetched", "Fetch"],
};
const WRITE: Verb = ["Writing", "Wrote", "Write"];
const LIST: Verb = ["Listing", "Listed", "List"];
const FIND: Verb = ["Looking for", "Looked for", "Look for"];
const SEARCH_WEB: Verb = ["Searching the web for", "Searched the web for", "Search the web for"];
const NAMED = new Map([
  ["TodoWrite", "Updated its plan"],
  ["EnterPlanMode", "Began to plan"],
  ["ExitPlanMode", "Proposed a plan"],
]);

export function toolWords(item: ToolItem, state: ToolState): ToolWords {
  const kind = kindOf(item);
  const said = (verb: Verb, object: string, isCode = true): ToolWords => {
    return object === "" ? named(item) : { verb: verb[phaseOf(state)], object, isCode };
  };
  switch (kind) {
    case "execute":
      return said(VERBS.execute, firstLine(commandOf(item)));
    case "read":
    case "delete":
    case "move":
      return said(VERBS[kind], filesOf(item));
    case "edit":
      return said(item.toolName === "Write" ? WRITE : VERBS.edit, filesOf(item));
    case "search":
      return searched(item, said);
    case "fetch":
      return fetched(item, said);
    case "think":
      return thought(item);
    case "other":
      return named(item);
  }
}

/** The command of a call that runs one, as it would be typed. */
export function commandOf(item: ToolItem): string {
  const { command, cmd } = item.toolArguments;
  const told = command ?? cmd;
  if (typeof told === "string") return told;
  if (!Array.isArray(told) || !told.every((part) => typeof part === "string")) return "";
  const parts: string[] = told;
  // A shell that is told a line: the line is the command.
  const [shell = "", flag = "", line = ""] = parts;
  const isLine = parts.length === 3 && /(?:^|\/)(?:ba|z|da)?sh$/.test(shell) && /^-\w*c$/.test(flag);
  return isLine ? line : parts.join(" ");
}

/** The files that a call touches, as often as they are told once. */
export function pathsOf(item: ToolItem): string[] {
  const changed = (item.diff ?? []).map(({ path }) => path);
  if (changed.length > 0) return [...new Set(changed)];
  const told = (item.locations ?? []).map(({ path }) => path);
  if (told.length > 0) return [...new Set(told)];
  const path = textOf(item.toolArguments, "file_path", "path", "notebook_path", "filename", "file");
  return path === "" ? [] : [path];
}

type Said = (verb: Verb, object: string, isCode?: boolean) => ToolWords;

function searched(item: ToolItem, said: Said): ToolWords {
  const { toolArguments } = item;
  const where = textOf(toolArguments, "path");
  const pattern = textOf(toolArguments, "pattern", "query", "text", "regex", "glob");
  if (pattern === "") return where === "" ? named(item) : said(LIST, shortPath(where));
  const place = where === "" ? "" : ` in ${shortPath(where)}`;
  return said(item.toolName === "Glob" ? FIND : VERBS.search, firstLine(pattern) + place);
}

function fetched(item: ToolItem, said: Said): ToolWords {
  const query = textOf(item.toolArguments, "query");
  if (query !== "") return said(SEARCH_WEB, firstLine(query), false);
  return said(VERBS.fetch, withoutScheme(textOf(item.toolArguments, "url", "uri")));
}

function thought(item: ToolItem): ToolWords {
  const words = NAMED.get(item.toolName);
  if (words !== undefined) return { verb: words, object: "", isCode: false };
  if (!isSubagent(item)) return named(item);
  return { verb: "Sub-agent", object: textOf(item.toolArguments, "description", "prompt"), isCode: false };
}

/** Tools of which only the name is known. Those of servers are called by server and tool. */
function named(item: ToolItem): ToolWords {
  const [, server, tool] = /^mcp__([^_].*?)__(.+)$/.exec(item.toolName) ?? [];
  const verb = server === undefined ? item.toolName : `${server}: ${tool}`;
  const hint = toolHint(item.toolArguments);
  // Agents that call a tool by what it does have said it all.
  return { verb, object: verb.includes(" ") && server === undefined ? "" : hint, isCode: true };
}

function filesOf(item: ToolItem): string {
  const paths = pathsOf(item);
  const [first] = paths;
  if (first === undefined) return "";
  if (paths.length > 1) return `${paths.length} files`;
  return shortPath(first) + lineOf(item);
}

/** Where in a file, if that is told. */
function lineOf({ toolArguments, locations }: ToolItem): string {
  const { offset, limit } = toolArguments;
  if (typeof offset === "number" && typeof limit === "number") return `:${offset}–${offset + limit - 1}`;
  const line = typeof offset === "number" ? offset : locations?.[0]?.line;
  return line === undefined || locations?.length !== 1 ? "" : `:${line}`;
}

function phaseOf(state: ToolState): 0 | 1 | 2 {
  if (state === "running") return 0;
  return state === "done" ? 1 : 2;
}

function textOf(toolArguments: ToolArguments, ...names: string[]): string {
  const found = names
    .map((name) => toolArguments[name])
    .find((value) => typeof value === "string" && value !== "");
  return typeof found === "string" ? found : "";
}

function firstLine(text: string): string {
  const [line = "", ...more] = text.trim().split("\n", 2);
  return more.length > 0 ? `${line} …` : line;
}

function withoutScheme(address: string): string {
  return address.replace(/^https?:\/\/(?:www\.)?/, "").replace(/\/$/, "");
}
