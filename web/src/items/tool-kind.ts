/** What kind of work a tool call does: as its agent says, or as its name tells. */
import type { ToolKind } from "../contract";
import type { ToolItem } from "./tool-text";

/** Words in the names of tools, the surest first. */
const BY_WORD: [ToolKind, readonly string[]][] = [
  ["execute", ["bash", "shell", "exec", "execute", "run", "terminal", "command"]],
  ["fetch", ["fetch", "web", "url", "http", "browse", "download"]],
  ["delete", ["delete", "remove", "rm", "unlink"]],
  ["move", ["move", "rename", "mv"]],
  ["edit", ["edit", "write", "patch", "replace", "create", "insert"]],
  ["search", ["grep", "glob", "search", "find", "ls", "list"]],
  ["read", ["read", "cat", "view", "open"]],
  ["think", ["think", "todo", "plan", "task", "agent"]],
];
/** Tools that hand work to another agent. */
const SUBAGENTS = new Set(["agent", "task", "subagent", "spawn_agent"]);

export function kindOf({ kind, toolName }: Pick<ToolItem, "kind" | "toolName">): ToolKind {
  if (kind !== undefined) return kind;
  const words = new Set(wordsOf(toolName));
  return BY_WORD.find(([, names]) => names.some((name) => words.has(name)))?.[0] ?? "other";
}

export function isSubagent({ toolName }: Pick<ToolItem, "toolName">): boolean {
  return SUBAGENTS.has(toolName.toLowerCase());
}

/** Names are written as readFile, read_file, mcp__files__read or "Read file". A sentence is no name. */
function wordsOf(name: string): string[] {
  if (name.length > 60 || name.trim().split(/\s+/).length > 3) return [];
  return name
    .replace(/([a-z])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^a-z]+/);
}
