/** Everything by name: the command palette and the shortcuts. */
import type { Page } from "@playwright/test";
import { expect, test } from "./fixtures";
import { holdBack } from "./held-back";
import { logIn, openSession, showList } from "./transcript-page";

const palette = (page: Page) => page.getByRole("dialog", { name: "Command palette" });
const field = (page: Page) => page.getByRole("combobox", { name: "Command or session" });
const options = (page: Page) => palette(page).getByRole("option");
const chosen = (page: Page) => palette(page).getByRole("option", { selected: true });

test("a command is found by a few letters and run by Enter", async ({ page, server }) => {
  await logIn(page, server.loginUrl);
  await page.keyboard.press("Control+k");
  await expect(field(page)).toBeFocused();
  await field(page).pressSequentially("drkth");
  await expect(chosen(page)).toHaveText(/^Use dark theme/);
  await expect(chosen(page).locator("mark")).toHaveText(["d", "rk", "th"]);
  await page.keyboard.press("Enter");
  await expect(palette(page)).toHaveCount(0);
  await expect(page.locator("html")).toHaveAttribute("data-theme", "dark");
});

test("what is typed before it is there is kept for it, and sent nowhere", { tag: "@desktop" }, async ({
  page,
  server,
}) => {
  const arrive = await holdBack(page, "**/assets/dialogs-*.js");
  await logIn(page, server.loginUrl);
  await openSession(page, await server.createAgentSession("demo"));
  const message = page.getByLabel("Message", { exact: true });
  await message.focus();
  await page.keyboard.press("Control+k");
  await page.keyboard.type("dark thew");
  await page.keyboard.press("Backspace");
  await page.keyboard.press("Enter");
  await expect(message).toHaveValue("");
  arrive();
  await expect(field(page)).toHaveValue("dark the");
  await expect(chosen(page)).toHaveText(/^Use dark theme/);
  await page.keyboard.press("Escape");
  await expect(palette(page)).toHaveCount(0);
  await expect(message).toBeFocused();
  await page.keyboard.type("typed");
  await expect(message).toHaveValue("typed");
});

test("arrows go through the list and round its ends; the field says which one is meant", async ({
  page,
  server,
}) => {
  await logIn(page, server.loginUrl);
  await page.keyboard.press("Control+k");
  await expect(field(page)).toHaveAttribute("aria-expanded", "true");
  const first = (await chosen(page).getAttribute("id")) ?? "";
  await expect(field(page)).toHaveAttribute("aria-activedescendant", first);
  await page.keyboard.press("ArrowDown");
  await expect(field(page)).not.toHaveAttribute("aria-activedescendant", first);
  await expect(options(page).nth(1)).toHaveAttribute("aria-selected", "true");
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("ArrowUp");
  await expect(options(page).last()).toHaveAttribute("aria-selected", "true");
  await expect(options(page).last()).toBeInViewport();
  await expect(palette(page).getByRole("option", { selected: true })).toHaveCount(1);
  await expect(field(page)).toBeFocused();
});

test("sessions are found by title and project, and opened", async ({ page, server }) => {
  await logIn(page, server.loginUrl);
  const wanted = await server.createSession("Mend the roof");
  await server.createSession("Paint the door");
  await expect(page.locator("[data-session-id]")).toHaveCount(2);
  await page.keyboard.press("Control+k");
  await field(page).fill("roof liminal-e2e-project");
  await expect(options(page)).toHaveCount(1);
  await expect(chosen(page)).toContainText("Idle");
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(new RegExp(`#/s/${wanted}$`));
});

test("a project is where the next session starts", async ({ page, server }) => {
  await logIn(page, server.loginUrl);
  await openSession(page, await server.createSession("Any"));
  await page.keyboard.press("Control+k");
  await field(page).fill("start a session in");
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/#\/new$/);
  await expect(page.getByLabel("Project directory")).toHaveValue(server.projectDirectory);
});

test("what was chosen lately comes first", async ({ page, server }) => {
  await logIn(page, server.loginUrl);
  await page.keyboard.press("Control+k");
  await field(page).fill("compact");
  await page.keyboard.press("Enter");
  await page.keyboard.press("Control+k");
  await field(page).fill("comfortable");
  await page.keyboard.press("Enter");
  await page.reload();
  await expect(page.locator(".connection")).toHaveText("Live");
  await page.keyboard.press("Control+k");
  await expect(palette(page).getByRole("group", { name: "Recent" }).getByRole("option")).toHaveText([
    /^Use compact spacing/,
  ]);
});

test("nothing found says so, and Enter does nothing", async ({ page, server }) => {
  await logIn(page, server.loginUrl);
  await page.keyboard.press("Control+k");
  await field(page).fill("qqqq");
  await expect(palette(page)).toContainText("Nothing matches “qqqq”.");
  await expect(field(page)).toHaveAttribute("aria-expanded", "false");
  await page.keyboard.press("Enter");
  await expect(palette(page)).toBeVisible();
});

test("the focus goes back to where it was, and what was written stays", async ({ page, server }) => {
  await logIn(page, server.loginUrl);
  await openSession(page, await server.createAgentSession("demo"));
  const message = page.getByLabel("Message", { exact: true });
  await message.fill("half a thought");
  for (const leave of ["Escape", "Control+k"]) {
    await page.keyboard.press("Control+k");
    await expect(field(page)).toBeFocused();
    await page.keyboard.press(leave);
    await expect(palette(page)).toHaveCount(0);
    await expect(message).toBeFocused();
  }
  await expect(message).toHaveValue("half a thought");
});

test("a click beside it closes it, one on a line chooses it", async ({ page, server }) => {
  await logIn(page, server.loginUrl);
  await page.keyboard.press("Control+k");
  await expect(field(page)).toBeFocused();
  await page.mouse.click(4, 4);
  await expect(palette(page)).toHaveCount(0);
  await page.keyboard.press("Control+k");
  await options(page).filter({ hasText: "Use high contrast" }).click();
  await expect(page.locator("html")).toHaveAttribute("data-contrast", "high");
});

test("it opens by a button, for those without its keys", async ({ page, server }) => {
  await logIn(page, server.loginUrl);
  await showList(page);
  await page.getByRole("button", { name: "Search commands and sessions" }).click();
  await expect(field(page)).toBeFocused();
});

test("keys of commands below do nothing while it is open", async ({ page, server }) => {
  await logIn(page, server.loginUrl);
  const sessionId = await server.createSession("Any");
  await openSession(page, sessionId);
  await page.keyboard.press("Control+k");
  await expect(field(page)).toBeFocused();
  await page.keyboard.press("Alt+n");
  await expect(palette(page)).toBeVisible();
  await expect(page).toHaveURL(new RegExp(`${sessionId}$`));
});

test.describe("the shortcuts", () => {
  const shortcuts = (page: Page) => page.getByRole("dialog", { name: "Keyboard shortcuts" });

  test("are shown by ? and closed by Esc", async ({ page, server }) => {
    await logIn(page, server.loginUrl);
    await page.locator("body").press("?");
    const line = shortcuts(page).locator(".shortcut", { hasText: "Find a command or a session" });
    await expect(line.locator("kbd")).toHaveText(["Ctrl", "K"]);
    await page.keyboard.press("Escape");
    await expect(shortcuts(page)).toHaveCount(0);
  });

  test("by Ctrl+/ also while writing, where ? is a question mark", async ({ page, server }) => {
    await logIn(page, server.loginUrl);
    await openSession(page, await server.createAgentSession("demo"));
    const message = page.getByLabel("Message", { exact: true });
    await message.press("?");
    await expect(message).toHaveValue("?");
    await message.press("Control+/");
    await expect(shortcuts(page)).toBeVisible();
    await page.keyboard.press("Escape");
    await expect(message).toBeFocused();
  });

  test("stand in two columns where there is room", async ({ page, server, isMobile }) => {
    await logIn(page, server.loginUrl);
    await page.keyboard.press("Control+/");
    await expect(shortcuts(page)).toBeVisible();
    const lefts = await shortcuts(page)
      .locator(".shortcut-group")
      .evaluateAll((groups) => groups.map((group) => Math.round(group.getBoundingClientRect().left)));
    expect(new Set(lefts).size).toBe(isMobile ? 1 : 2);
  });
});
