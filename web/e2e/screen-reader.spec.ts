/** What those hear who do not see the page, and how they go through it. */
import type { Page } from "@playwright/test";
import { expect, test } from "./fixtures";
import { ASKING_AGENT } from "./server";
import { itemsOfType, logIn, openSession } from "./transcript-page";

const PROMPT = JSON.stringify({ title: "Run make", kind: "execute", rawInput: { command: "make" } });

/** Everything that was ever put into a live region, in order. */
async function listening(page: Page): Promise<() => Promise<string[]>> {
  await page.addInitScript(() => {
    const heard: string[] = [];
    Object.assign(window, { heard });
    new MutationObserver((changes) => {
      for (const { target, addedNodes } of changes)
        for (const node of addedNodes) {
          const region = (target as Element).closest?.("[role=status], [role=alert], [aria-live]");
          if (region && node.textContent) heard.push(`${region.role}: ${node.textContent}`);
        }
    }).observe(document, { childList: true, subtree: true });
  });
  return () => page.evaluate(() => (window as unknown as { heard: string[] }).heard);
}

test("a message is said once, when it is finished, and never while it grows", async ({ page, server }) => {
  const heard = await listening(page);
  await logIn(page, server.loginUrl);
  await openSession(page, await server.createAgentSession("demo"));
  await page.getByRole("button", { name: "help" }).click();
  const answer = itemsOfType(page, "message").nth(1);
  await expect(answer).toHaveAttribute("data-status", "update");
  expect(await heard()).toEqual([]);
  await expect(answer).toHaveAttribute("data-status", "complete", { timeout: 20_000 });
  await expect.poll(async () => (await heard()).length).toBe(1);
  const [said = ""] = await heard();
  expect(said).toMatch(/^status: Agent finished: .{50,101}$/);
  await page.reload();
  await expect(itemsOfType(page, "message").nth(1)).toBeVisible();
  expect(await heard()).toEqual([]);
  expect(await answer.evaluate((item) => item.closest("[aria-live], [role=log], [role=status]"))).toBeNull();
  await expect(page.getByRole("status")).toHaveCount(1);
});

test.describe("a question", () => {
  test.use({ settings: ASKING_AGENT });

  test("interrupts, once, with its answers", async ({ page, server }) => {
    const heard = await listening(page);
    await logIn(page, server.loginUrl);
    const sessionId = await server.createAgentSession("asking");
    await openSession(page, sessionId);
    await server.send(sessionId, PROMPT);
    await expect(page.locator(".permission")).toBeVisible();
    await expect
      .poll(heard)
      .toEqual([
        expect.stringMatching(/^alert: The agent asks: Run make\. Press F6 to go to the answers: Allow, /),
      ]);
  });

  test("of another session is said when there is time", async ({ page, server }) => {
    const heard = await listening(page);
    await logIn(page, server.loginUrl);
    await openSession(page, await server.createSession("Open"));
    const other = await server.createAgentSession("asking");
    await server.send(other, PROMPT);
    await expect.poll(heard).toEqual([expect.stringMatching(/^status: .*: Needs your answer: Run make$/)]);
  });

  test("is a part of the page that F6 goes to", async ({ page, server, isMobile }) => {
    await logIn(page, server.loginUrl);
    const sessionId = await server.createAgentSession("asking");
    await openSession(page, sessionId);
    await server.send(sessionId, PROMPT);
    const allow = page.getByRole("button", { name: "Allow", exact: true });
    await expect(allow).toBeEnabled();
    const transcript = page.getByRole("region", { name: "Transcript" });
    const composer = page.getByLabel("Message", { exact: true });
    const inSidebar = page.locator(".sidebar :focus");
    await composer.focus();
    await page.keyboard.press("F6");
    await expect(inSidebar).toBeVisible();
    if (!isMobile) await expect(inSidebar).toHaveAttribute("aria-current", "page");
    for (const next of [transcript, allow, composer]) {
      await page.keyboard.press("F6");
      await expect(next).toBeFocused();
    }
    for (const previous of [allow, transcript]) {
      await page.keyboard.press("Shift+F6");
      await expect(previous).toBeFocused();
    }
    await page.keyboard.press("Shift+F6");
    await expect(inSidebar).toBeVisible();
  });
});

test.describe("the page as a whole", () => {
  test.use({ refusals: /net::ERR|WebSocket|status of 401/ });

  test("a lost connection and its return are said once each", async ({ page, server }) => {
    const heard = await listening(page);
    await logIn(page, server.loginUrl);
    await server.kill();
    await expect(page.locator(".connection")).toContainText("Offline");
    await server.restart();
    await expect(page.locator(".connection")).toHaveText("Live");
    expect(await heard()).toEqual([
      "status: The connection to the server is lost. Trying again…",
      "status: The connection is back.",
    ]);
  });

  test("has landmarks, one heading of the first level, and a way past the list", async ({ page, server }) => {
    await logIn(page, server.loginUrl);
    const sessionId = await server.createSession("A session");
    await openSession(page, sessionId);
    await expect(page.getByRole("banner")).toHaveCount(1);
    await expect(page.getByRole("navigation", { name: "Sessions", exact: true })).toHaveCount(1);
    await expect(page.getByRole("main")).toHaveCount(1);
    await expect(page.getByRole("heading", { level: 1 })).toHaveText(["A session"]);
    await page.reload();
    await expect(page.locator(".connection")).toHaveText("Live");
    await page.keyboard.press("Tab");
    const skip = page.getByRole("link", { name: "Skip to content" });
    await expect(skip).toBeFocused();
    await expect(skip).toBeInViewport();
    await page.keyboard.press("Enter");
    await expect(page.getByRole("main")).toBeFocused();
    await expect(page).toHaveURL(new RegExp(`#/s/${sessionId}$`));
  });
});
