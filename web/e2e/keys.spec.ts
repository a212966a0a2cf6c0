/** Keys do what they say, where they say it, and nothing else. */
import type { Page } from "@playwright/test";
import { expect, test } from "./fixtures";
import type { Server } from "./server";
import { tab } from "./sidebar-page";
import { listedSession, logIn, openSession, showList } from "./transcript-page";

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

/** Said for two seconds: who waits for it to be gone would not see it. */
async function expectNoStop(page: Page): Promise<void> {
  expect(await page.locator(".composer-hint").textContent()).not.toContain("again");
}

test("Ctrl+Shift+Enter sends what is written now, also while one writes it", async ({ page, server }) => {
  await hanging(page, server);
  await message(page).fill("help");
  await page.keyboard.press("Control+Shift+Enter");
  await expect(page.locator('[data-turn-id][data-state="cancelled"]')).toBeVisible();
  await expect(prompts(page)).toHaveText([/hang/, /help/]);
});

test("Ctrl+Enter in another field sends no draft", { tag: "@desktop" }, async ({ page, server }) => {
  await logIn(page, server.loginUrl);
  await openSession(page, await server.createAgentSession("demo"));
  await message(page).fill("help");
  await page.getByLabel("Filter sessions").focus();
  await page.keyboard.press("Control+Enter");
  await page.keyboard.press("Control+Shift+Enter");
  await expect(message(page)).toHaveValue("help");
  await page.getByLabel("Filter sessions").blur();
  await page.keyboard.press("Control+Enter");
  await expect(prompts(page)).toHaveText(/help/);
});

test("a key that is pressed before its command has come is not lost", { tag: "@desktop" }, async ({
  page,
  server,
}) => {
  await logIn(page, server.loginUrl);
  await page.route("**/assets/dialogs-*.js", async (route) => {
    await new Promise((resolve) => setTimeout(resolve, 700));
    await route.continue();
  });
  await page.reload();
  await expect(page.getByRole("link", { name: "Wall" })).toBeVisible();
  await page.keyboard.press("Alt+v");
  await expect(page).toHaveURL(/#\/wall$/);
});

test("Esc closes the menu of a session, and does not stop what runs", async ({ page, server }) => {
  const sessionId = await hanging(page, server);
  await showList(page);
  const row = listedSession(page, sessionId);
  await row.hover();
  const actions = row.getByRole("button", { name: /^Actions for/ });
  await actions.click();
  await expect(page.getByRole("menuitem").first()).toBeFocused();
  await page.keyboard.press("Escape");
  await expect(page.getByRole("menu")).toBeHidden();
  await expect(actions).toBeFocused();
  await expectNoStop(page);
});

test("Esc that is held closes the palette, and does not stop what runs", async ({ page, server }) => {
  await hanging(page, server);
  await page.keyboard.press("Control+k");
  await expect(page.getByRole("dialog")).toBeVisible();
  // As long as it is down, a keyboard presses it again and again.
  for (let press = 0; press < 4; press += 1) await page.keyboard.down("Escape");
  await expect(page.getByRole("dialog")).toBeHidden();
  await expectNoStop(page);
  await page.keyboard.up("Escape");
  await page.keyboard.press("Escape");
  await expect(page.locator(".composer-hint")).toHaveText("Press Esc again to stop");
});

test("Esc closes the drawer, and does not stop what runs", async ({ page, server }) => {
  await page.setViewportSize({ width: 390, height: 800 });
  await hanging(page, server);
  await showList(page);
  await page.keyboard.press("Escape");
  await expect(page.locator("nav.sidebar")).toHaveAttribute("data-expanded", "false");
  await expectNoStop(page);
  await expect(page.locator('[data-turn-id][data-state="running"]')).toBeVisible();
});

test("the palette opens again from itself, and after that too", async ({ page, server }) => {
  await logIn(page, server.loginUrl);
  const field = page.getByRole("combobox", { name: "Command or session" });
  await page.keyboard.press("Control+k");
  await field.pressSequentially("find a command");
  await page.keyboard.press("Enter");
  await expect(field).toBeFocused();
  await expect(field).toHaveValue("");
  await page.keyboard.press("Escape");
  await expect(page.getByRole("dialog")).toHaveCount(0);
  await page.keyboard.press("Control+k");
  await expect(field).toBeFocused();
});

test("what has the focus keeps it when it is moved", { tag: "@desktop" }, async ({ page, server }) => {
  const first = await server.createSession("One");
  await logIn(page, server.loginUrl);
  await openSession(page, first);
  await openSession(page, await server.createSession("Two"));
  await tab(page, "Two").focus();
  await page.keyboard.press("Alt+Shift+ArrowLeft");
  await expect(page.locator(".tabbar .tab-title")).toHaveText(["Two", "One"]);
  await expect(tab(page, "Two")).toBeFocused();

  const link = listedSession(page, first).getByRole("link");
  await link.focus();
  await expect(page.locator(".session-title")).toHaveText(["Two", "One"]);
  await page.keyboard.press("Alt+p");
  await expect(page.locator(".session-title")).toHaveText(["One", "Two"]);
  await expect(link).toBeFocused();
});

test("the skip link leads to what is shown", { tag: "@desktop" }, async ({ page, server }) => {
  await logIn(page, server.loginUrl);
  const skip = page.getByRole("link", { name: "Skip to content" });
  for (const [hash, main] of [
    ["#/inbox", "main.inbox"],
    ["#/wall", "main.wall"],
    ["#/new", "main.view-main"],
  ] as const) {
    await page.goto(`${server.origin}/${hash}`);
    await expect(page.locator(main)).toBeVisible();
    await skip.focus();
    await expect(page.locator(main)).toHaveAttribute("id", "main");
    await expect(page.locator("#main")).toHaveCount(1);
    await page.keyboard.press("Enter");
    await expect(page.locator(main)).toBeFocused();
    await expect(page).toHaveURL(`${server.origin}/${hash}`);
  }
});

test("a muted session says so in its row, until it is not muted any more", async ({ page, server }) => {
  await logIn(page, server.loginUrl);
  const sessionId = await server.createSession("Quiet");
  await openSession(page, sessionId);
  await page.keyboard.press("Alt+h");
  await showList(page);
  const mark = listedSession(page, sessionId).getByRole("img", { name: "Muted" });
  await expect(mark).toBeVisible();
  await page.reload();
  await showList(page);
  await expect(mark).toBeVisible();
  await listedSession(page, sessionId).hover();
  await listedSession(page, sessionId)
    .getByRole("button", { name: /^Actions for/ })
    .click();
  await page.getByRole("menuitem", { name: "Unmute" }).click();
  await expect(mark).toBeHidden();
});
