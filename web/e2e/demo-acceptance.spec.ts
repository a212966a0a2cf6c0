/** The acceptance criteria of the page, by name, with the agent that everybody has. */
import type { Locator, Page } from "@playwright/test";
import { give } from "./asking-page";
import { expect, test } from "./fixtures";
import { heard } from "./frames";
import type { Server } from "./server";
import { expectLive, itemIdOf, itemsOfType, logIn, textOf } from "./transcript-page";

// A server that is started again is away for a moment.
test.use({ refusals: /ERR_CONNECTION_REFUSED|WebSocket connection|status of 503/ });

async function startDemo(page: Page, server: Server): Promise<string> {
  await page.goto(`${server.origin}/#/new`);
  await page.getByRole("button", { name: "Start", exact: true }).click();
  await expect(page).toHaveURL(/#\/s\/.+/);
  await expect(page.getByLabel("Message", { exact: true })).toBeFocused();
  return decodeURIComponent(page.url().split("#/s/")[1] ?? "");
}

async function say(page: Page, text: string): Promise<void> {
  await page.getByLabel("Message", { exact: true }).fill(text);
  await page.getByLabel("Message", { exact: true }).press("Control+Enter");
}

function answers(page: Page): Locator {
  return page.locator('[data-type="message"][data-origin="agent"]:visible');
}

function turns(page: Page, state: string): Locator {
  return page.locator(`[data-turn-id][data-state="${state}"]:visible`);
}

test.beforeEach(async ({ page, server }) => logIn(page, server.loginUrl));

test("TC-7.2a, TC-8.1a demo: a session is created, and its answer grows in one element", async ({
  page,
  server,
}) => {
  await startDemo(page, server);
  await say(page, "help");
  const answer = answers(page).first();
  await expect(answer).toHaveAttribute("data-status", "update");
  const itemId = await itemIdOf(answer);
  await answer.evaluate((element) => Object.assign(element, { isTheSame: true }));
  const early = (await textOf(answer).textContent()) ?? "";
  await expect(answer).toHaveAttribute("data-status", "complete", { timeout: 20_000 });
  const whole = (await textOf(answer).textContent()) ?? "";
  expect(whole.length).toBeGreaterThan(early.length);
  expect(whole.startsWith(early.trimEnd())).toBe(true);
  expect(await itemIdOf(answer)).toBe(itemId);
  expect(await answer.evaluate((element) => "isTheSame" in element)).toBe(true);
  await expect(page.locator(`[data-item-id="${itemId}"]`)).toHaveCount(1);
});

test("TC-7.2b, TC-8.1b demo: a tool call shows its call, then in the same element its result", async ({
  page,
  server,
}) => {
  await startDemo(page, server);
  await say(page, 'edit README.md: replace "the demo agent" with "everyone"');
  const option = page
    .locator(".permission")
    .getByRole("button", { name: /^Allow/ })
    .first();
  await expect(option).toBeVisible();
  // It waits for the answer: the call is there, its result is not.
  const call = itemsOfType(page, "tool_call").last();
  await expect(call.locator(".tool")).not.toHaveAttribute("data-state", "done");
  await expect(call).toContainText("README.md");
  const itemId = await itemIdOf(call);
  await call.evaluate((element) => Object.assign(element, { isTheSame: true }));
  await give(option);
  const same = page.locator(`[data-item-id="${itemId}"]`);
  await expect(same.locator(".tool")).toHaveAttribute("data-state", "done");
  await expect(same).toContainText("For everyone to read.");
  expect(await same.evaluate((element) => "isTheSame" in element)).toBe(true);
  await expect(same.locator(".tool-words")).toHaveText(/^Edited .*README\.md$/);
  const name = same.locator(".tool-name");
  if (!(await name.isVisible())) await same.locator("summary").first().click();
  await expect(name).toHaveText("Edit README.md");
  await same.getByRole("button", { name: "Show arguments" }).click();
  await expect(same.getByLabel("Arguments", { exact: true })).toContainText('"path": "README.md"');
});

test("TC-7.2c demo: items of one turn never change each other", async ({ page, server }) => {
  await startDemo(page, server);
  await say(page, "demo");
  // It asks once; the tour goes on when it is answered.
  const option = page
    .locator(".permission")
    .getByRole("button", { name: /^Allow/ })
    .first();
  await expect(option).toBeVisible({ timeout: 30_000 });
  await give(option);
  await expect(turns(page, "completed")).toHaveCount(1, { timeout: 60_000 });
  const live = await contents(page);
  expect(await told(page)).toEqual(tour(server.projectDirectory));
  await page.reload();
  await expect(turns(page, "completed")).toHaveCount(1);
  expect(await contents(page)).toEqual(live);
  expect(await told(page)).toEqual(tour(server.projectDirectory));
  await page.keyboard.press("Alt+o");
  const [listed, read, , edited] = await itemsOfType(page, "tool_call").all();
  if (!listed || !read || !edited) throw new Error("a call is missing");
  await expect(listed.getByLabel("Output", { exact: true })).toHaveText("README.md");
  await expect(read.getByLabel("Output", { exact: true })).toContainText("For the demo agent to read.");
  await expect(read).not.toContainText("You allowed this file.");
  await expect(edited.locator(".diff")).toContainText("You allowed this file.");
});

/** What each item of the tour says, in their order. */
function tour(directory: string): unknown[] {
  return [
    "message: demo",
    "thinking: A newcomer wants to see everything. I look around first, then I propose a small change.",
    "tool_call: Listed .",
    "message: I see 1 file here.README.md",
    `tool_call: Read ${directory}/README.md`,
    expect.stringMatching(
      /^message: README\.md has 3 lines\. It begins:.*# A project\n\nFor the demo agent to read\.$/,
    ),
    "tool_call: Searched for todo",
    "message: 0 hits in 1 text file.",
    "message: I propose a small file, so that you can see a change before it is made.",
    `tool_call: Edited ${directory}/liminal-demo.md`,
    "message: Done: liminal-demo.md is written.",
    "message: That was the tour: a plan, thoughts, tools, a question and a change. Say help for more.",
  ];
}

/** The words of every item in sight, as a reader has them before anything is opened. */
async function told(page: Page): Promise<string[]> {
  return page.locator("[data-item-id]:visible").evaluateAll((all) =>
    all.map((row) => {
      const words = row.querySelector(".text, .tool-words");
      const thought = row.querySelector<HTMLElement>(".fold-hint")?.dataset.preview;
      return `${(row as HTMLElement).dataset.type}: ${(words?.textContent ?? thought ?? "").trim()}`;
    }),
  );
}

test("TC-7.3a, TC-8.3b demo: opening a session with history is told once, all of it by item ids", async ({
  page,
  server,
}) => {
  const sessionId = await startDemo(page, server);
  await say(page, "help");
  await expect(turns(page, "completed")).toHaveCount(1, { timeout: 20_000 });
  await server.restart();
  await expectLive(page);
  const frames = heard(page);
  await page.reload();
  await expect(turns(page, "completed")).toHaveCount(1);
  const histories = frames.filter((frame) => frame.type === "session:history");
  expect(histories.map((history) => history.sessionId)).toEqual([sessionId]);
  const entries = histories[0]?.entries ?? [];
  expect(entries.length).toBeGreaterThanOrEqual(2);
  expect(entries.every(({ itemId }) => typeof itemId === "string" && itemId !== "")).toBe(true);
  for (const { itemId } of entries) await expect(page.locator(`[data-item-id="${itemId}"]`)).toHaveCount(1);
});

test("TC-7.4a demo: a send gives upserts and turns and nothing legacy", async ({ page, server }) => {
  await startDemo(page, server);
  const frames = heard(page);
  await page.reload();
  await expectLive(page);
  await say(page, "help");
  await expect(turns(page, "completed")).toHaveCount(1, { timeout: 20_000 });
  const types = new Set(frames.map(({ type }) => type));
  expect(types).toContain("session:upsert");
  expect(types).toContain("session:turn");
  const legacy = [...types].filter((type) => /^session:(update|chunk|complete|cancelled)$/.test(type));
  expect(legacy).toEqual([]);
});

test("TC-8.1c demo: cancel stops the running turn, and the next message is answered", async ({
  page,
  server,
}) => {
  await startDemo(page, server);
  await say(page, "slow");
  await expect(answers(page).first()).toBeVisible();
  await page.getByRole("button", { name: "Stop", exact: true }).click();
  await expect(turns(page, "cancelled")).toHaveCount(1);
  await say(page, "help");
  await expect(turns(page, "completed")).toHaveCount(1, { timeout: 20_000 });
  await expect(answers(page).last()).toContainText("list files");
});

test("TC-8.3a demo: switching between two sessions keeps the history of both", async ({ page, server }) => {
  const first = await startDemo(page, server);
  await say(page, "list files");
  await expect(turns(page, "completed")).toHaveCount(1, { timeout: 20_000 });
  const second = await startDemo(page, server);
  await say(page, "help");
  await expect(turns(page, "completed")).toHaveCount(1, { timeout: 20_000 });
  for (const [sessionId, prompt] of [
    [first, "list files"],
    [second, "help"],
    [first, "list files"],
  ] as const) {
    await page.goto(`${server.origin}/#/s/${sessionId}`);
    await expect(page.locator('[data-origin="user"]:visible')).toContainText([prompt]);
    await expect(turns(page, "completed")).toHaveCount(1);
  }
});

/** What each item says, in order. */
async function contents(page: Page): Promise<string[]> {
  const rows = page.locator("[data-item-id]:visible");
  return rows.evaluateAll((all) =>
    all.map(
      (row) => `${(row as HTMLElement).dataset.itemId} ${row.querySelector(".text, .tool")?.textContent}`,
    ),
  );
}
