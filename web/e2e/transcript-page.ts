/** What a reader sees and does, in the words of the tests. */
import { expect, type Locator, type Page } from "@playwright/test";
import type { SessionId } from "../src/contract";

export async function logIn(page: Page, loginUrl: string): Promise<void> {
  await page.goto(loginUrl);
  await expectLive(page);
}

/** The same, and keys that belong to single things work: they are fetched after everything else. */
export async function logInForKeys(page: Page, loginUrl: string): Promise<void> {
  await logIn(page, loginUrl);
  const fetched = () =>
    performance.getEntriesByType("resource").filter(({ name }) => /\/dialogs-[^/]*\.(js|css)$/.test(name))
      .length;
  await expect.poll(() => page.evaluate(fetched)).toBeGreaterThanOrEqual(2);
}

export async function expectLive(page: Page): Promise<void> {
  await expect(page.locator(".connection")).toHaveText("Live");
}

export function listedSession(page: Page, sessionId: SessionId): Locator {
  return page.locator(`[data-session-id="${sessionId}"]`);
}

/** On a phone the list is a drawer, which has to be opened unless there is nothing else to see. */
export async function openSession(page: Page, sessionId: SessionId): Promise<void> {
  await showList(page);
  const link = listedSession(page, sessionId).getByRole("link", { includeHidden: true });
  await link.click();
  await expect(page).toHaveURL(new RegExp(`#/s/${sessionId}$`));
  // The address is there before what it names is.
  await expect(link).toHaveAttribute("aria-current", "page");
}

export async function showList(page: Page): Promise<void> {
  const list = page.locator("nav.sidebar");
  const menu = page.getByRole("button", { name: "Sessions", exact: true });
  await expect(async () => {
    // One that is on its way out can still be seen.
    const isDrawer = await menu.isVisible();
    if (isDrawer && (await list.getAttribute("data-expanded")) !== "true")
      await menu.click({ timeout: 1_000 });
    await expect(list).toBeVisible({ timeout: 1_000 });
  }).toPass();
}

/** A command, by words of its title. */
export async function runFromPalette(page: Page, title: string): Promise<void> {
  await page.keyboard.press("Control+k");
  await expect(page.getByRole("combobox", { name: "Command or session" })).toBeFocused();
  await page.keyboard.type(title);
  await expect(page.getByRole("option", { selected: true })).toContainText(title, { ignoreCase: true });
  await page.keyboard.press("Enter");
  await expect(page.getByRole("dialog", { name: "Command palette" })).toHaveCount(0);
}

export function itemsOfType(page: Page, type: "message" | "thinking" | "tool_call"): Locator {
  return page.locator(`[data-item-id][data-type="${type}"]`);
}

export function itemById(page: Page, itemId: string): Locator {
  return page.locator(`[data-item-id="${itemId}"]`);
}

export function textOf(item: Locator): Locator {
  return item.locator(".text");
}

export function turnLine(page: Page, turnId: string): Locator {
  return page.locator(`[data-turn-id="${turnId}"]`);
}

export async function itemIdOf(item: Locator): Promise<string> {
  const itemId = await item.getAttribute("data-item-id");
  if (itemId === null) throw new Error("the item has no id");
  return itemId;
}
