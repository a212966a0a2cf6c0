/** Everything that matters, with the keyboard alone. */
import type { Locator, Page } from "@playwright/test";
import { expect, test } from "./fixtures";
import { expectLive } from "./transcript-page";

// A frame that fades in is not there at once.
test.use({ contextOptions: { reducedMotion: "reduce" } });

/** What has the focus, and that it can be seen that it has it. */
async function expectFocus(target: Locator): Promise<void> {
  await expect(target).toBeFocused();
  const seen = await target.evaluate((one: HTMLElement) => {
    // The frame may be drawn by the box around a field.
    const frames = [one, one.parentElement, one.parentElement?.parentElement].filter(
      (frame) => frame != null,
    );
    const look = () =>
      frames.map((frame) => {
        const { outline, boxShadow, borderColor } = getComputedStyle(frame);
        return `${outline} ${boxShadow} ${borderColor}`;
      });
    const focused = one.matches(":focus-visible") ? look().join() : "";
    one.blur();
    const plain = look().join();
    one.focus();
    return focused !== "" && focused !== plain;
  });
  expect(seen, "the focus can be seen").toBe(true);
}

/** Presses Tab until it is reached, as someone would who cannot point at it. */
async function tabTo(page: Page, target: Locator): Promise<void> {
  const isThere = () => target.evaluate((one) => one === document.activeElement);
  for (let presses = 0; presses < 40 && !(await isThere()); presses += 1) await page.keyboard.press("Tab");
  await expectFocus(target);
}

async function say(page: Page, text: string): Promise<void> {
  await page.keyboard.press("Alt+m");
  await expectFocus(page.getByLabel("Message", { exact: true }));
  await page.keyboard.type(text);
  await page.keyboard.press("Enter");
}

async function fromPalette(page: Page, letters: string): Promise<void> {
  await page.keyboard.press("Control+k");
  await expectFocus(page.getByRole("combobox", { name: "Command or session" }));
  await page.keyboard.type(letters);
  await expect(page.getByRole("option", { selected: true })).toBeVisible();
  await page.keyboard.press("Enter");
  await expect(page.getByRole("dialog")).toBeHidden();
}

test("from the login link to a session, an answer, another session and a stopped turn", {
  tag: "@desktop",
}, async ({ page, server }) => {
  test.slow();
  const other = await server.createSession("The other one");
  await page.goto(server.loginUrl);
  await expectLive(page);

  // A new session.
  await page.keyboard.press("Alt+n");
  await expect(page.getByLabel("Project directory")).toHaveValue(server.projectDirectory);
  const start = page.getByRole("button", { name: "Start", exact: true });
  // Which agents there are is found out meanwhile; until then it takes no focus.
  await expect(start).toBeEnabled();
  await tabTo(page, start);
  await page.keyboard.press("Enter");
  await expectFocus(page.getByLabel("Message", { exact: true }));
  const started = page.url();

  // A permission.
  await say(page, 'edit README.md: replace "the demo agent" with "everyone"');
  const allow = page
    .locator(".permission")
    .getByRole("button", { name: /^Allow/ })
    .first();
  await expect(allow).toBeEnabled();
  await page.keyboard.press("Shift+F6");
  await expectFocus(page.locator(".permission :focus"));
  await tabTo(page, allow);
  await page.keyboard.press("Enter");
  await expect(page.locator('[data-turn-id][data-state="completed"]')).toBeVisible({ timeout: 30_000 });

  // Another session, and back.
  await fromPalette(page, "other one");
  await expect(page).toHaveURL(new RegExp(`#/s/${other}$`));
  await page.keyboard.press("F6");
  await expectFocus(page.locator(".sidebar :focus"));
  await page.goBack();
  await expect(page).toHaveURL(started);

  // A turn that is stopped.
  await say(page, "hang");
  await expect(page.locator('[data-turn-id][data-state="running"]')).toBeVisible();
  await tabTo(page, page.getByRole("button", { name: "Stop" }));
  await page.keyboard.press("Enter");
  await expect(page.locator('[data-turn-id][data-state="cancelled"]')).toBeVisible();
});
