/** Draws a message. */

import type { MessageOrigin } from "./contract";
import { element, setText } from "./dom";
import type { Body } from "./item-body";
import { growText } from "./text-growth";
import { clock } from "./time-text";
import type { Item } from "./timeline";

export type MessageItem = Extract<Item, { type: "message" }>;

const AUTHORS: Record<MessageOrigin, string> = { user: "You", agent: "Agent", system: "System" };

export function messageBody(): Body<MessageItem> {
  const author = element("span", "message-author");
  const time = element("time", "message-time");
  const content = document.createTextNode("");
  return {
    parts: [element("header", "message-head", author, time), element("div", "text", content)],
    update(item) {
      setText(author, AUTHORS[item.origin]);
      time.dateTime = item.startedAt ?? item.sourceTimestamp;
      setText(time, clock(time.dateTime));
      growText(content, item.content);
    },
  };
}
