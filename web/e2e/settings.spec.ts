/** How the page looks: chosen once, kept, and there before anything is drawn. */
import type { Page } from "@playwright/test";
import { expect, test } from "./fixtures";
import { logIn, runFromPalette } from "./transcript-page";

const settings = (page: Page) => page.getByRole("dialog", { name: "Settings" });
const root = (page: Page) => page.locator("html");
const background = (page: Page) =>
  page.locator("body").evaluate(() => getComputedStyle(document.documentElement).backgroundColor);

async function open(page: Page, loginUrl: string): Promise<void> {
  await logIn(page, loginUrl);
  await page.keyboard.press("Control+,");
  await expect(settings(page)).toBeVisible();
}

test("every choice is seen at once and outlives a reload", async ({ page, server }) => {
  await open(page, server.loginUrl);
  const choose = (group: string, label: string) =>
    settings(page).getByRole("group", { name: group }).getByRole("radio", { name: label }).check();
  await choose("Theme", "Dark");
  await choose("Contrast", "High");
  await choose("Text size", "Large");
  await choose("Density", "Compact");
  await choose("Motion", "Reduced");
  const chosen = {
    theme: "dark",
    contrast: "high",
    textSize: "large",
    density: "compact",
    motion: "reduced",
  };
  const attributes = () => root(page).evaluate((html) => ({ ...html.dataset }));
  expect(await attributes()).toMatchObject(chosen);
  expect(await background(page)).toBe("rgb(0, 0, 0)");
  expect(await root(page).evaluate((html) => getComputedStyle(html).fontSize)).toBe("19px");
  await page.reload();
  await expect(page.locator(".connection")).toHaveText("Live");
  expect(await attributes()).toMatchObject(chosen);
});

test("what was kept and is not understood is as if nothing was chosen", async ({ page, server }) => {
  await page.addInitScript(() => localStorage.setItem("liminal-preferences", '{"theme":"pink"}'));
  await logIn(page, server.loginUrl);
  await expect(root(page)).toHaveAttribute("data-theme", "system");
});

test("another tab follows", async ({ page, context, server }) => {
  await open(page, server.loginUrl);
  const other = await context.newPage();
  await other.goto(server.origin);
  await expect(other.locator(".connection")).toHaveText("Live");
  await settings(page).getByRole("radio", { name: "Light" }).check();
  await expect(root(other)).toHaveAttribute("data-theme", "light");
});

test("Alt+T goes round the themes, also over the settings", async ({ page, server }) => {
  await open(page, server.loginUrl);
  for (const theme of ["light", "dark", "system"]) {
    await page.keyboard.press("Alt+t");
    await expect(root(page)).toHaveAttribute("data-theme", theme);
    await expect(settings(page).getByRole("group", { name: "Theme" }).locator(":checked")).toHaveValue(theme);
  }
});

test("every setting is changed by its key, also over the settings", { tag: "@desktop" }, async ({
  page,
  server,
}) => {
  await open(page, server.loginUrl);
  const switched = (name: string) => settings(page).getByRole("switch", { name });
  await page.keyboard.press("Alt+Shift+Digit1");
  await expect(root(page)).toHaveAttribute("data-contrast", "high");
  await page.keyboard.press("Alt+Shift+Digit2");
  await expect(root(page)).toHaveAttribute("data-text-size", "small");
  await page.keyboard.press("Alt+Shift+Digit3");
  await expect(root(page)).toHaveAttribute("data-density", "compact");
  await page.keyboard.press("Alt+Shift+Digit4");
  await expect(root(page)).toHaveAttribute("data-motion", "reduced");
  await page.keyboard.press("Alt+Shift+Digit5");
  await expect(switched("Enter sends")).not.toBeChecked();
  await page.keyboard.press("Alt+Shift+Digit7");
  await expect(switched("Sound")).toBeChecked();
  await page.keyboard.press("Alt+Shift+Digit8");
  await expect(switched("Say tool calls")).toBeChecked();
});

test("the theme of the system counts where none is chosen", async ({ page, server }) => {
  await page.emulateMedia({ colorScheme: "dark" });
  await logIn(page, server.loginUrl);
  const dark = await background(page);
  await page.emulateMedia({ colorScheme: "light" });
  expect(await background(page)).not.toBe(dark);
  await page.emulateMedia({ contrast: "more", reducedMotion: "reduce" });
  await expect(root(page)).toHaveAttribute("data-contrast", "high");
  await expect(root(page)).toHaveAttribute("data-motion", "reduced");
});

test("reduced motion moves nothing", async ({ page, server }) => {
  await page.addInitScript(() => localStorage.setItem("liminal-preferences", '{"motion":"reduced"}'));
  await logIn(page, server.loginUrl);
  const moving = await page.evaluate(() =>
    [...document.querySelectorAll("*")].some((one) => {
      const { animationName, transitionDuration } = getComputedStyle(one);
      return animationName !== "none" || transitionDuration !== "0s";
    }),
  );
  expect(moving).toBe(false);
});

// Where rows are touched, they are as high as a finger needs.
test("compact spacing shows more", { tag: "@desktop" }, async ({ page, server }) => {
  await logIn(page, server.loginUrl);
  await server.createSession("Any");
  const height = async () => (await page.locator(".session-link").boundingBox())?.height ?? 0;
  const before = await height();
  await page.keyboard.press("Control+k");
  await expect(page.getByRole("combobox", { name: "Command or session" })).toBeFocused();
  await page.keyboard.type("compact");
  await page.keyboard.press("Enter");
  await expect.poll(height).toBeLessThan(before);
});

test("Enter sends, sound and notifications are kept", async ({ page, server }) => {
  await open(page, server.loginUrl);
  const kept = () => page.evaluate(() => JSON.parse(localStorage.getItem("liminal-preferences") ?? "{}"));
  await settings(page).getByRole("switch", { name: "Enter sends" }).uncheck();
  await settings(page).getByRole("switch", { name: "Sound" }).check();
  expect(await kept()).toMatchObject({ enterSends: false, sound: true, notifications: false });
});

test.describe("notifications", () => {
  test("are asked for by a click in the settings", async ({ page, server }) => {
    await page.addInitScript(() => {
      Object.defineProperty(Notification, "permission", { value: "default", configurable: true });
      Notification.requestPermission = async () => {
        (window as unknown as { asked: number }).asked =
          ((window as unknown as { asked?: number }).asked ?? 0) + 1;
        return "granted";
      };
    });
    await logIn(page, server.loginUrl);
    await runFromPalette(page, "turn notifications on");
    const notifications = settings(page).getByRole("switch", { name: "Notifications" });
    await expect(notifications).toBeFocused();
    const asked = () => page.evaluate(() => (window as unknown as { asked?: number }).asked ?? 0);
    expect(await asked()).toBe(0);
    await notifications.check();
    expect(await asked()).toBe(1);
    await expect(notifications).toBeChecked();
  });

  test("are not offered where the browser has only their name", async ({ page, server }) => {
    await page.addInitScript(() => {
      class Nameless {
        static permission = "default";
        static requestPermission = async () => "granted";
        constructor() {
          throw new TypeError("Illegal constructor.");
        }
      }
      Object.assign(window, { Notification: Nameless });
    });
    await open(page, server.loginUrl);
    const notifications = settings(page).getByRole("switch", { name: "Notifications" });
    await expect(settings(page)).toContainText("This browser cannot show them.");
    await expect(notifications).toBeDisabled();
  });

  test("that the browser forbids stay off and say why", async ({ page, server }) => {
    await page.addInitScript(() => Object.defineProperty(Notification, "permission", { value: "denied" }));
    await open(page, server.loginUrl);
    const notifications = settings(page).getByRole("switch", { name: "Notifications" });
    await expect(settings(page)).toContainText("The browser forbids them.");
    await notifications.click();
    await expect(notifications).not.toBeChecked();
  });
});
