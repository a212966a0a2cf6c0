/** Draws thinking: folded, with its last line to see that it goes on. */
import { element, setText } from "../dom/dom";
import { duration } from "../text/time-text";
import type { Item } from "../timeline/timeline";
import type { Body } from "./item-body";
import { growText } from "./text-growth";

export type ThinkingItem = Extract<Item, { type: "thinking" }>;

export function thinkingBody(): Body<ThinkingItem> {
  const label = element("span", "fold-name");
  const preview = element("span", "fold-hint");
  const content = document.createTextNode("");
  const summary = element("summary", "fold-summary", label, preview);
  return {
    parts: [element("details", "fold thinking", summary, element("div", "text", content))],
    update(item) {
      setText(label, thinkingLabel(item));
      // The line is in the text below already: as an attribute it is drawn but not a second text of the item.
      preview.dataset.preview = lastLine(item.content);
      growText(content, item.content);
    },
  };
}

export function thinkingLabel(item: ThinkingItem): string {
  if (item.status !== "complete") return "Thinking";
  const time = duration(item.startedAt, item.emittedAt);
  return time === undefined ? "Thought" : `Thought for ${time}`;
}

/** Only the end of a long line matters, and only that much is ever seen. */
export function lastLine(text: string): string {
  const line = text.trimEnd().split("\n").at(-1) ?? "";
  return line.length > 160 ? `…${line.slice(-160)}` : line;
}
