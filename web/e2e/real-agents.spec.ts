/** The real agents, driven in a browser as users do it. Their models are scripted (`real-agents.ts`), nothing else is. */
import type { Locator, Page } from "@playwright/test";
import { give } from "./asking-page";
import { test as base, expect } from "./fixtures";
import { type ClaudeVersion, realAgents } from "./real-agents";
import { Server } from "./server";
import { expectLive, itemIdOf, itemsOfType, listedSession, logIn, textOf } from "./transcript-page";

const test = base.extend<{ version: ClaudeVersion }>({
  version: ["2.1.325", { option: true }],
  server: async ({ version }, use) => {
    const agents = await realAgents(version);
    const server = await Server.start(agents.settings);
    await use(server);
    await server.stop();
    await agents.stop();
  },
});

// A server that is started again is away for a moment.
test.use({ refusals: /status of (401|503)|ERR_CONNECTION_REFUSED/ });

async function start(page: Page, agent: string): Promise<string> {
  await page.goto(`${new URL(page.url()).origin}/#/new`);
  const form = page.getByRole("form", { name: "New session" });
  await form.locator("label", { hasText: agent }).first().click();
  await expect(form.getByRole("radio", { name: agent })).toBeChecked();
  await form.getByRole("button", { name: "Start" }).click();
  await expect(page).toHaveURL(/#\/s\/.+/);
  return decodeURIComponent(page.url().split("#/s/")[1] ?? "");
}

async function say(page: Page, text: string): Promise<void> {
  await page.getByRole("textbox", { name: "Message" }).fill(text);
  await page.getByRole("textbox", { name: "Message" }).press("Enter");
}

function answers(page: Page): Locator {
  return page.locator('[data-type="message"][data-origin="agent"]:visible');
}

function turns(page: Page, state: string): Locator {
  return page.locator(`[data-turn-id][data-state="${state}"]:visible`);
}

async function watchAnswerGrow(page: Page): Promise<void> {
  await say(page, "words 60 40");
  const answer = answers(page).last();
  await expect(textOf(answer)).toContainText("word1");
  const itemId = await itemIdOf(answer);
  const early = (await textOf(answer).textContent()) ?? "";
  expect(early).not.toContain("word60");
  await expect(textOf(answer)).toContainText("word60");
  await expect(answer).toHaveAttribute("data-status", "complete");
  expect(await itemIdOf(answer)).toBe(itemId);
  expect(((await textOf(answer).textContent()) ?? "").startsWith(early.trimEnd())).toBe(true);
  await expect(turns(page, "completed")).toHaveCount(1);
}

/** Allowed on the way where the agent asks. */
async function runCommand(page: Page): Promise<void> {
  await say(page, "run printf 'one two'; printf ' three' > made.txt");
  const card = page.locator(".permission").first();
  await expect(card).toContainText("made.txt");
  await give(card.getByRole("button", { name: /^(Allow once|Allow|Yes)/ }).first());
  const call = itemsOfType(page, "tool_call").first();
  await expect(call.locator(".tool")).toHaveAttribute("data-state", "done");
  await call.locator("summary").first().click();
  await expect(call).toContainText("made.txt");
  await expect(call.getByLabel("Output", { exact: true })).toContainText("one two");
  await expect(answers(page).last()).toContainText("The command is done.");
}

for (const version of ["2.1.197", "2.1.325"] as const)
  test.describe(`Claude Code ${version}`, () => {
    test.use({ version });

    test(`TC-8.1a a session with Claude Code ${version} is created, and its answer grows`, {
      tag: "@desktop",
    }, async ({ page, server }) => {
      await logIn(page, server.loginUrl);
      await start(page, "Claude Code");
      await watchAnswerGrow(page);
    });

    test(`TC-8.1b a tool call of Claude Code ${version} shows name, arguments and result`, {
      tag: "@desktop",
    }, async ({ page, server }) => {
      await logIn(page, server.loginUrl);
      await start(page, "Claude Code");
      await runCommand(page);
    });

    test(`TC-8.1c a turn of Claude Code ${version} is cancelled, and the next message is answered`, {
      tag: "@desktop",
    }, async ({ page, server }) => {
      await logIn(page, server.loginUrl);
      await start(page, "Claude Code");
      await say(page, "words 2000 50");
      await expect(textOf(answers(page).last())).toContainText("word3");
      await page.getByRole("button", { name: "Stop", exact: true }).click();
      await expect(turns(page, "cancelled")).toHaveCount(1);
      await say(page, "hello again");
      // The agent tells its model also that it was interrupted.
      await expect(answers(page).last()).toContainText(/You said:.*hello again/s);
      await expect(turns(page, "completed")).toHaveCount(1);
    });
  });

test("TC-8.2a a session with Codex is created, and its answer grows", { tag: "@desktop" }, async ({
  page,
  server,
}) => {
  await logIn(page, server.loginUrl);
  await start(page, "Codex");
  await watchAnswerGrow(page);
});

test("TC-8.2b a tool call of Codex shows name, arguments and result", { tag: "@desktop" }, async ({
  page,
  server,
}) => {
  await logIn(page, server.loginUrl);
  await start(page, "Codex");
  await runCommand(page);
});

test("TC-8.3a switching between a Claude and a Codex session keeps both", { tag: "@desktop" }, async ({
  page,
  server,
}) => {
  await logIn(page, server.loginUrl);
  const claude = await start(page, "Claude Code");
  await say(page, "for Claude");
  await expect(answers(page)).toContainText(["You said: for Claude"]);
  const codex = await start(page, "Codex");
  await say(page, "for Codex");
  await expect(answers(page)).toContainText(["You said: for Codex"]);
  for (const [sessionId, words] of [
    [claude, "You said: for Claude"],
    [codex, "You said: for Codex"],
    [claude, "You said: for Claude"],
  ] as const) {
    await page.goto(`${server.origin}/#/s/${sessionId}`);
    await expect(answers(page)).toContainText([words]);
    await expect(turns(page, "completed")).toHaveCount(1);
  }
});

test("TC-8.3b a session with earlier history shows all of it, also one imported from an agent", {
  tag: "@desktop",
}, async ({ page, server }) => {
  await logIn(page, server.loginUrl);
  const sessionId = await start(page, "Claude Code");
  for (const words of ["the first", "the second"]) {
    await say(page, words);
    await expect(answers(page).last()).toContainText(`You said: ${words}`);
  }
  const said = ["You said: the first", "You said: the second"];
  await page.reload();
  await expect(answers(page)).toContainText(said);
  await server.restart();
  await expectLive(page);
  await expect(answers(page)).toContainText(said);
  await page.goto(`${server.origin}/#/new`);
  await listedSession(page, sessionId).getByRole("link").click();
  await expect(answers(page)).toContainText(said);

  await page.goto(`${server.origin}/#/new`);
  await server.startAnew();
  await expect(server.call("GET", `/api/session/${sessionId}/status`)).rejects.toThrow("404");
  const imported = await server.importSession("claude-code");
  await page.goto(`${server.origin}/#/s/${imported}`);
  await page.reload();
  await expect(answers(page)).toContainText(said);
});
