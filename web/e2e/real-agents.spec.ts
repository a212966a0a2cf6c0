/** The real agents, driven in a browser as users do it. Their models are scripted (`real-agents.ts`), nothing else is. */
import type { Page } from "@playwright/test";
import { give } from "./asking-page";
import { expect } from "./fixtures";
import { heard, isInterleaved, textsTold, told, upserts } from "./frames";
import {
  type Agent,
  allow,
  answers,
  CLAUDE,
  CODEX,
  calls,
  EVERY_AGENT,
  isMarked,
  mark,
  runCommand,
  say,
  start,
  test,
  turns,
  WRITES,
} from "./real-agents-page";
import type { Server } from "./server";
import { expectLive, itemById, itemIdOf, itemsOfType, listedSession, logIn, textOf } from "./transcript-page";

// A server that is started again is away for a moment.
test.use({ refusals: /status of (401|503)|ERR_CONNECTION_REFUSED/ });

const LEGACY = /^session:(update|chunk|complete|cancelled)$/;

for (const { agent, version, called } of EVERY_AGENT)
  test.describe(called, () => {
    test.use({ version });

    test(`TC-7.2a ${called}: upserts of an answer change one element in place`, {
      tag: "@desktop",
    }, async ({ page, server }) => {
      const frames = await begin(page, server, agent);
      await watchAnswerGrow(page);
      const itemId = await itemIdOf(answers(page));
      const texts = textsTold(frames, itemId);
      expect(new Set(texts).size, "it grew by upserts").toBeGreaterThan(2);
      for (const [at, text] of texts.entries()) expect(text.startsWith(texts[at - 1] ?? "")).toBe(true);
      expect(await textOf(answers(page)).textContent()).toBe(texts.at(-1));
    });

    test(`TC-7.2b ${called}: a call is shown, then in the same element its result`, {
      tag: "@desktop",
    }, async ({ page, server }) => {
      await begin(page, server, agent);
      await say(page, WRITES);
      await expect(allow(page)).toBeVisible();
      // It waits for the answer: the call is there, its result is not.
      const call = itemById(page, await itemIdOf(calls(page).first()));
      await expect(call).toContainText("made.txt");
      await expect(call.locator(".tool")).toHaveAttribute("data-state", "running");
      await call.locator("summary").first().click();
      await expect(call.getByLabel("Output", { exact: true })).toBeHidden();
      await mark(call);
      await give(allow(page));
      await expect(call.locator(".tool")).toHaveAttribute("data-state", "done");
      await expect(call.getByLabel("Output", { exact: true })).toContainText("one two");
      await expect(call).toHaveCount(1);
      expect(await isMarked(call)).toBe(true);
      await expect(calls(page)).toHaveCount(1);
    });

    test(`TC-7.2c ${called}: items whose upserts interleave never change each other`, {
      tag: "@desktop",
    }, async ({ page, server }) => {
      const frames = await begin(page, server, agent);
      await say(page, "together printf alpha > a.txt; printf ALPHA && printf beta > b.txt; printf BETA");
      const done = answers(page).filter({ hasText: "The command is done." });
      while (!(await done.isVisible())) {
        await expect(allow(page).or(done)).toBeVisible();
        if (await allow(page).isVisible()) await give(allow(page));
      }
      await expect(turns(page, "completed")).toHaveCount(1);
      await expect(calls(page)).toHaveCount(2);
      for (const [file, own, other] of [
        ["a.txt", "ALPHA", "BETA"],
        ["b.txt", "BETA", "ALPHA"],
      ] as const) {
        const call = calls(page).filter({ hasText: file });
        await call.locator("summary").first().click();
        await expect(call.getByLabel("Output", { exact: true })).toContainText(own);
        await expect(call).not.toContainText(other);
      }
      await expect(textOf(answers(page))).toHaveText(["Both at once.", "The command is done."]);
      expect(isInterleaved(upserts(frames)), "they interleaved").toBe(true);
    });

    test(`TC-7.4a ${called}: a send gives upserts and turns and nothing legacy`, {
      tag: "@desktop",
    }, async ({ page, server }) => {
      const sent = told(page);
      const frames = await begin(page, server, agent);
      await runCommand(page);
      await expect(turns(page, "completed")).toHaveCount(1);
      await say(page, "words 2000 50");
      await expect(textOf(answers(page).last())).toContainText("word3");
      await page.getByRole("button", { name: "Stop", exact: true }).click();
      await expect(turns(page, "cancelled")).toHaveCount(1);
      const orders = sent.map(({ type }) => type);
      expect(orders).toContain("session:hello");
      expect(orders.filter((type) => type === "session:send")).toHaveLength(2);
      const types = new Set(frames.map(({ type }) => type as string));
      expect(types).toContain("session:upsert");
      expect(types).toContain("session:turn");
      expect([...types].filter((type) => LEGACY.test(type))).toEqual([]);
    });

    test(`TC-8.3b ${called}: a session with earlier history shows all of it, also an imported one`, {
      tag: "@desktop",
    }, async ({ page, server }) => {
      await logIn(page, server.loginUrl);
      const sessionId = await start(page, agent);
      const said = ["You said: the first", "You said: the second", "The command is done."];
      for (const words of ["the first", "the second"]) {
        await say(page, words);
        await expect(answers(page).last()).toContainText(`You said: ${words}`);
      }
      await runCommand(page);
      await page.reload();
      await expectAll(page, said);
      await server.restart();
      await expectLive(page);
      await expectAll(page, said);
      await page.goto(`${server.origin}/#/new`);
      await listedSession(page, sessionId).getByRole("link").click();
      await expectAll(page, said);

      await page.goto(`${server.origin}/#/new`);
      await server.startAnew();
      await expect(server.call("GET", `/api/session/${sessionId}/status`)).rejects.toThrow("404");
      const imported = await server.importSession(agent.cliType);
      await page.goto(`${server.origin}/#/s/${imported}`);
      await page.reload();
      await expectAll(page, said);
    });
  });

for (const version of ["2.1.197", "2.1.325"] as const)
  test.describe(`Claude Code ${version}`, () => {
    test.use({ version });

    test(
      `TC-7.3a loading a session of Claude Code ${version} tells its history once, by item ids`,
      {
        tag: "@desktop",
      },
      async ({ page, server }) => loadIsToldOnce(page, server, CLAUDE),
    );

    test(
      `TC-8.1a a session with Claude Code ${version} is created, and its answer grows`,
      {
        tag: "@desktop",
      },
      async ({ page, server }) => createAndWatch(page, server, CLAUDE),
    );

    test(
      `TC-8.1b a tool call of Claude Code ${version} shows name, arguments and result`,
      {
        tag: "@desktop",
      },
      async ({ page, server }) => seeCall(page, server, CLAUDE),
    );

    test(
      `TC-8.1c a turn of Claude Code ${version} is cancelled, and the next message is answered`,
      {
        tag: "@desktop",
      },
      async ({ page, server }) => cancelAndGoOn(page, server, CLAUDE),
    );
  });

test(
  "TC-7.3b loading a session of Codex tells its history once, by item ids",
  { tag: "@desktop" },
  ({ page, server }) => loadIsToldOnce(page, server, CODEX),
);

test(
  "TC-8.2a a session with Codex is created, and its answer grows",
  { tag: "@desktop" },
  ({ page, server }) => createAndWatch(page, server, CODEX),
);

test(
  "TC-8.2b a tool call of Codex shows name, arguments and result",
  { tag: "@desktop" },
  ({ page, server }) => seeCall(page, server, CODEX),
);

test(
  "a turn of Codex is cancelled, and the next message is answered",
  { tag: "@desktop" },
  ({ page, server }) => cancelAndGoOn(page, server, CODEX),
);

test("TC-8.3a switching between a Claude and a Codex session keeps both", { tag: "@desktop" }, async ({
  page,
  server,
}) => {
  await logIn(page, server.loginUrl);
  const claude = await start(page, CLAUDE);
  await say(page, "for Claude");
  await expect(answers(page)).toContainText(["You said: for Claude"]);
  const codex = await start(page, CODEX);
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

async function loadIsToldOnce(page: Page, server: Server, agent: Agent): Promise<void> {
  await logIn(page, server.loginUrl);
  const sessionId = await start(page, agent);
  await say(page, "the first");
  await expect(answers(page)).toContainText(["You said: the first"]);
  await runCommand(page);
  await expect(turns(page, "completed")).toHaveCount(2);
  const before = await shownIds(page);
  await server.restart();
  await expectLive(page);
  const frames = heard(page);
  await page.reload();
  await expect(turns(page, "completed")).toHaveCount(2);
  const histories = frames.filter((frame) => frame.type === "session:history");
  expect(histories.map((history) => history.sessionId)).toEqual([sessionId]);
  const ids = histories[0]?.entries.map(({ itemId }) => itemId) ?? [];
  expect(ids.every((id) => typeof id === "string" && id !== "")).toBe(true);
  // Two prompts, two answers, one call.
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids.length).toBeGreaterThanOrEqual(5);
  expect(await shownIds(page)).toEqual(before);
  expect(before).toEqual(ids);
  expect(upserts(frames), "nothing of it is told again").toEqual([]);
}

async function createAndWatch(page: Page, server: Server, agent: Agent): Promise<void> {
  await begin(page, server, agent);
  await watchAnswerGrow(page);
  await expect(turns(page, "completed")).toHaveCount(1);
}

async function seeCall(page: Page, server: Server, agent: Agent): Promise<void> {
  await begin(page, server, agent);
  await runCommand(page);
  const call = calls(page).first();
  await expect(call.locator(".tool")).toHaveAttribute("data-state", "done");
  await expect(call.locator(".tool-words")).toHaveText(/^Ran printf 'one two'; printf ' three' > made\.txt$/);
  await call.locator("summary").first().click();
  await expect(call.locator(".tool-name")).toHaveText(agent.tool);
  await call.getByRole("button", { name: "Show arguments" }).click();
  await expect(call.getByLabel("Arguments", { exact: true })).toContainText("> made.txt");
  await expect(call.getByLabel("Output", { exact: true })).toHaveText(/^one two\s*$/);
}

async function cancelAndGoOn(page: Page, server: Server, agent: Agent): Promise<void> {
  await begin(page, server, agent);
  await say(page, "words 2000 50");
  await expect(textOf(answers(page).last())).toContainText("word3");
  await page.getByRole("button", { name: "Stop", exact: true }).click();
  await expect(turns(page, "cancelled")).toHaveCount(1);
  await say(page, "hello again");
  // An agent may tell its model also that it was interrupted.
  await expect(answers(page).last()).toContainText(/You said:.*hello again/s);
  await expect(turns(page, "completed")).toHaveCount(1);
}

/** A new session in a page that is listened to. */
async function begin(page: Page, server: Server, agent: Agent): ReturnType<typeof listen> {
  const frames = await listen(page, server);
  await start(page, agent);
  return frames;
}

async function listen(page: Page, server: Server): Promise<ReturnType<typeof heard>> {
  const frames = heard(page);
  await logIn(page, server.loginUrl);
  return frames;
}

/** From its first words to its last, in one element. */
async function watchAnswerGrow(page: Page): Promise<void> {
  await say(page, "words 60 40");
  const answer = answers(page);
  await expect(textOf(answer)).toContainText("word1");
  const same = itemById(page, await itemIdOf(answer));
  await mark(same);
  const early = (await textOf(same).textContent()) ?? "";
  expect(early).not.toContain("word60");
  await expect(textOf(same)).toContainText("word60");
  await expect(same).toHaveAttribute("data-status", "complete");
  await expect(same).toHaveCount(1);
  await expect(answer).toHaveCount(1);
  expect(await isMarked(same)).toBe(true);
  expect(((await textOf(same).textContent()) ?? "").startsWith(early.trimEnd())).toBe(true);
}

async function shownIds(page: Page): Promise<string[]> {
  const items = page.locator("[data-item-id]:visible");
  return items.evaluateAll((all) => all.map((item) => (item as HTMLElement).dataset.itemId ?? ""));
}

/** What was said by both, and what was done. */
async function expectAll(page: Page, said: string[]): Promise<void> {
  await expect(answers(page)).toContainText(said);
  await expect(page.locator('[data-origin="user"]:visible')).toHaveText([
    /the first/,
    /the second/,
    /made\.txt/,
  ]);
  await expect(itemsOfType(page, "tool_call").locator("visible=true")).toContainText(["made.txt"]);
}
