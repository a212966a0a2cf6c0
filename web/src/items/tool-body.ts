/** Draws a tool call: one line to tell what it is, what it changes, its arguments and output when opened. */

import { element, setText } from "../dom/dom";
import { visibleJson, visibleLine, visibleText } from "../text/visible-text";
import { diffView } from "./diff-view";
import type { Body } from "./item-body";
import { growText } from "./text-growth";
import { newestLines, type ToolItem, toolHint, toolState } from "./tool-text";

export function toolBody(): Body<ToolItem> {
  const name = element("span", "fold-name tool-name");
  const hint = element("span", "fold-hint tool-hint");
  const state = element("span", "tool-state");
  const toolArguments = block("Arguments", "arguments");
  const output = block("Output", "output");
  const summary = element("summary", "fold-summary", name, hint, state);
  const details = element("details", "fold", summary, toolArguments.root, output.root);
  const live = element("pre", "tool-live");
  live.setAttribute("aria-label", "Newest lines");
  const diff = diffView();
  const root = element("div", "tool", details, live, diff.root);
  return {
    parts: [root],
    update(item) {
      const now = toolState(item);
      root.dataset.state = now;
      setText(name, visibleLine(item.toolName));
      setText(hint, toolHint(item.toolArguments));
      setText(state, now);
      growText(toolArguments.content, visibleJson(item.toolArguments));
      toolArguments.root.hidden = Object.keys(item.toolArguments).length === 0;
      growText(output.content, item.toolOutput ?? "");
      output.root.hidden = item.toolOutput === undefined;
      const newest = now === "running" ? newestLines(item.toolOutput ?? "") : "";
      setText(live, visibleText(newest));
      live.hidden = newest === "";
      diff.update(item.diff);
      output.root.dataset.error = String(item.toolOutputIsError === true);
    },
  };
}

function block(title: string, part: string): { root: HTMLElement; content: Text } {
  const content = document.createTextNode("");
  const code = element("pre", "code", content);
  code.tabIndex = 0;
  code.setAttribute("aria-label", title);
  const root = element("section", "tool-part", element("h3", "tool-part-title", title), code);
  root.dataset.part = part;
  return { root, content };
}
