/**
 * What a request would do, in the form that is read best. Pure.
 *
 * Whatever form it takes, nothing is left out: what the command and the preview do not show stays in `rest`.
 */
import type { FileDiff, PermissionRequest } from "../contract";
import { proposalOf } from "../items/proposed-diff";
import { visibleJson, visibleLine } from "../text/visible-text";

export type RequestContent = {
  /** What will run, as it is. */
  command: string | undefined;
  /** What will change. */
  files: FileDiff[];
  /** Short arguments that are not shown otherwise, each with its name. */
  facts: [name: string, value: string][];
  /** All others, as JSON; empty when there are none. */
  rest: string;
  /** All arguments as they were told, where they are also shown in another form. */
  raw: string;
};

const SHORT = 160;
const COMMANDS = ["command", "cmd"];

export function contentOf(request: PermissionRequest): RequestContent {
  const given = request.toolArguments as Record<string, unknown> | undefined;
  // The arguments of a question are the question.
  if (given === undefined || (request.questions ?? []).length > 0) {
    return { command: undefined, files: request.diff ?? [], facts: [], rest: "", raw: "" };
  }
  const shown = new Set<string>();
  const command = commandOf(given, shown);
  const proposal = request.diff ? undefined : proposalOf(given);
  const files = request.diff ?? (proposal ? [proposal.file] : []);
  if (request.plan !== undefined && given.plan === request.plan) shown.add("plan");
  const others = Object.entries(proposal?.rest ?? given).filter(([name]) => !shown.has(name));
  // Arguments that have no better form than their own are one piece of JSON.
  if (shown.size === 0 && !proposal) return { command, files, facts: [], rest: visibleJson(given), raw: "" };
  const facts = others.filter(([, value]) => isShort(value));
  const rest = others.filter(([, value]) => !isShort(value));
  return {
    command,
    files,
    facts: facts.map(([name, value]) => [visibleLine(name), visibleLine(String(value))]),
    rest: rest.length === 0 ? "" : visibleJson(Object.fromEntries(rest)),
    raw: visibleJson(given),
  };
}

/** What fits on a line, with nothing that a line would hide. */
function isShort(value: unknown): boolean {
  if (typeof value === "string") return value.length <= SHORT && !value.includes("\n");
  return typeof value === "number" || typeof value === "boolean";
}

/** One line that tells what it is about, for lists: shortened by whoever shows it. */
export function requestLine(request: PermissionRequest): string {
  const given = (request.toolArguments ?? {}) as Record<string, unknown>;
  const command = commandOf(given, new Set());
  const path = [given.file_path, given.path].find((value) => typeof value === "string") as string | undefined;
  const detail = command ?? path ?? request.diff?.[0]?.path;
  const line =
    detail === undefined || request.title.includes(detail) ? request.title : `${request.title}: ${detail}`;
  return line.trim().replace(/\s*\n\s*/g, " ⏎ ");
}

const keys = new WeakMap<PermissionRequest, string>();

/** Whether two requests ask for the very same thing, whoever asks. Asked often, and arguments may be long. */
export function requestKey(request: PermissionRequest): string {
  const key = keys.get(request) ?? keyOf(request);
  keys.set(request, key);
  return key;
}

function keyOf({ toolName, title, toolArguments, diff, options }: PermissionRequest): string {
  const kinds = options.map(({ kind, name }) => [kind, name]);
  return JSON.stringify([toolName, title, sorted(toolArguments), diff, kinds]);
}

function commandOf(given: Record<string, unknown>, shown: Set<string>): string | undefined {
  const name = COMMANDS.find((known) => isCommand(given[known]));
  if (name === undefined) return undefined;
  const value = given[name];
  shown.add(name);
  return typeof value === "string" ? value : JSON.stringify(value);
}

function isCommand(value: unknown): boolean {
  if (typeof value === "string") return value !== "";
  return Array.isArray(value) && value.length > 0 && value.every((part) => typeof part === "string");
}

/** The order of an object's members means nothing. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (value === null || typeof value !== "object") return value;
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return members.map(([name, member]) => [name, sorted(member)]);
}
