/** A phone's keyboard takes half of the screen: what is written, and what is answered to, stay in sight. */
import type { Locator, Page } from "@playwright/test";
import { BEGIN, END, said } from "./calls";
import { expect, test } from "./fixtures";
import { logIn, openSession } from "./transcript-page";

const WHOLE = { width: 412, height: 839 };
/** What a keyboard leaves of it. */
const LEFT = { width: 412, height: 400 };

test.use({ viewport: WHOLE });

test("the composer and the end of what was said stay above the keyboard", async ({ page, server }) => {
  await logIn(page, server.loginUrl);
  // The browser makes the page smaller, instead of putting the keyboard over it.
  await expect(page.locator("meta[name=viewport]")).toHaveAttribute(
    "content",
    /interactive-widget=resizes-content/,
  );
  const sessionId = await server.createAgentSession("demo");
  await server.send(sessionId, "help");
  await openSession(page, sessionId);
  await expect(page.locator('[data-turn-id][data-state="completed"]')).toBeVisible();
  const field = page.getByLabel("Message", { exact: true });
  await field.click();
  await page.setViewportSize(LEFT);
  await expectInside(page, field, LEFT.height);
  await expectInside(page, page.getByRole("button", { name: "Send", exact: true }), LEFT.height);
  await expectInside(page, page.locator('[data-turn-id][data-state="completed"]'), LEFT.height);
  await field.fill(Array.from({ length: 20 }, (_, at) => `line ${at}`).join("\n"));
  await expectInside(page, field, LEFT.height);
  await expectInside(page, page.getByRole("button", { name: "Send", exact: true }), LEFT.height);
  const transcript = await page.getByLabel("Transcript", { exact: true }).boundingBox();
  expect(transcript?.height, "something of it is left to read").toBeGreaterThan(90);
  await expect(field).toBeFocused();
  await page.setViewportSize(WHOLE);
  await expectInside(page, field, WHOLE.height);
});

test("one who reads further up stays there when the keyboard comes", async ({ page, server }) => {
  await logIn(page, server.loginUrl);
  const sessionId = await server.createSession("Read");
  await openSession(page, sessionId);
  const messages = Array.from({ length: 40 }, (_, at) => said(`m${at}`, `Message ${at}`)).flat();
  await server.postEvents(sessionId, "t1", BEGIN, ...messages, END);
  await expect(page.locator('[data-item-id="m39"]')).toBeInViewport();
  await page.locator('[data-item-id="m15"]').evaluate((row) => row.scrollIntoView({ block: "start" }));
  await expect(page.getByRole("button", { name: /Jump to latest/ })).toBeVisible();
  const top = async () => (await page.locator('[data-item-id="m15"]').boundingBox())?.y;
  const before = await top();
  await page.setViewportSize(LEFT);
  await expect.poll(top).toBe(before);
});

/** All of it, within what can be seen. */
async function expectInside(page: Page, part: Locator, height: number): Promise<void> {
  await expect(part).toBeInViewport({ ratio: 0.99 });
  const box = await part.boundingBox();
  expect((box?.y ?? -1) >= 0 && (box?.y ?? 0) + (box?.height ?? 0) <= height).toBe(true);
  expect(await page.evaluate(() => document.documentElement.scrollTop)).toBe(0);
}
