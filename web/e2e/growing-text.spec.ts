/** What an agent writes appears while it writes, in the place where it began. */
import { expect, test } from "./fixtures";
import type { Server } from "./server";
import {
  expectLive,
  itemById,
  itemIdOf,
  itemsOfType,
  listedSession,
  logIn,
  openSession,
  textOf,
  turnLine,
} from "./transcript-page";
import { wordDeltas, words } from "./words";

const TURN = "t1";

test("a new session appears in the list without a reload", async ({ page, server }) => {
  await logIn(page, server.loginUrl);
  await expect(page.getByRole("heading", { name: "No sessions yet" })).toBeVisible();
  const sessionId = await server.createSession("Watch me");
  await expect(listedSession(page, sessionId)).toContainText("Watch me");
  await expect(listedSession(page, sessionId)).toContainText("external");
  await expect(page.getByRole("heading", { name: "No sessions yet" })).toBeHidden();
});

test("TC-7.2a text grows in place", async ({ page, server }) => {
  await logIn(page, server.loginUrl);
  const sessionId = await server.createSession("Growing");
  await openSession(page, sessionId);
  await startMessage(server, sessionId, 12);

  const message = itemsOfType(page, "message");
  await expect(message).toHaveCount(1);
  await expect(turnLine(page, TURN)).toHaveAttribute("data-state", "running");
  await message.evaluate(recordGrowth);

  for (const [from, to] of [
    [12, 40],
    [40, 90],
    [90, 180],
  ] as const) {
    await server.postEvents(sessionId, TURN, ...wordDeltas("m1", from, to));
    await expect(textOf(message)).toContainText(`word${to - 1} `);
    await expect(message).toHaveAttribute("data-status", /create|update/);
  }
  await finishMessage(server, sessionId, 180);

  await expect(message).toHaveAttribute("data-status", "complete");
  await expect(turnLine(page, TURN)).toHaveAttribute("data-state", "completed");
  await expect(turnLine(page, TURN)).toContainText("Completed");
  await expect(message).toHaveCount(1);
  expect(await textOf(message).textContent()).toBe(words(0, 180));

  const grown = await message.evaluate(recordedGrowth);
  expect(grown.isSameElement).toBe(true);
  expect(grown.isSameTextNode).toBe(true);
  expect(grown.texts.length).toBeGreaterThanOrEqual(3);
  for (const [at, text] of grown.texts.entries()) {
    const before = grown.texts[at - 1] ?? "";
    expect(
      text.startsWith(before) && text.length > before.length,
      `state ${at} continues the one before`,
    ).toBe(true);
  }
});

test("TC-7.2b a tool call shows its invocation, then its result", async ({ page, server }) => {
  await logIn(page, server.loginUrl);
  const sessionId = await server.createSession("Tools");
  await openSession(page, sessionId);
  await server.postEvents(
    sessionId,
    TURN,
    { type: "response_start", modelId: "model", providerId: "provider" },
    { type: "item_start", itemId: "c1", itemType: "function_call", name: "read_file", callId: "call-1" },
  );
  const call = itemsOfType(page, "tool_call");
  await expect(call).toHaveCount(1);
  await expect(call).toContainText("read_file");

  const finalCall = {
    type: "function_call",
    name: "read_file",
    callId: "call-1",
    arguments: { path: "notes.txt" },
  } as const;
  await server.postEvents(sessionId, TURN, { type: "item_done", itemId: "c1", finalItem: finalCall });
  await expect(call.locator(".tool-state")).toContainText("running");
  await call.locator("summary").click();
  await expect(call.getByLabel("Output", { exact: true })).toBeHidden();

  const output = {
    type: "function_call_output",
    callId: "call-1",
    output: "line one\nline two",
    isError: false,
  } as const;
  await server.postEvents(
    sessionId,
    TURN,
    { type: "item_start", itemId: "o1", itemType: "function_call_output", callId: "call-1" },
    { type: "item_done", itemId: "o1", finalItem: output },
    { type: "response_done", status: "completed" },
  );
  await expect(call.locator(".tool-state")).toContainText("done");
  await call.getByRole("button", { name: "Show arguments" }).click();
  await expect(call.getByLabel("Arguments", { exact: true })).toHaveText('{ "path": "notes.txt" }');
  await expect(call.getByLabel("Output", { exact: true }), "what the reader opened stays open").toBeVisible();
  expect(await call.getByLabel("Output", { exact: true }).textContent()).toBe("line one\nline two");
  await expect(call).toHaveCount(1);
});

test("TC-7.2c items that grow at the same time do not change each other", async ({ page, server }) => {
  await logIn(page, server.loginUrl);
  const sessionId = await server.createSession("Interleaved");
  await openSession(page, sessionId);
  const ids = ["m1", "m2", "m3"];
  await server.postEvents(
    sessionId,
    TURN,
    { type: "response_start", modelId: "model", providerId: "provider" },
    ...ids.map((itemId) => ({ type: "item_start", itemId, itemType: "message" }) as const),
  );
  for (let at = 0; at < 90; at += 15) {
    const pieces = ids.flatMap((itemId, n) => wordDeltas(itemId, at + n * 1000, at + 15 + n * 1000));
    await server.postEvents(sessionId, TURN, ...pieces);
  }
  const shown = itemsOfType(page, "message");
  await expect(shown).toHaveCount(3);
  for (const n of ids.keys()) {
    await expect(textOf(shown.nth(n))).toContainText(`word${n * 1000 + 89} `);
    expect(await textOf(shown.nth(n)).textContent()).toBe(words(n * 1000, n * 1000 + 90));
  }
  // One ends, and the others stay as they are.
  await server.postEvents(sessionId, TURN, {
    type: "item_done",
    itemId: "m2",
    finalItem: { type: "message", content: words(1000, 1095), origin: "agent" },
  });
  await expect(shown.nth(1)).toHaveAttribute("data-status", "complete");
  expect(await textOf(shown.nth(1)).textContent()).toBe(words(1000, 1095));
  for (const n of [0, 2]) {
    await expect(shown.nth(n)).toHaveAttribute("data-status", /create|update/);
    expect(await textOf(shown.nth(n)).textContent()).toBe(words(n * 1000, n * 1000 + 90));
  }
});

test("a message that is cut short is drawn as stopped", async ({ page, server }) => {
  await logIn(page, server.loginUrl);
  const sessionId = await server.createSession("Stopped");
  await openSession(page, sessionId);
  await startMessage(server, sessionId, 12);
  const message = itemsOfType(page, "message");
  await expect(textOf(message)).toContainText("word0 ");
  await server.postEvents(
    sessionId,
    TURN,
    { type: "item_cancelled", itemId: "m1" },
    { type: "response_done", status: "cancelled" },
  );
  await expect(message).toHaveAttribute("data-status", "error");
  await expect(message).toContainText("Stopped");
  await expect(turnLine(page, TURN)).toHaveAttribute("data-state", "cancelled");
});

test("a failed turn says why", async ({ page, server }) => {
  await logIn(page, server.loginUrl);
  const sessionId = await server.createSession("Failing");
  await openSession(page, sessionId);
  await startMessage(server, sessionId, 12);
  const error = { code: "OVERLOADED", message: "the model has too much to do" };
  await server.postEvents(sessionId, TURN, { type: "response_error", error });
  await expect(turnLine(page, TURN)).toHaveAttribute("data-state", "failed");
  await expect(turnLine(page, TURN)).toContainText("the model has too much to do");
});

test("a reload in the middle keeps everything and needs no login code", async ({ page, server }) => {
  await logIn(page, server.loginUrl);
  const sessionId = await server.createSession("Reloaded");
  await openSession(page, sessionId);
  await startMessage(server, sessionId, 12);
  const itemId = await itemIdOf(itemsOfType(page, "message"));
  const message = itemById(page, itemId);
  await expect(textOf(message)).toContainText("word11 ");

  await page.reload();
  await expectLive(page);
  expect(page.url()).not.toContain("login");
  await expect(textOf(message)).toContainText("word11 ");
  await expect(turnLine(page, TURN)).toHaveAttribute("data-state", "running");

  await server.postEvents(sessionId, TURN, ...wordDeltas("m1", 12, 60));
  await finishMessage(server, sessionId, 60);
  await expect(message).toHaveAttribute("data-status", "complete");
  expect(await textOf(message).textContent()).toBe(words(0, 60));
  await expect(itemsOfType(page, "message")).toHaveCount(1);
});

test("a second tab sees the same", async ({ page, context, server }) => {
  await logIn(page, server.loginUrl);
  const sessionId = await server.createSession("Shared");
  await openSession(page, sessionId);
  await startMessage(server, sessionId, 12);
  await expect(textOf(itemsOfType(page, "message"))).toContainText("word11 ");

  const second = await context.newPage();
  await second.goto(`${server.origin}/#/s/${sessionId}`);
  await expect(textOf(itemsOfType(second, "message"))).toContainText("word11 ");
  await server.postEvents(sessionId, TURN, ...wordDeltas("m1", 12, 60));
  await finishMessage(server, sessionId, 60);

  for (const tab of [page, second]) {
    await expect(itemsOfType(tab, "message")).toHaveAttribute("data-status", "complete");
    expect(await textOf(itemsOfType(tab, "message")).textContent()).toBe(words(0, 60));
  }
  expect(await itemIdOf(itemsOfType(second, "message"))).toBe(await itemIdOf(itemsOfType(page, "message")));
});

async function startMessage(server: Server, sessionId: string, count: number): Promise<void> {
  await server.postEvents(
    sessionId,
    TURN,
    { type: "response_start", modelId: "model", providerId: "provider" },
    { type: "item_start", itemId: "m1", itemType: "message" },
    ...wordDeltas("m1", 0, count),
  );
}

async function finishMessage(server: Server, sessionId: string, count: number): Promise<void> {
  await server.postEvents(
    sessionId,
    TURN,
    {
      type: "item_done",
      itemId: "m1",
      finalItem: { type: "message", content: words(0, count), origin: "agent" },
    },
    { type: "response_done", status: "completed" },
  );
}

type Recorded = Element & { growth?: { texts: string[]; node: Node | null | undefined; element: Element } };

/** Runs in the page: marks the element and notes each text that it shows from now on. */
function recordGrowth(element: Element): void {
  const text = element.querySelector(".text p");
  const growth = { texts: [text?.textContent ?? ""], node: text?.firstChild, element };
  (element as Recorded).growth = growth;
  new MutationObserver(() => {
    const shown = element.querySelector(".text")?.textContent ?? "";
    if (shown !== growth.texts.at(-1)) growth.texts.push(shown);
  }).observe(element, { subtree: true, childList: true, characterData: true });
}

/** Runs in the page: what was noted, which is gone if the element was replaced by another one. */
function recordedGrowth(element: Element): {
  texts: string[];
  isSameElement: boolean;
  isSameTextNode: boolean;
} {
  const growth = (element as Recorded).growth;
  return {
    texts: growth?.texts ?? [],
    isSameElement: growth?.element === element,
    isSameTextNode: growth !== undefined && growth.node === element.querySelector(".text p")?.firstChild,
  };
}
