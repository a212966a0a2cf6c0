// @vitest-environment happy-dom
import { expect, test } from "vitest";
import { itemCommands } from "../src/items/item-commands";
import { thinkingBody } from "../src/items/thinking-body";
import type { ThinkingItem } from "../src/items/thinking-text";
import type { Reading } from "../src/transcript/reading-commands";
import { thinking } from "./samples";

/** A transcript with one call, folded. */
function transcript(): { root: HTMLElement; fold: HTMLDetailsElement } {
  const root = document.createElement("div");
  const fold = document.createElement("details");
  fold.className = "tool-fold";
  root.append(fold);
  return { root, fold };
}

test("all calls are those of the session in sight, not of those that are kept beside it", () => {
  const [kept, shown] = [transcript(), transcript()];
  const page = document.createElement("div");
  page.append(kept.root, shown.root);
  const reading = { sessionId: "shown", transcript: { root: shown.root } } as unknown as Reading;
  const toggle = itemCommands(() => reading).find(({ id }) => id === "tools.toggle");
  toggle?.run();
  expect([kept.fold.open, shown.fold.open]).toEqual([false, true]);
  // One that was opened there is no reason to close or open anything here.
  kept.fold.open = true;
  toggle?.run();
  expect([kept.fold.open, shown.fold.open]).toEqual([true, false]);
});

test("opening all calls leaves thoughts as they were left, also those that come", () => {
  const [read, unread] = [thought("read"), thought("unread")];
  read.querySelector("summary")?.click();
  read.open = true;
  const { root } = transcript();
  root.append(read, unread);
  const reading = { sessionId: "s", transcript: { root } } as unknown as Reading;
  const toggle = itemCommands(() => reading).find(({ id }) => id === "tools.toggle");
  toggle?.run();
  expect([read.open, unread.open]).toEqual([true, false]);
  expect([thought("read").open, thought("unread").open, thought("new").open]).toEqual([true, false, false]);
  toggle?.run();
  expect([thought("read").open, thought("unread").open]).toEqual([true, false]);
});

/** How it comes back after it was scrolled away. */
function thought(itemId: string): HTMLDetailsElement {
  const item = thinking(itemId, 1, 1) as ThinkingItem;
  const [root] = thinkingBody(item, { showWhole: () => {}, whole: async () => item }).parts;
  return root as HTMLDetailsElement;
}
