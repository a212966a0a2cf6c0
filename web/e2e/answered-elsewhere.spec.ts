/** A request that someone else answers does not vanish without a word, wherever it is looked at, and keys still work afterwards. */
import type { Page } from "@playwright/test";
import { askingSession, cards, give, letSettle, runs, waiting } from "./asking-page";
import { expect, test } from "./fixtures";
import { ASKING_AGENT, type Server } from "./server";
import { logIn } from "./transcript-page";

test.use({ settings: ASKING_AGENT });

/** The oldest one, as a program does it. */
async function answerElsewhere(server: Server): Promise<void> {
  const [request] = await waiting(server);
  const path = `/api/session/${request?.sessionId}/permission/${request?.permissionId}`;
  await server.call("POST", path, { optionId: "yes" });
}

function past(page: Page) {
  return page.locator(".permission-past:visible");
}

for (const place of ["inbox", "wall"] as const) {
  test(`on the ${place} it says where it was answered, and the focus goes on`, async ({ page, server }) => {
    await logIn(page, server.loginUrl);
    await askingSession(server, runs("first"), runs("second"));
    await page.goto(`${server.origin}/#/${place}`);
    await expect(cards(page)).toHaveCount(2);
    await cards(page).first().focus();
    await answerElsewhere(server);
    await expect(past(page)).toContainText(["Allowed once by a program."]);
    await expect(past(page)).toContainText(["first"]);
    await expect(cards(page)).toHaveCount(1);
    await expect(cards(page), "the next one has the focus").toBeFocused();
    await answerElsewhere(server);
    await expect(cards(page)).toHaveCount(0);
    await expect(past(page).last()).toContainText("second");
    await expect(past(page).last(), "what it became has the focus").toBeFocused();
    while ((await past(page).count()) > 0)
      await page.getByRole("button", { name: "Dismiss" }).first().click();
    const home = place === "inbox" ? page.locator("main.inbox") : page.locator(".tile-title");
    await expect(home, "the focus is not lost with the last one").toBeFocused();
  });

  test(`on the ${place} one that is answered there goes, and the focus with it`, async ({ page, server }) => {
    await logIn(page, server.loginUrl);
    await askingSession(server, runs("only"));
    await page.goto(`${server.origin}/#/${place}`);
    await letSettle(page);
    await cards(page).focus();
    await page.keyboard.press("y");
    await expect(cards(page)).toHaveCount(0);
    await expect(past(page)).toHaveCount(0);
    const home = place === "inbox" ? page.locator("main.inbox") : page.locator(".tile-title");
    await expect(home).toBeFocused();
  });

  test(`on the ${place} what was said of others is over when one comes back to it`, async ({
    page,
    server,
  }) => {
    await logIn(page, server.loginUrl);
    await askingSession(server, runs("first"), runs("second"));
    await page.goto(`${server.origin}/#/${place}`);
    await expect(cards(page)).toHaveCount(2);
    await answerElsewhere(server);
    await expect(past(page)).toHaveCount(1);
    await page.goto(`${server.origin}/#/new`);
    await expect(page.getByRole("heading", { name: "New session" }).first()).toBeVisible();
    await page.goto(`${server.origin}/#/${place}`);
    await expect(cards(page)).toHaveCount(1);
    await expect(past(page)).toHaveCount(0);
    await letSettle(page);
    await give(cards(page).getByRole("button", { name: "Allow", exact: true }));
  });
}
