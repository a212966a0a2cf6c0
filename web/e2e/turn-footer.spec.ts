/** What a turn took, how full the window is, and what to do when a turn failed. */
import type { Page } from "@playwright/test";
import type { Usage } from "../src/contract";
import { BEGIN, said } from "./calls";
import { decorate } from "./decorated-items";
import { expect, test } from "./fixtures";
import { itemsOfType, logIn, openSession, turnLine } from "./transcript-page";

const USAGE: Usage = {
  inputTokens: 48_210,
  outputTokens: 2_312,
  costUsd: 0.43,
  contextTokens: 124_000,
  contextWindow: 200_000,
};

test("a turn tells its model, tokens and cost, and the header how full the window is", async ({
  page,
  server,
  isMobile,
}) => {
  await logIn(page, server.loginUrl);
  const sessionId = await server.createSession("Usage");
  await openSession(page, sessionId);
  await expect(page.locator(".gauge")).toBeHidden();
  const done = { type: "response_done", status: "completed", usage: USAGE } as const;
  await server.postEvents(sessionId, "t1", BEGIN, ...said("m1", "One."), done);
  await expect(turnLine(page, "t1").locator(".turn-facts")).toContainText("48k tokens in, 2.3k out");
  await expect(turnLine(page, "t1").locator(".turn-facts")).toContainText("$0.43");
  await expect(turnLine(page, "t1").locator(".turn-facts")).toContainText("model");
  expect(await wordsUnderTheButton(page)).toBe(false);
  await expect(page.locator(".gauge-words")).toHaveText("62 % of 200k");
  await expect(page.locator(".gauge")).toHaveAttribute("data-step", "calm");
  const fuller = { ...done, usage: { ...USAGE, contextTokens: 185_000 } };
  await server.postEvents(sessionId, "t2", BEGIN, ...said("m2", "Two."), fuller);
  await expect(page.locator(".gauge-words")).toHaveText("93 % of 200k");
  await expect(page.locator(".gauge")).toHaveAttribute("data-step", "full");
  if (!isMobile) await expect(page.locator(".gauge-cost")).toHaveText("$0.86");

  await page.goto(`${server.origin}/#/new`);
  await expect(page.getByRole("heading", { name: "New session", level: 1 })).toBeVisible();
  await expect(page.locator(".gauge"), "what another session cost is not told here").toBeHidden();
});

test("what the agent does not tell is called unknown, once a turn is over", async ({
  page,
  server,
  isMobile,
}) => {
  await logIn(page, server.loginUrl);
  const sessionId = await server.createSession("Nothing told");
  await openSession(page, sessionId);
  await expect(page.locator(".gauge")).toBeHidden();
  await server.postEvents(
    sessionId,
    "t1",
    { ...BEGIN, modelId: "unknown" } as typeof BEGIN,
    ...said("m1", "One."),
    { type: "response_done", status: "completed" },
  );
  await expect(turnLine(page, "t1")).toHaveAttribute("data-state", "completed");
  await expect(turnLine(page, "t1")).not.toContainText("tokens");
  await expect(turnLine(page, "t1").locator(".turn-facts")).toHaveText(/usage unknown$/);
  await expect(page.locator(".gauge-words")).toBeVisible();
  await expect(page.locator(".gauge-words")).toHaveText("Context unknown");
  if (!isMobile) await expect(page.locator(".gauge-cost")).toHaveText("Cost unknown");
});

test("a turn that failed says what happened and what to do", async ({ page, server }) => {
  await logIn(page, server.loginUrl);
  const sessionId = await server.createSession("Failing");
  await openSession(page, sessionId);
  const error = { code: "rate_limit", message: "Request rejected (429)" };
  await server.postEvents(sessionId, "t1", BEGIN, { type: "response_error", error });
  const failure = turnLine(page, "t1").getByRole("group", { name: "Why the turn failed" });
  await expect(failure).toContainText("The rate limit is reached");
  await expect(failure).toContainText("Wait a while");
  await expect(failure).toContainText("Request rejected (429)");
});

test("a message tells how long ago it was, and exactly when to those who look closer", async ({
  page,
  server,
}) => {
  const startedAt = new Date(Date.now() - 3 * 60_000 - 5_000).toISOString();
  await decorate(page, { items: { Hello: { startedAt } } });
  await logIn(page, server.loginUrl);
  const sessionId = await server.createSession("Times");
  await openSession(page, sessionId);
  await server.postEvents(sessionId, "t1", BEGIN, ...said("m1", "Hello there."));
  const time = itemsOfType(page, "message").locator(".message-time");
  await expect(time).toHaveText("3 min ago");
  await expect(time).toHaveAttribute("data-exact", /^\w+ \d+, \d{4}, \d\d:\d\d:\d\d$/);
});

/** Whether words of the turn lie below the button that leads to its times, where that is always there. */
async function wordsUnderTheButton(page: Page): Promise<boolean> {
  return page
    .locator(".turn-row")
    .first()
    .evaluate((row) => {
      const button = row.querySelector(".turn-times-open");
      if (!button || getComputedStyle(button).opacity === "0") return false;
      const { left, right, top, bottom } = button.getBoundingClientRect();
      const words = document.createRange();
      words.selectNodeContents(row.querySelector(".turn-line") ?? row);
      return [...words.getClientRects()].some(
        (line) => line.right > left && line.left < right && line.bottom > top && line.top < bottom,
      );
    });
}
