/** Keys do what they say, where they say it, and nothing else. */
import type { Page } from "@playwright/test";
import { expect, test } from "./fixtures";
import type { Server } from "./server";
import { logIn, openSession } from "./transcript-page";

const message = (page: Page) => page.getByLabel("Message", { exact: true });
const prompts = (page: Page) => page.locator('[data-type="message"][data-origin="user"]');

/** A session whose turn runs until somebody stops it. */
async function hanging(page: Page, server: Server): Promise<string> {
  await logIn(page, server.loginUrl);
  const sessionId = await server.createAgentSession("demo");
  await openSession(page, sessionId);
  await server.send(sessionId, "hang");
  await expect(page.locator('[data-turn-id][data-state="running"]')).toBeVisible();
  return sessionId;
}

test("Ctrl+Shift+Enter sends what is written now, also while one writes it", async ({ page, server }) => {
  await hanging(page, server);
  await message(page).fill("help");
  await page.keyboard.press("Control+Shift+Enter");
  await expect(page.locator('[data-turn-id][data-state="cancelled"]')).toBeVisible();
  await expect(prompts(page)).toHaveText([/hang/, /help/]);
});
