// @vitest-environment happy-dom
import { expect, test } from "vitest";
import { itemCommands } from "../src/items/item-commands";
import type { Reading } from "../src/transcript/reading-commands";

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
