/** Open sessions side by side: each one tab, found again as it was left. */
import type { Page } from "@playwright/test";
import type { SessionId } from "../src/contract";
import { expect, test } from "./fixtures";
import { heard, told } from "./frames";
import type { Server } from "./server";
import { activeTab, sayOnce, tab, tabs } from "./sidebar-page";
import { expectLive, listedSession, logIn, openSession } from "./transcript-page";

test.use({ viewport: { width: 1280, height: 800 } });

async function openThree(page: Page, server: Server): Promise<[SessionId, SessionId, SessionId]> {
  const ids: SessionId[] = [];
  for (const title of ["One", "Two", "Three"]) ids.push(await server.createSession(title));
  await logIn(page, server.loginUrl);
  for (const sessionId of ids) await openSession(page, sessionId);
  await expect(titles(page)).toHaveText(["One", "Two", "Three"]);
  return ids as [SessionId, SessionId, SessionId];
}

function titles(page: Page) {
  return page.locator(".tabbar .tab-title");
}

test("a session has one tab, and the tab shows its title, agent and state", async ({ page, server }) => {
  const [one] = await openThree(page, server);
  await expect(activeTab(page)).toContainText("Three");
  await openSession(page, one);
  await expect(titles(page)).toHaveText(["One", "Two", "Three"]);
  await expect(activeTab(page)).toContainText("One");
  await expect(activeTab(page)).toContainText("EXT");
  await expect(activeTab(page).locator(".tab-mark")).toHaveAttribute("data-activity", "idle");
  await tab(page, "Two").click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Two");
});

test("of the tabs that are found again only the one in sight is told its history, until another is chosen", async ({
  page,
  server,
}) => {
  const [one, , three] = await openThree(page, server);
  const [hears, says] = [heard(page), told(page)];
  await page.reload();
  await expectLive(page);
  await expect(titles(page)).toHaveText(["One", "Two", "Three"]);
  const opened = () =>
    says.flatMap((frame) =>
      frame.type === "session:open" ? [(frame as { sessionId?: string }).sessionId] : [],
    );
  const histories = () =>
    hears.flatMap((frame) => (frame.type === "session:history" ? [frame.sessionId] : []));
  await expect.poll(histories).toEqual([three]);
  expect(opened()).toEqual([three]);
  await tab(page, "One").click();
  await expect.poll(histories).toEqual([three, one]);
  expect(opened()).toEqual([three, one]);
});

test("closing a tab goes to the next one, or to the previous one of the last", async ({ page, server }) => {
  await openThree(page, server);
  await tab(page, "Two").click();
  await page.getByRole("button", { name: "Close Two", includeHidden: true }).click();
  await expect(activeTab(page)).toContainText("Three");
  await page.keyboard.press("Alt+w");
  await expect(activeTab(page)).toContainText("One");
  await tab(page, "One").click({ button: "middle" });
  await expect(tabs(page)).toHaveCount(0);
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("New session");
  await page.keyboard.press("Alt+Shift+T");
  await expect(activeTab(page)).toContainText("One");
  await page.keyboard.press("Alt+Shift+T");
  await expect(titles(page)).toHaveText(["One", "Three"]);
});

test("a tab that is not in sight closes without a change of the view", async ({ page, server }) => {
  await openThree(page, server);
  await tab(page, "One").click({ button: "middle" });
  await expect(titles(page)).toHaveText(["Two", "Three"]);
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Three");
});

test("tabs are moved by a mouse and by keys, and stay so over a reload", async ({ page, server }) => {
  await openThree(page, server);
  const from = await tab(page, "Three").boundingBox();
  const to = await tab(page, "One").boundingBox();
  if (!from || !to) throw new Error("there are no tabs");
  await page.mouse.move(from.x + 40, from.y + 15);
  await page.mouse.down();
  await page.mouse.move(to.x + 10, to.y + 15, { steps: 5 });
  await page.mouse.up();
  await expect(titles(page)).toHaveText(["Three", "One", "Two"]);
  await page.keyboard.press("Alt+Shift+ArrowRight");
  await expect(titles(page)).toHaveText(["One", "Three", "Two"]);
  await page.reload();
  await expectLive(page);
  await expect(titles(page)).toHaveText(["One", "Three", "Two"]);
  await expect(activeTab(page)).toContainText("Three");
  await page.keyboard.press("Alt+Shift+ArrowLeft");
  await expect(titles(page)).toHaveText(["Three", "One", "Two"]);
});

test("who opens the page without naming anything goes on in the tab that was in sight", async ({
  page,
  server,
}) => {
  const [, two] = await openThree(page, server);
  await tab(page, "Two").click();
  await expect(activeTab(page)).toContainText("Two");
  await page.goto("about:blank");
  await page.goto(server.origin);
  await expect(page).toHaveURL(new RegExp(`#/s/${two}$`));
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Two");
  // Where nothing was in sight, nothing is opened.
  await page.goto(`${server.origin}/#/new`);
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("New session");
  await page.goto("about:blank");
  await page.goto(server.origin);
  await expectLive(page);
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("New session");
});

test("keys go to a tab by its number and to the ones beside", async ({ page, server }) => {
  await openThree(page, server);
  await page.keyboard.press("Alt+1");
  await expect(activeTab(page)).toContainText("One");
  await page.keyboard.press("Alt+]");
  await expect(activeTab(page)).toContainText("Two");
  await page.keyboard.press("Alt+[");
  await page.keyboard.press("Alt+[");
  await expect(activeTab(page)).toContainText("Three");
  await page.keyboard.press("Alt+2");
  await page.keyboard.press("Alt+9");
  await expect(activeTab(page)).toContainText("Three");
  await activeTab(page).focus();
  await page.keyboard.press("ArrowLeft");
  await page.keyboard.press("Enter");
  await expect(activeTab(page)).toContainText("Two");
  await page.keyboard.press("Delete");
  await expect(titles(page)).toHaveText(["One", "Three"]);
});

test("of two keys at once the second means what the first one opened", async ({ page, server }) => {
  await openThree(page, server);
  // In one go: nothing that the browser tells later comes in between.
  const press = (...keys: string[]) =>
    page.evaluate((pressed) => {
      for (const key of pressed) {
        const code = { "[": "BracketLeft", "2": "Digit2", w: "KeyW" }[key] ?? "";
        window.dispatchEvent(new KeyboardEvent("keydown", { key, code, altKey: true, cancelable: true }));
      }
    }, keys);
  await press("[", "[");
  await expect(activeTab(page)).toContainText("One");
  await press("2", "w");
  await expect(titles(page)).toHaveText(["One", "Three"]);
});

test("a tab comes back where it was left, and has what happened meanwhile", async ({ page, server }) => {
  const [one, two] = await openThree(page, server);
  await openSession(page, one);
  for (let turn = 0; turn < 40; turn += 1)
    await sayOnce(server, one, `t${turn}`, `Message ${turn}\n\nwith a line`);
  const transcript = page.locator('[data-kept="false"] .transcript');
  await expect(transcript.getByText("Message 39")).toBeVisible();
  await transcript.hover();
  await page.mouse.wheel(0, -900);
  await expect(page.getByRole("button", { name: "Jump to latest" })).toBeVisible();
  const top = () => transcript.evaluate((box) => Math.round(box.scrollTop));
  await expect.poll(async () => (await top()) > 0).toBe(true);
  await page.waitForTimeout(300);
  const before = await top();
  await openSession(page, two);
  await expect(
    page.getByText("Nothing has happened in this session yet.").locator("visible=true"),
  ).toBeVisible();
  await sayOnce(server, one, "late", "Said meanwhile");
  await tab(page, "One").click();
  expect(await top()).toBe(before);
  await expect(transcript.getByText("Said meanwhile")).toHaveCount(1);
  expect(await top()).toBe(before);
  await page.goto(`${server.origin}/#/new`);
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("New session");
  await tab(page, "One").click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("One");
  expect(await top()).toBe(before);
});

test("more sessions than are kept are opened again from the server", async ({ page, server }) => {
  const ids: SessionId[] = [];
  for (let at = 0; at < 11; at += 1) {
    const sessionId = await server.createSession(`Session ${at}`);
    await sayOnce(server, sessionId, "t", `I am ${at}`);
    ids.push(sessionId);
  }
  await logIn(page, server.loginUrl);
  for (const [at, sessionId] of ids.entries()) {
    await openSession(page, sessionId);
    await expect(page.locator('[data-kept="false"]').getByText(`I am ${at}`)).toBeVisible();
  }
  await expect(page.locator(".transcript-frame")).toHaveCount(8);
  for (const at of [0, 10, 5]) {
    await openSession(page, ids[at] as SessionId);
    await expect(page.locator('[data-kept="false"] .rows')).toHaveText(new RegExp(`I am ${at}`));
  }
});

test("tabs of sessions that are gone are not brought back", async ({ page, server }) => {
  const [one] = await openThree(page, server);
  await page.evaluate(() => {
    const kept = JSON.parse(localStorage.getItem("liminal:tabs") ?? "{}");
    localStorage.setItem("liminal:tabs", JSON.stringify({ ...kept, openTabs: ["nobody", ...kept.openTabs] }));
  });
  await page.reload();
  await expectLive(page);
  await expect(titles(page)).toHaveText(["One", "Two", "Three"]);
  await server.call("POST", `/api/session/${one}/archive`);
  await expect(titles(page)).toHaveText(["Two", "Three"]);
  await expect(listedSession(page, one)).toHaveCount(0);
});

test("windows have the same tabs, and what is in sight stays in sight", async ({ page, context, server }) => {
  const [one, two] = await openThree(page, server);
  const other = await context.newPage();
  await other.goto(`${server.origin}/#/s/${one}`);
  await expectLive(other);
  await expect(titles(other)).toHaveText(["One", "Two", "Three"]);
  const four = await server.createSession("Four");
  await openSession(other, four);
  await expect(titles(page)).toHaveText(["One", "Two", "Three", "Four"]);
  await tab(page, "Two").click({ button: "middle" });
  await expect(titles(other)).toHaveText(["One", "Three", "Four"]);
  await openSession(page, four);
  await expect(activeTab(page)).toContainText("Four");
  await page.keyboard.press("Alt+Shift+ArrowLeft");
  await expect(titles(other)).toHaveText(["One", "Four", "Three"]);
  await tab(other, "One").click();
  await tab(page, "One").click({ button: "middle" });
  await expect(titles(page)).toHaveText(["Four", "Three"]);
  await expect(activeTab(other)).toContainText("One");
  await other.reload();
  await expect(activeTab(other)).toContainText("One");
  await openSession(page, two);
  await expect(titles(page)).toHaveText(["Four", "Three", "One", "Two"]);
  await expect(titles(other)).toHaveText(["Four", "Three", "One", "Two"]);
});
