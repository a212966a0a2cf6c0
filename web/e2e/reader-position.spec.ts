/** The transcript goes along with a reader who is at its end, and leaves one alone who is not. */
import type { Page } from "@playwright/test";
import { expect, test } from "./fixtures";
import { itemsOfType, logIn, openSession, textOf } from "./transcript-page";
import { words } from "./words";

test("a reader at the end is followed, a reader further up is not moved", async ({ page, server }) => {
  await logIn(page, server.loginUrl);
  const sessionId = await server.createSession("Long");
  await openSession(page, sessionId);
  const post = (from: number, to: number) =>
    server.postEvents(sessionId, "t1", { type: "item_delta", itemId: "m1", deltaContent: words(from, to) });
  await server.postEvents(
    sessionId,
    "t1",
    { type: "response_start", modelId: "model", providerId: "provider" },
    { type: "item_start", itemId: "m1", itemType: "message" },
  );
  const text = textOf(itemsOfType(page, "message"));

  for (const from of [0, 500, 1000]) {
    await post(from, from + 500);
    await expect(text).toContainText(`word${from + 499} `);
    await expect.poll(() => distanceToEnd(page)).toBeLessThan(2);
  }

  await page.getByLabel("Transcript").evaluate((box) => box.scrollTo({ top: 100 }));
  await expect(page.getByRole("button", { name: "Jump to latest" })).toBeVisible();
  await post(1500, 2000);
  await expect(text).toContainText("word1999 ");
  expect(await page.getByLabel("Transcript").evaluate((box) => box.scrollTop)).toBe(100);

  await page.getByRole("button", { name: "Jump to latest" }).click();
  await expect.poll(() => distanceToEnd(page)).toBeLessThan(2);
  await expect(page.getByRole("button", { name: "Jump to latest" })).toBeHidden();
});

async function distanceToEnd(page: Page): Promise<number> {
  return page.getByLabel("Transcript").evaluate((box) => box.scrollHeight - box.clientHeight - box.scrollTop);
}
