/** Whoever points at an answer answers that request or none: whatever comes and goes meanwhile, never another one. */
import type { Locator, Page } from "@playwright/test";
import { askingSession, cards, letSettle, runs, waiting } from "./asking-page";
import { expect, test } from "./fixtures";
import { ASKING_AGENT, type Server } from "./server";
import { logIn } from "./transcript-page";

test.use({ settings: ASKING_AGENT });

type Decision = { permissionId: string; answer?: { by: string } };

/** Where the first card's refusal is, with the pointer on it. */
async function pointAtFirst(page: Page): Promise<Locator> {
  await letSettle(page);
  const answer = cards(page).first().getByRole("button", { name: "Reject", exact: true });
  await answer.hover();
  return answer;
}

/** Presses where the pointer is, for longer than a card that has come or moved takes no answer. */
async function pressForAWhile(page: Page): Promise<void> {
  const until = Date.now() + 1_500;
  while (Date.now() < until) {
    await page.mouse.down();
    await page.mouse.up();
    await page.waitForTimeout(60);
  }
}

/** What was answered by a press. */
async function pressed(server: Server): Promise<string[]> {
  const decisions = await server.call<Decision[]>("GET", "/api/decisions");
  return decisions.filter(({ answer }) => answer?.by === "browser").map(({ permissionId }) => permissionId);
}

for (const place of ["session", "inbox", "wall"] as const) {
  test(`in the ${place}, a request that is answered elsewhere leaves its place to none that can be pressed`, {
    tag: "@desktop",
  }, async ({ page, server }) => {
    await logIn(page, server.loginUrl);
    const sessionId = await askingSession(server, runs("first"), runs("second"), runs("third"));
    await page.goto(`${server.origin}/#/${place === "session" ? `s/${sessionId}` : place}`);
    await expect(cards(page)).toHaveCount(3);
    await pointAtFirst(page);
    const [first] = await waiting(server);
    await server.call("POST", `/api/session/${sessionId}/permission/${first?.permissionId}`, {
      optionId: "yes",
    });
    await pressForAWhile(page);
    await expect(cards(page)).toHaveCount(2);
    await expect(page.locator(".permission-past")).toContainText("Allowed once by a program.");
    expect(await pressed(server)).toEqual([]);
    expect(await waiting(server)).toHaveLength(2);
  });
}

for (const place of ["inbox", "wall"] as const) {
  test(`on the ${place}, a request that comes is not answered by a press that was meant for another`, {
    tag: "@desktop",
  }, async ({ page, server }) => {
    await logIn(page, server.loginUrl);
    await askingSession(server, runs("make"));
    await page.goto(`${server.origin}/#/${place}`);
    await pointAtFirst(page);
    const [pointedAt] = await waiting(server);
    // The same once more: the inbox offers to allow both, above them.
    await askingSession(server, runs("make"), runs("other"));
    await pressForAWhile(page);
    const answered = await pressed(server);
    expect(answered.filter((id) => id !== pointedAt?.permissionId)).toEqual([]);
    const left = (await waiting(server)).map(({ permissionId }) => permissionId);
    expect(left).toHaveLength(3 - answered.length);
  });
}
