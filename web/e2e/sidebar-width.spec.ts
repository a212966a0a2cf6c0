/** The width of the sidebar: dragged, moved by keys, kept, and nothing at all. */
import type { Page } from "@playwright/test";
import { expect, test } from "./fixtures";
import { logIn } from "./transcript-page";

test.use({ viewport: { width: 1280, height: 800 } });

async function width(page: Page): Promise<number> {
  return (await page.locator(".sidebar").boundingBox())?.width ?? 0;
}

test("the sidebar is dragged wider and narrower within bounds, and keeps its width", async ({
  page,
  server,
}) => {
  await logIn(page, server.loginUrl);
  const divider = page.getByRole("separator", { name: "Width of the sidebar" });
  expect(await width(page)).toBe(260);
  const drag = async (to: number) => {
    const box = await divider.boundingBox();
    await page.mouse.move((box?.x ?? 0) + 4, 400);
    await page.mouse.down();
    await page.mouse.move(to, 400, { steps: 3 });
    await page.mouse.up();
  };
  await drag(400);
  expect(Math.abs((await width(page)) - 400)).toBeLessThan(5);
  await page.reload();
  await expect.poll(() => width(page)).toBeGreaterThan(395);
  await drag(1200);
  expect(await width(page)).toBe(640);
  await drag(20);
  expect(await width(page)).toBe(220);
  await divider.dblclick();
  expect(await width(page)).toBe(260);
});

test("keys move the divider", async ({ page, server }) => {
  await logIn(page, server.loginUrl);
  const divider = page.getByRole("separator", { name: "Width of the sidebar" });
  await divider.focus();
  const after = async (key: string) => {
    await page.keyboard.press(key);
    return Number(await divider.getAttribute("aria-valuenow"));
  };
  expect(await after("ArrowRight")).toBe(276);
  expect(await after("Shift+ArrowRight")).toBe(308);
  expect(await after("ArrowLeft")).toBe(292);
  expect(await after("End")).toBe(640);
  expect(await after("Home")).toBe(220);
  expect(await width(page)).toBe(220);
  await page.setViewportSize({ width: 800, height: 800 });
  expect(await after("End")).toBe(480);
});

test("the sidebar is hidden and shown by a key and by buttons", async ({ page, server }) => {
  await logIn(page, server.loginUrl);
  const sidebar = page.getByRole("navigation", { name: "Sessions" });
  await page.keyboard.press("Control+b");
  await expect(sidebar).toBeHidden();
  await page.reload();
  await expect(page.getByRole("button", { name: "Show sidebar" })).toBeVisible();
  await expect(sidebar).toBeHidden();
  await page.getByRole("button", { name: "Show sidebar" }).click();
  await expect(sidebar).toBeVisible();
  await page.getByRole("button", { name: "Hide sidebar" }).click();
  await expect(sidebar).toBeHidden();
});
