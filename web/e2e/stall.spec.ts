/** A session that is at work and gives no sign of life says so, and stops saying so by itself. */
import { expect, test } from "./fixtures";
import { letPass } from "./silence";
import { listedSession, logIn, openSession } from "./transcript-page";

test("a silent session is told with its time, until something comes", async ({ page, server, isMobile }) => {
  await page.clock.install();
  await logIn(page, server.loginUrl);
  const sessionId = await server.createSession("Silent");
  await openSession(page, sessionId);
  await server.postEvents(
    sessionId,
    "t1",
    { type: "response_start", modelId: "model", providerId: "provider" },
    { type: "item_start", itemId: "m1", itemType: "message" },
    { type: "item_delta", itemId: "m1", deltaContent: "Then nothing" },
  );
  await expect(page.getByText("Then nothing")).toBeVisible();
  const note = page.getByText(/^No sign of life for/);
  await expect(note).toBeHidden();
  await letPass(page, 85);
  // The clock of the page goes on by itself, too: how much is up to the machine.
  await expect(note).toHaveText(/^No sign of life for [1-9] min( [1-5]?[05] s)?$/);
  await expect(page.getByRole("button", { name: "Stop what gives no sign of life" })).toBeVisible();
  await expect(page.locator('.session-header [data-activity="silent"]')).toHaveText("No sign of life");
  if (!isMobile) await expect(listedSession(page, sessionId)).toContainText("No sign of life");

  await server.postEvents(sessionId, "t1", { type: "item_delta", itemId: "m1", deltaContent: " but this" });
  await page.clock.runFor(1_000);
  await expect(note).toBeHidden();
  await expect(page.locator('.session-header [data-activity="running"]')).toBeVisible();
});

test("what is silent can be stopped", async ({ page, server }) => {
  await page.clock.install();
  await logIn(page, server.loginUrl);
  const sessionId = await server.createAgentSession("demo");
  await openSession(page, sessionId);
  await server.send(sessionId, "hang");
  await expect(page.locator('[data-turn-id][data-state="running"]')).toBeVisible();
  await letPass(page, 90);
  await page.getByRole("button", { name: "Stop what gives no sign of life" }).click();
  await page.clock.runFor(1_000);
  await expect(page.locator('[data-turn-id][data-state="cancelled"]')).toBeVisible();
  await expect(page.getByText(/^No sign of life for/)).toBeHidden();
});

test("an agent that is silent can be ended, after a question", async ({ page, server }) => {
  await page.clock.install();
  await logIn(page, server.loginUrl);
  const sessionId = await server.createAgentSession("demo");
  await openSession(page, sessionId);
  await server.send(sessionId, "hang");
  await expect(page.locator('[data-turn-id][data-state="running"]')).toBeVisible();
  await letPass(page, 90);
  await page.getByRole("button", { name: "End the agent that gives no sign of life" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "End agent" }).click();
  await page.clock.runFor(1_000);
  await expect(page.getByRole("button", { name: "Resume", exact: true })).toBeVisible();
});

test("a silent session is amber on the wall, with its words and a way to stop it", async ({
  page,
  server,
}) => {
  await page.clock.install();
  await logIn(page, server.loginUrl);
  const sessionId = await server.createAgentSession("demo");
  await server.send(sessionId, "hang");
  await page.goto(`${server.origin}/#/wall`);
  const tile = page.locator(`.tile[data-session-id="${sessionId}"]`);
  await expect(tile).toHaveAttribute("data-activity", "running");
  await letPass(page, 90);
  await expect(tile).toHaveAttribute("data-activity", "silent");
  await expect(tile.locator(".activity")).toHaveText("No sign of life");
  await tile.getByRole("button", { name: "Stop" }).click();
  await page.clock.runFor(2_000);
  await expect(tile).toHaveAttribute("data-activity", "idle");
});

test("a session that nobody opened is heard", async ({ page, server }) => {
  await page.clock.install();
  await logIn(page, server.loginUrl);
  const sessionId = await server.createSession("Busy");
  await server.postEvents(
    sessionId,
    "t1",
    { type: "response_start", modelId: "model", providerId: "provider" },
    { type: "item_start", itemId: "m1", itemType: "message" },
  );
  const words = listedSession(page, sessionId);
  await expect(words).toContainText("Working");
  const asked: string[] = [];
  page.on("request", (request) => asked.push(new URL(request.url()).pathname));
  for (let n = 0; n < 3; n += 1) {
    await letPass(page, 45);
    await server.postEvents(sessionId, "t1", { type: "item_delta", itemId: "m1", deltaContent: `${n} ` });
    await page.clock.runFor(1_500);
    await expect(words).toContainText("Working");
  }
  expect(asked.filter((path) => path.includes("history"))).toEqual([]);
  await letPass(page, 90);
  await expect(words).toContainText("No sign of life");
});
