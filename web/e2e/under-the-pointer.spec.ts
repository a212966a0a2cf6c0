/** Whoever points at an answer answers that request or none: whatever comes and goes meanwhile, never another one. */
import type { Locator, Page } from "@playwright/test";
import { askingMoreLater, askingSession, cards, letSettle, runs, waiting } from "./asking-page";
import { expect, test } from "./fixtures";
import { ASKING_AGENT, type Server } from "./server";
import { logIn, openSession } from "./transcript-page";

test.use({ settings: ASKING_AGENT });

type Decision = { permissionId: string; answer?: { by: string } };

/** What refuses the request for a command. */
function refusal(page: Page, command: string): Locator {
  const card = cards(page).filter({ has: page.getByText(command, { exact: true }) });
  return card.getByRole("button", { name: "Reject", exact: true });
}

async function pointAt(page: Page, command: string): Promise<void> {
  await letSettle(page);
  await refusal(page, command).hover();
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
    await pointAt(page, "first");
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

/** More than there is room for in a session. */
const MANY = ["second", "third", "fourth", "fifth"].map((command) => runs(command));

test("in the session, what is asked later moves no request that is there, and a press means what it was meant for", async ({
  page,
  server,
  hasTouch,
}) => {
  await logIn(page, server.loginUrl);
  const { sessionId, askMore } = await askingMoreLater(server, [runs("first")], MANY);
  await openSession(page, sessionId);
  // A finger is nowhere before it presses.
  if (hasTouch) await letSettle(page);
  else await pointAt(page, "first");
  const [meant] = await waiting(server);
  const before = await refusal(page, "first").boundingBox();
  await askMore();
  await expect(cards(page)).toHaveCount(5);
  await letSettle(page);
  expect(await refusal(page, "first").boundingBox()).toEqual(before);
  const [x, y] = [(before?.x ?? 0) + 5, (before?.y ?? 0) + 5];
  if (hasTouch) await page.touchscreen.tap(x, y);
  else await page.mouse.click(x, y);
  await expect(cards(page)).toHaveCount(4);
  expect(await pressed(server)).toEqual([meant?.permissionId]);
});

test("in the session, neither what comes nor what goes moves a request that was scrolled to", async ({
  page,
  server,
  hasTouch,
}) => {
  await logIn(page, server.loginUrl);
  const { sessionId, askMore } = await askingMoreLater(server, [runs("first"), ...MANY], [runs("sixth")]);
  await openSession(page, sessionId);
  await refusal(page, "third").scrollIntoViewIfNeeded();
  if (hasTouch) await letSettle(page);
  else await pointAt(page, "third");
  const before = await refusal(page, "third").boundingBox();
  await askMore();
  await expect(cards(page)).toHaveCount(6);
  expect(await refusal(page, "third").boundingBox()).toEqual(before);
  const [oldest] = await waiting(server);
  const path = `/api/session/${sessionId}/permission/${oldest?.permissionId}`;
  await server.call("POST", path, { optionId: "yes" });
  await expect(page.locator(".permission-past")).toContainText("Allowed once by a program.");
  await letSettle(page);
  expect(await refusal(page, "third").boundingBox()).toEqual(before);
});

test("in the session, requests are read from the newest to the oldest, as they are gone through by Tab", {
  tag: "@desktop",
}, async ({ page, server }) => {
  await logIn(page, server.loginUrl);
  const sessionId = await askingSession(server, runs("first"), runs("second"));
  await openSession(page, sessionId);
  await expect(cards(page)).toContainText(["second", "first"]);
  const tops = await cards(page).evaluateAll((all) => all.map((one) => one.getBoundingClientRect().top));
  expect(tops).toEqual(tops.toSorted((a, b) => a - b));
  await letSettle(page);
  await page.keyboard.press("Alt+y");
  await expect(cards(page).last(), "the oldest is the first to be answered").toBeFocused();
});

for (const place of ["inbox", "wall"] as const) {
  test(`on the ${place}, a request that comes is not answered by a press that was meant for another`, {
    tag: "@desktop",
  }, async ({ page, server }) => {
    await logIn(page, server.loginUrl);
    await askingSession(server, runs("make"));
    await page.goto(`${server.origin}/#/${place}`);
    await pointAt(page, "make");
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
