/** Draws a message: what an agent says as Markdown, what a person or the system says as it was written. */

import type { MessageOrigin } from "../contract";
import { copyText, say } from "../dom/copyable";
import { button, element, setText } from "../dom/dom";
import { copySource } from "../markdown/copy-source";
import { MessageText } from "../markdown/message-text";
import { clock } from "../text/time-text";
import type { Item } from "../timeline/timeline";
import type { Body } from "./item-body";
import { growText } from "./text-growth";

export type MessageItem = Extract<Item, { type: "message" }>;

const AUTHORS: Record<MessageOrigin, string> = { user: "You", agent: "Agent", system: "System" };

export function messageBody(first: MessageItem): Body<MessageItem> {
  const author = element("span", "message-author");
  const time = element("time", "message-time");
  const text = first.origin === "agent" ? markdownText() : plainText();
  let written = "";
  const copy = button(
    "Copy",
    "quiet message-copy",
    () => void copyText(written).then((said) => say(copy, said)),
  );
  copy.setAttribute("aria-label", "Copy as written");
  copySource(text.root, () => written);
  return {
    parts: [element("header", "message-head", author, time, copy), text.root],
    update(item) {
      written = item.content;
      setText(author, AUTHORS[item.origin]);
      time.dateTime = item.startedAt ?? item.sourceTimestamp;
      setText(time, clock(time.dateTime));
      text.update(item);
    },
  };
}

type Text = { root: HTMLElement; update(item: MessageItem): void };

function markdownText(): Text {
  const text = new MessageText();
  return {
    root: text.root,
    update: ({ content, status }) => text.update(content, status === "complete" || status === "error"),
  };
}

function plainText(): Text {
  const content = document.createTextNode("");
  return { root: element("div", "text", content), update: (item) => growText(content, item.content) };
}
