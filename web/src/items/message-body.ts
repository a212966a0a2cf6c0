/** Draws a message: what an agent says as Markdown, what a person or the system says as it was written. */

import type { MessageOrigin } from "../contract";
import { copyButton } from "../dom/copyable";
import { element, setText } from "../dom/dom";
import { showAgo } from "../dom/live-times";
import { copySource } from "../markdown/copy-source";
import { MessageText } from "../markdown/message-text";
import { itemLink } from "../route";
import { inertText } from "../text/inert-text";
import type { Item } from "../timeline/timeline";
import type { Body, ItemActions } from "./item-body";
import { growText } from "./text-growth";
import { wholeText } from "./whole-text";

export type MessageItem = Extract<Item, { type: "message" }>;

const AUTHORS: Record<MessageOrigin, string> = { user: "You", agent: "Agent", system: "System" };

export function messageBody(first: MessageItem, actions: ItemActions): Body<MessageItem> {
  const author = element("span", "message-author");
  const time = element("time", "message-time");
  const text = first.origin === "agent" ? markdownText() : plainText();
  let written = first;
  const copy = copyButton("Copy as written", () => wholeText(written, actions, ({ content }) => content));
  const link = copyButton("Copy link", () => itemLink(written.sessionId, written.itemId), "Link");
  copySource(text.root, () => written.content);
  const buttons = element("span", "message-actions", copy, link);
  return {
    parts: [element("header", "message-head", author, time, buttons), text.root],
    update(item) {
      written = item;
      setText(author, AUTHORS[item.origin]);
      showAgo(time, item.startedAt ?? item.sourceTimestamp);
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
  return {
    root: element("div", "text", content),
    update: (item) => growText(content, inertText(item.content)),
  };
}
