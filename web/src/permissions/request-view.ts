/** Draws what a request would do: all of it, with nothing hidden in it. */
import type { FileDiff, PermissionRequest } from "../contract";
import { element } from "../dom/dom";
import { diffView } from "../items/diff-view";
import { MarkdownView } from "../markdown/markdown-view";
import { counted } from "../text/amount-text";
import { visibleLine, visibleText } from "../text/visible-text";
import { contentOf } from "./request-content";

/** From here on it is said how long a text is: what lies below the edge of its box must not be overlooked. */
const LONG = { lines: 12, characters: 1200 };
/** Rows cost elements. */
const MOST_ROWS = 5_000;

export function requestView(request: PermissionRequest): HTMLElement[] {
  const { command, files, facts, rest, raw } = contentOf(request);
  const parts: HTMLElement[] = [];
  // Some agents have no other name for a tool than what it does this time.
  if (request.toolName !== undefined && request.toolName !== request.title) {
    parts.push(element("p", "permission-tool", "Tool ", element("code", "", visibleLine(request.toolName))));
  }
  if (request.plan !== undefined) parts.push(planView(request.plan));
  if (command !== undefined) parts.push(...codeBox("Command", visibleText(command), "permission-command"));
  if (files.length > 0) parts.push(...changesView(files));
  if (facts.length > 0) parts.push(factsView(facts));
  if (rest !== "") parts.push(...codeBox(raw === "" ? "Arguments" : "Other arguments", rest));
  if (raw !== "") parts.push(rawView(raw));
  return parts;
}

/** Every line of it, in boxes that scroll. More than can be drawn as rows is one text. */
function changesView(files: FileDiff[]): HTMLElement[] {
  const lines = files.flatMap(({ hunks }) => hunks.flatMap((hunk) => hunk.lines));
  if (lines.length > MOST_ROWS) return files.flatMap(({ path, hunks }) => textOfChange(path, hunks));
  const diff = diffView(true);
  diff.update(files);
  const words = sizeWords(
    lines.length,
    lines.reduce((sum, line) => sum + line.length - 1, 0),
  );
  return words === "" ? [diff.root] : [diff.root, element("p", "permission-length", `Changes: ${words}`)];
}

function textOfChange(path: string, hunks: FileDiff["hunks"]): HTMLElement[] {
  const text = hunks.map(({ lines }) => lines.join("\n")).join("\n⋯\n");
  return codeBox(`Changes of ${visibleLine(path)}`, visibleText(text));
}

/** A plan is written to be read; characters that cannot be seen are shown all the same. */
function planView(plan: string): HTMLElement {
  const view = new MarkdownView();
  view.update(visibleText(plan), true);
  const box = element("div", "permission-plan", view.root);
  box.tabIndex = 0;
  box.role = "region";
  box.setAttribute("aria-label", "Plan");
  return box;
}

function factsView(facts: [string, string][]): HTMLElement {
  const pairs = facts.flatMap(([name, value]) => [element("dt", "", name), element("dd", "", value)]);
  return element("dl", "permission-facts", ...pairs);
}

function rawView(raw: string): HTMLElement {
  const summary = element("summary", "permission-raw-summary", "All arguments as they were told");
  return element("details", "permission-raw", summary, ...codeBox("Arguments", raw));
}

function codeBox(label: string, text: string, className = ""): HTMLElement[] {
  const code = element("pre", `code ${className}`.trim(), text);
  code.tabIndex = 0;
  code.setAttribute("aria-label", label);
  const length = lengthWords(text);
  return length === "" ? [code] : [code, element("p", "permission-length", `${label}: ${length}`)];
}

function lengthWords(text: string): string {
  return sizeWords(text.split("\n").length, text.length);
}

function sizeWords(lines: number, characters: number): string {
  if (lines <= LONG.lines && characters <= LONG.characters) return "";
  return `${counted(lines, "line")}, ${counted(characters, "character")}`;
}
