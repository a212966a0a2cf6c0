/** What a reader does with the sidebar and the tabs, in the words of the tests. */
import { expect, type Locator, type Page } from "@playwright/test";
import type { SessionCreated, SessionId } from "../src/contract";
import type { Server } from "./server";
import { listedSession, showList } from "./transcript-page";

export async function chooseInMenu(page: Page, sessionId: SessionId, item: string | RegExp): Promise<void> {
  await showList(page);
  const row = listedSession(page, sessionId);
  await row.hover();
  await row.getByRole("button", { name: /^Actions for/ }).click();
  await page.getByRole("menuitem", { name: item }).click();
}

export function projectGroup(page: Page, name: string): Locator {
  return page.getByRole("region", { name, exact: true });
}

export async function listedTitles(group: Locator): Promise<string[]> {
  return group.locator(".session-title").allTextContents();
}

export function tabs(page: Page): Locator {
  return page.locator(".tabbar .tab-face");
}

export function tab(page: Page, title: string): Locator {
  return page.locator(".tabbar .tab-face", { hasText: title });
}

export function activeTab(page: Page): Locator {
  return page.locator(".tabbar .tab-face[aria-current=page]");
}

/** A session in a directory beneath the project's, which is a project of its own. */
export async function createIn(server: Server, directory: string, title: string): Promise<SessionId> {
  const request = { cliType: "external", projectDir: directory, title };
  return (await server.call<SessionCreated>("POST", "/api/session/create", request)).sessionId;
}

/** A whole turn with one message. */
export async function sayOnce(
  server: Server,
  sessionId: SessionId,
  turnId: string,
  text: string,
): Promise<void> {
  const itemId = `${turnId}-message`;
  await server.postEvents(
    sessionId,
    turnId,
    { type: "response_start", modelId: "model", providerId: "provider" },
    { type: "item_start", itemId, itemType: "message" },
    { type: "item_done", itemId, finalItem: { type: "message", content: text, origin: "agent" } },
    { type: "response_done", status: "completed" },
  );
}

/** Nothing has to be scrolled sideways. */
export async function expectNoSidewaysScroll(page: Page): Promise<void> {
  const wide = () =>
    page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  await expect.poll(wide).toBeLessThanOrEqual(0);
}
