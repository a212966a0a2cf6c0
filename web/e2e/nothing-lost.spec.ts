/** What a person writes is not lost, not doubled, and goes where it was meant to. */
import type { Page } from "@playwright/test";
import { expect, test } from "./fixtures";
import type { Server } from "./server";
import { expectLive, logIn, openSession } from "./transcript-page";

const message = (page: Page) => page.getByLabel("Message", { exact: true });
const prompts = (page: Page) => page.locator('[data-type="message"][data-origin="user"]');
const send = (page: Page) => page.getByRole("button", { name: "Send", exact: true });
const waiting = (page: Page) => page.locator(".waiting-message");
const problem = (page: Page) => page.locator(".problem");

async function demo(page: Page, server: Server): Promise<string> {
  await logIn(page, server.loginUrl);
  const sessionId = await server.createAgentSession("demo");
  await openSession(page, sessionId);
  await expect(message(page)).toBeVisible();
  return sessionId;
}

test.describe("a long text", () => {
  test.use({ refusals: /status of (401|413)/ });

  test("arrives, or comes back with the reason, and the connection stays", async ({ page, server }) => {
    await demo(page, server);
    let sockets = 0;
    page.on("websocket", () => {
      sockets += 1;
    });
    await message(page).fill("help ".repeat(190_000));
    await send(page).click();
    await expect(prompts(page)).toHaveCount(1);
    await expect(waiting(page)).toHaveCount(0);
    const tooLong = "x".repeat(1_100_000);
    await message(page).fill(tooLong);
    await send(page).click();
    await expect(problem(page)).toContainText("must not exceed");
    await expect(message(page)).toHaveValue(tooLong);
    await expect(waiting(page)).toHaveCount(0);
    await expectLive(page);
    expect(sockets).toBe(0);
  });
});
