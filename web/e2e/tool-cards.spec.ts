/** What agents do with tools is seen at a glance, and in full when asked for. */
import type { Locator, Page } from "@playwright/test";
import type { EventPayload } from "../src/contract";
import { BEGIN, called, did, END, gave, itemOf, said, thought } from "./calls";
import { decorate, type Facts } from "./decorated-items";
import { expect, test } from "./fixtures";
import type { Server } from "./server";
import { itemById, itemsOfType, logIn, openSession, turnLine } from "./transcript-page";

const TURN = "t1";
const E = "\u001b";

/** A session in which this has happened, open in the page. */
async function showing(
  page: Page,
  server: Server,
  items: Record<string, Facts>,
  ...payloads: EventPayload[]
): Promise<string> {
  await decorate(page, { items });
  await logIn(page, server.loginUrl);
  const sessionId = await server.createSession("Tools");
  await openSession(page, sessionId);
  await server.postEvents(sessionId, TURN, BEGIN, ...payloads);
  return sessionId;
}

function card(page: Page, callId: string): Locator {
  return itemById(page, itemOf(callId)).locator(":scope > .tool");
}

function line(page: Page, callId: string): Locator {
  return card(page, callId).locator(":scope > details > summary");
}

test("each kind of call says in words what it did", async ({ page, server }) => {
  const diff = [
    {
      path: "/p/a.rs",
      hunks: [{ oldStart: 1, oldLines: 1, newStart: 1, newLines: 2, lines: ["-a", "+b", "+c"] }],
    },
    { path: "/p/b.rs", hunks: [{ oldStart: 1, oldLines: 0, newStart: 1, newLines: 1, lines: ["+x"] }] },
  ];
  await showing(
    page,
    server,
    {
      read: { kind: "read", locations: [{ path: "src/main.rs" }] },
      edit: { kind: "edit", diff },
      run: { kind: "execute", startedAt: "2026-01-01T00:00:00.000Z", emittedAt: "2026-01-01T00:00:12.000Z" },
      find: { kind: "search" },
      get: { kind: "fetch" },
    },
    ...did("read", "Read", {}, "text"),
    ...did("edit", "apply_patch", {}, "done"),
    ...did("run", "Bash", { command: "cargo test" }, "ok"),
    ...did("find", "Grep", { pattern: "needle" }, "none"),
    ...did("get", "WebFetch", { url: "https://example.com/" }, "page"),
    ...did("else", "deploy", { target: "staging" }, "done"),
    END,
  );
  const words = (callId: string) => line(page, callId).locator(".tool-words");
  await expect(words("read")).toHaveText("Read src/main.rs");
  await expect(words("edit")).toHaveText("Edited 2 files");
  await expect(line(page, "edit").locator(".tool-facts")).toHaveText("+3−1");
  await expect(words("run")).toHaveText("Ran cargo test");
  await expect(line(page, "run").locator(".tool-state")).toHaveText("done 12 s");
  await expect(words("find")).toHaveText("Searched for needle");
  await expect(words("get")).toHaveText("Fetched example.com");
  await expect(words("else")).toHaveText("deploy staging");
  const icons = await page
    .locator(".tool-line .icon")
    .evaluateAll((all) => all.map((one) => (one as HTMLElement).dataset.icon));
  expect(icons).toEqual(["read", "edit", "execute", "search", "fetch", "other"]);
});

test("a card is built when it is opened, and not before", async ({ page, server }) => {
  await showing(page, server, {}, ...did("run", "Bash", { command: "make all\nmake test" }, "built\n"), END);
  await expect(line(page, "run")).toBeVisible();
  await expect(card(page, "run").locator(".tool-details")).toHaveCount(0);
  await line(page, "run").click();
  await expect(card(page, "run").getByLabel("Command", { exact: true })).toHaveText("make all\nmake test");
  await expect(card(page, "run").getByLabel("Output", { exact: true })).toHaveText("built\n");
  await expect(card(page, "run").getByLabel("Arguments", { exact: true })).toBeHidden();
  await card(page, "run").getByRole("button", { name: "Show arguments" }).click();
  await expect(card(page, "run").getByLabel("Arguments", { exact: true })).toContainText(
    '"command": "make all\\nmake test"',
  );
});

test("a running call shows its newest lines and counts its seconds", async ({ page, server }) => {
  const toolOutput = Array.from({ length: 20 }, (_, at) => `line ${at}\n`).join("");
  const startedAt = new Date(Date.now() - 5_000).toISOString();
  await showing(
    page,
    server,
    { run: { kind: "execute", startedAt, toolOutput } },
    ...called("run", "Bash", {}),
  );
  const live = card(page, "run").getByLabel("Newest lines");
  await expect(live).toContainText("line 19");
  await expect(live).toContainText("line 12");
  await expect(live).not.toContainText("line 11");
  const time = line(page, "run").locator(".tool-time");
  await expect(time).toHaveText(/^\d+ s$/);
  const seconds = async () => Number.parseInt((await time.textContent()) ?? "", 10);
  const before = await seconds();
  await expect.poll(seconds).toBeGreaterThan(before);
});

test("colours of a terminal are shown, and nothing else of it happens", async ({ page, server }) => {
  const output = `${E}[1;31merror${E}[0m: no\n${E}]0;title\u0007${E}[2Jkept\nprogress 1\rprogress 2\n`;
  await showing(page, server, {}, ...did("run", "Bash", { command: "x" }, output), END);
  await line(page, "run").click();
  const shown = card(page, "run").getByLabel("Output", { exact: true });
  expect(await shown.textContent()).toBe("error: no\nkept\nprogress 2\n");
  await expect(shown.locator(".ansi-1.ansi-bold")).toHaveText("error");
});

test("a long output is folded and says how long it is", async ({ page, server }) => {
  const output = Array.from({ length: 4_212 }, (_, at) => `line ${at} ${"x".repeat(40)}\n`).join("");
  await showing(page, server, {}, ...did("run", "Bash", { command: "x" }, output), END);
  await line(page, "run").click();
  const shown = card(page, "run").getByLabel("Output", { exact: true });
  await expect(shown).toContainText("line 4211 ");
  await expect(shown).not.toContainText("line 100 ");
  const endsBelow = await shown.evaluate(
    (box) => (box.lastElementChild?.getBoundingClientRect().bottom ?? 0) - box.getBoundingClientRect().bottom,
  );
  expect(endsBelow, "the last line is in sight").toBeLessThanOrEqual(0);
  const all = card(page, "run").getByRole("button", { name: /^Show all 4,212 lines · \d+ KB$/ });
  await all.click();
  await expect(shown).toContainText("line 100 ");
  expect(await shown.textContent()).toBe(output);
  await expect(all).toBeHidden();
});

test("what went wrong is seen without opening anything", async ({ page, server }) => {
  const output = `Exit code 2\n${Array.from({ length: 30 }, (_, at) => `error ${at}`).join("\n")}`;
  await showing(page, server, {}, ...did("run", "Bash", { command: "make" }, output, true), END);
  await expect(line(page, "run").locator(".tool-state")).toContainText("failed");
  await expect(line(page, "run").locator(".tool-facts")).toHaveText("exit 2");
  const wrong = card(page, "run").getByLabel("What went wrong");
  await expect(wrong).toContainText("error 0");
  await expect(wrong).not.toContainText("error 20");
  await line(page, "run").click();
  await expect(wrong).toBeHidden();
  await expect(card(page, "run").getByLabel("Output", { exact: true })).toContainText("error 29");
});

test("a call that was stopped says so", async ({ page, server }) => {
  await showing(page, server, {}, ...called("run", "Bash", { command: "sleep 9" }), {
    type: "response_done",
    status: "cancelled",
  });
  await expect(card(page, "run")).toHaveAttribute("data-state", "stopped");
  await expect(line(page, "run").locator(".tool-state")).toContainText("stopped");
});

test("quiet calls of one kind become one line once something follows, which opens to all of them", async ({
  page,
  server,
}) => {
  const read = (n: number) => did(`r${n}`, "Read", { file_path: `/p/file${n}.rs` }, "x");
  const sessionId = await showing(page, server, {}, ...read(1), ...read(2), ...read(3));
  await expect(itemsOfType(page, "tool_call")).toHaveCount(3);
  await expect(page.locator(".tool-group")).toHaveCount(0);
  await server.postEvents(sessionId, TURN, ...said("m", "Now I know."));
  const group = page.locator(".tool-group");
  await expect(group.locator(".tool-words")).toHaveText("Read 3 files file1.rs, file2.rs, file3.rs");
  await expect(itemsOfType(page, "tool_call")).toHaveCount(0);
  await group.locator("summary").click();
  await expect(itemsOfType(page, "tool_call")).toHaveCount(3);
  await server.postEvents(sessionId, TURN, ...said("m2", "And more."), END);
  await expect(turnLine(page, TURN)).toHaveAttribute("data-state", "completed");
  await expect(itemsOfType(page, "tool_call"), "what was opened stays open").toHaveCount(3);
});

test("a call that a reader has opened is not folded away", async ({ page, server }) => {
  const read = (n: number) => did(`r${n}`, "Read", { file_path: `/p/file${n}.rs` }, "x");
  const sessionId = await showing(page, server, {}, ...read(1), ...read(2), ...read(3), ...read(4));
  await line(page, "r2").click();
  await server.postEvents(sessionId, TURN, ...said("m", "Now I know."));
  await expect(itemsOfType(page, "message")).toHaveCount(1);
  await expect(card(page, "r2").getByLabel("Output", { exact: true })).toBeVisible();
  await expect(page.locator(".tool-group .tool-words")).toHaveText("Read 2 files file3.rs, file4.rs");
  await expect(card(page, "r1")).toBeVisible();
});

test("what is being read further up is not folded away, and does not move", async ({ page, server }) => {
  const reads = Array.from({ length: 14 }, (_, n) =>
    did(`r${n}`, "Read", { file_path: `/p/file${n}.rs` }, "x"),
  );
  const long = said("m0", "A line.\n\n".repeat(60));
  const sessionId = await showing(page, server, {}, ...long, ...reads.flat());
  await expect(line(page, "r13")).toBeVisible();
  await page.locator(".transcript").hover();
  await page.mouse.wheel(0, -150);
  await expect(page.getByRole("button", { name: /Jump to latest/ })).toBeVisible();
  const top = () => line(page, "r3").evaluate((row) => Math.round(row.getBoundingClientRect().top));
  const before = await top();
  await server.postEvents(sessionId, TURN, ...said("m1", "Now I know."), ...said("m2", "And more."));
  await expect(itemsOfType(page, "message")).toHaveCount(3);
  await expect(line(page, "r3")).toBeVisible();
  expect(Math.abs((await top()) - before)).toBeLessThanOrEqual(1);
  await page.getByRole("button", { name: /Jump to latest/ }).click();
  await server.postEvents(sessionId, TURN, ...said("m3", "The end."), END);
  await expect(page.locator(".tool-group .tool-words")).toContainText("Read 14 files");
});

test("what a subagent does stands in its card, open while it works", async ({ page, server }) => {
  const sessionId = await showing(
    page,
    server,
    { n1: { parent: "task" }, n2: { parent: "task" }, Found: { parent: "task" } },
    ...called("task", "Task", { description: "Find callers", prompt: "Look for callers." }),
    ...did("n1", "Grep", { pattern: "call(" }, "one"),
  );
  const task = card(page, "task");
  await expect(task).toHaveAttribute("data-state", "running");
  await expect(task.locator(".nested").locator("[data-item-id]")).toHaveCount(1);
  await expect(page.locator(".rows > [data-item-id]")).toHaveCount(1);
  await line(page, "task").click();
  await server.postEvents(sessionId, TURN, ...called("n2", "Bash", { command: "ls" }));
  await expect(line(page, "task")).toContainText("2 steps");
  await expect(line(page, "task").locator('[data-fact="last"]')).toHaveText("Bash");
  await expect(task.locator(".nested"), "what the reader closed stays closed").toBeHidden();
  await server.postEvents(
    sessionId,
    TURN,
    ...gave("n2", "a"),
    ...said("m", "Found three."),
    ...gave("task", "Three."),
    END,
  );
  await expect(task).toHaveAttribute("data-state", "done");
  await line(page, "task").click();
  await expect(task.locator(".nested [data-item-id]")).toHaveCount(3);
  await expect(task.locator(".nested")).toContainText("Found three.");
});

test("thinking is one line that tells its end and how long it took, and stays open once opened", async ({
  page,
  server,
}) => {
  const times = { startedAt: "2026-01-01T00:00:00.000Z", emittedAt: "2026-01-01T00:00:12.000Z" };
  const sessionId = await showing(
    page,
    server,
    { "First idea": times },
    { type: "item_start", itemId: "th", itemType: "reasoning" },
    { type: "item_delta", itemId: "th", deltaContent: "First idea.\n\nSecond idea." },
  );
  const thinking = itemsOfType(page, "thinking");
  await expect(thinking.locator(".fold-name")).toHaveText("Thinking");
  await expect(thinking.locator(".fold-hint"), "while it thinks").toHaveAttribute(
    "data-preview",
    "Second idea.",
  );
  await expect(thinking.locator(".text")).toHaveCount(0);
  await thinking.locator("summary").click();
  await expect(thinking.locator(".text")).toContainText("First idea.");
  await server.postEvents(
    sessionId,
    TURN,
    ...thought("th", "First idea.\n\nSecond idea. Third.").slice(1),
    END,
  );
  await expect(thinking.locator(".fold-name")).toHaveText("Thought for 12 s");
  await expect(thinking.locator(".fold-hint")).toHaveAttribute("data-preview", "Second idea. Third.");
  await expect(thinking.locator(".text")).toContainText("Third.");
});

test("all calls are opened and closed with one key", async ({ page, server }) => {
  await showing(
    page,
    server,
    {},
    ...did("a", "Bash", { command: "one" }, "1"),
    ...did("b", "Bash", { command: "two" }, "2"),
    END,
  );
  await expect(line(page, "b")).toBeVisible();
  const outputs = page.getByLabel("Output", { exact: true });
  await page.keyboard.press("Alt+o");
  await expect(outputs).toHaveCount(2);
  for (const output of await outputs.all()) await expect(output).toBeVisible();
  await page.keyboard.press("Alt+o");
  for (const output of await outputs.all()) await expect(output).toBeHidden();
});

test("a word that is found in an output opens its card, however long the output is", async ({
  page,
  server,
}) => {
  const output = `quince\n${"line\n".repeat(500)}`;
  await showing(page, server, {}, ...did("run", "Bash", { command: "x" }, output), END);
  await expect(line(page, "run")).toBeVisible();
  await page.keyboard.press("Control+f");
  await page.keyboard.type("quince");
  await expect(card(page, "run").getByLabel("Output", { exact: true })).toContainText("quince");
});

test.describe("the clipboard", () => {
  test.use({ permissions: ["clipboard-read", "clipboard-write"] });

  test("copies an output without its signs, and links to calls and messages", async ({ page, server }) => {
    const sessionId = await showing(
      page,
      server,
      {},
      ...did("run", "Bash", { command: "x" }, `${E}[32mok${E}[0m\n`),
      ...said("m", "Done."),
      END,
    );
    const clipboard = () => page.evaluate(() => navigator.clipboard.readText());
    await line(page, "run").click();
    await card(page, "run").getByRole("button", { name: "Copy output" }).click();
    await expect.poll(clipboard).toBe("ok\n");
    await card(page, "run").getByRole("button", { name: "Copy link" }).click();
    await expect.poll(clipboard).toBe(`${server.origin}/#/s/${sessionId}/i/${itemOf("run")}`);
    await itemsOfType(page, "message").hover();
    await itemsOfType(page, "message").getByRole("button", { name: "Copy link" }).click();
    await expect.poll(clipboard).toContain(`/#/s/${sessionId}/i/`);
  });
});
