/** Going through a session by keys and links. */
import type { Page } from "@playwright/test";
import { expect, test } from "./fixtures";
import { itemName, longSession } from "./long-session";
import { expectLive, itemById, logIn, openSession } from "./transcript-page";

test("keys go to prompts and to both ends, also where rows are not loaded", async ({ page, server }) => {
  const sessionId = await longSession(server, 1_500);
  await logIn(page, server.loginUrl);
  await openSession(page, sessionId);
  await expect(itemById(page, itemName(1_499))).toBeInViewport();

  for (const prompt of [1_400, 1_300, 1_200]) {
    await page.keyboard.press("Alt+k");
    await expect(itemById(page, itemName(prompt))).toBeFocused();
    await expect(itemById(page, itemName(prompt))).toBeInViewport();
  }
  await page.keyboard.press("Alt+j");
  await expect(itemById(page, itemName(1_300))).toBeFocused();

  await page.keyboard.press("Alt+Home");
  await expect(itemById(page, itemName(0))).toBeInViewport();
  await expect(page.getByRole("button", { name: "Show earlier" })).toBeHidden();
  for (const prompt of [0, 100, 200]) {
    await page.keyboard.press("Alt+j");
    await expect(itemById(page, itemName(prompt))).toBeFocused();
  }

  await page.keyboard.press("Alt+End");
  await expect(itemById(page, itemName(1_499))).toBeInViewport();
  await expect(page.getByRole("button", { name: "Jump to latest" })).toBeHidden();
});

test("a link leads to its message, which stands out and has the focus, also after a reload", async ({
  page,
  server,
}) => {
  const sessionId = await longSession(server, 1_500);
  await logIn(page, server.loginUrl);
  await page.goto(`${server.origin}/#/s/${sessionId}/i/${itemName(301)}`);
  const expectShown = async () => {
    await expect(itemById(page, itemName(301))).toBeFocused();
    await expect(itemById(page, itemName(301))).toHaveAttribute("data-marked", "true");
    expect(Math.abs(await offMiddle(page, itemName(301)))).toBeLessThan(30);
  };
  await expectShown();
  await page.reload();
  await expectLive(page);
  await expectShown();
  await expect(itemById(page, itemName(301))).not.toHaveAttribute("data-marked", "true");
  await page.getByRole("button", { name: "Jump to latest" }).click();
  await expect(itemById(page, itemName(1_499))).toBeInViewport();
});

test("a link to the message that has the focus can be copied", async ({ page, server, context }) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  const sessionId = await longSession(server, 100);
  await logIn(page, server.loginUrl);
  await openSession(page, sessionId);
  await expect(itemById(page, itemName(99))).toBeInViewport();
  await page.keyboard.press("Alt+k");
  await expect(itemById(page, itemName(0))).toBeFocused();
  await page.keyboard.press("Alt+l");
  await expect(page.getByText("Link copied")).toBeVisible();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(
    `${server.origin}/#/s/${sessionId}/i/${itemName(0)}`,
  );
});

test("a prompt that is known is gone to before it is placed", async ({ page, server }) => {
  const sessionId = await longSession(server, 100);
  await logIn(page, server.loginUrl);
  await pressAsSoonAsPlaced(page, itemName(99), itemName(0));
  await openSession(page, sessionId);
  await expect(itemById(page, itemName(0))).toBeFocused();
  await expect(itemById(page, itemName(0))).toBeInViewport();
});

test.describe("a link that leads nowhere", () => {
  test.use({ refusals: /status of 40[14]/ });

  test("says so, and the session is shown at its end", async ({ page, server }) => {
    const sessionId = await longSession(server, 100);
    await logIn(page, server.loginUrl);
    await page.goto(`${server.origin}/#/s/${sessionId}/i/nothing`);
    await expect(page.getByText("This message is not in this session.")).toBeVisible();
    await expect(itemById(page, itemName(99))).toBeInViewport();
  });
});

test("a message of one's own is looked at, and what is selected does not move", async ({ page, server }) => {
  await logIn(page, server.loginUrl);
  const sessionId = await server.createAgentSession("demo");
  for (const _ of [1, 2, 3]) {
    await server.send(sessionId, "help");
    await server.call("GET", `/api/session/${sessionId}/wait`);
  }
  await openSession(page, sessionId);
  await expect(page.locator('[data-turn-id][data-state="completed"]')).toHaveCount(3);
  const transcript = page.getByLabel("Transcript", { exact: true });
  await transcript.evaluate((box) => box.scrollTo({ top: 0 }));
  await expect(page.getByRole("button", { name: "Jump to latest" })).toBeVisible();
  await page.getByLabel("Message", { exact: true }).fill("help");
  await page.getByRole("button", { name: "Send" }).click();
  await expect(page.getByRole("button", { name: "Jump to latest" })).toBeHidden();
  const answer = page.locator('[data-type="message"][data-origin="agent"]').last();
  await expect(answer).toHaveAttribute("data-status", "update");
  await answer.locator(".text").evaluate((text) => document.getSelection()?.selectAllChildren(text));
  const top = await transcript.evaluate((box) => box.scrollTop);
  await expect(page.locator('[data-turn-id][data-state="completed"]')).toHaveCount(4, { timeout: 30_000 });
  expect(await transcript.evaluate((box) => box.scrollTop)).toBe(top);
});

/** Rows are placed over several frames: presses Alt+K between the frame of the one and that of the other. */
async function pressAsSoonAsPlaced(page: Page, placed: string, notYet: string): Promise<void> {
  await page.evaluate(
    ([placed, notYet]) => {
      const isThere = (itemId: string) => document.querySelector(`[data-item-id="${itemId}"]`) !== null;
      const press = { key: "k", code: "KeyK", altKey: true, bubbles: true, cancelable: true };
      const watch = new MutationObserver(() => {
        if (!isThere(placed)) return;
        watch.disconnect();
        if (isThere(notYet)) throw new Error("all rows came with one frame");
        document.body.dispatchEvent(new KeyboardEvent("keydown", press));
      });
      watch.observe(document.body, { childList: true, subtree: true });
    },
    [placed, notYet] as const,
  );
}

async function offMiddle(page: Page, itemId: string): Promise<number> {
  return page.getByLabel("Transcript", { exact: true }).evaluate((box, id) => {
    const row = box.querySelector(`[data-item-id="${id}"]`)?.getBoundingClientRect();
    const edge = box.getBoundingClientRect();
    return (row?.top ?? 0) + (row?.height ?? 0) / 2 - edge.top - edge.height / 2;
  }, itemId);
}
