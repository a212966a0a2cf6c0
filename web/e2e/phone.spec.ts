/** The page on a narrow screen: a drawer, one line of header, and nothing to scroll sideways. */
import { expect, test } from "./fixtures";
import { expectNoSidewaysScroll, sayOnce } from "./sidebar-page";
import { listedSession, logIn, openSession } from "./transcript-page";

test.use({ viewport: { width: 320, height: 640 } });

test("the list is a drawer that Esc, the area beside it and the way back close", async ({ page, server }) => {
  const sessionId = await server.createSession("In the drawer");
  await logIn(page, server.loginUrl);
  const drawer = page.getByRole("navigation", { name: "Sessions" });
  // Where nothing is open, the list is what there is to see.
  await expect(drawer).toBeVisible();
  await openSession(page, sessionId);
  await expect(drawer).toBeHidden();
  const menu = page.getByRole("button", { name: "Sessions", exact: true });
  for (const close of [
    () => page.keyboard.press("Escape"),
    () => page.mouse.click(310, 400),
    () => page.goBack(),
  ]) {
    await menu.click();
    await expect(drawer).toBeVisible();
    await close();
    await expect(drawer).toBeHidden();
    await expect(menu).toBeFocused();
    await expect(page).toHaveURL(new RegExp(`${sessionId}$`));
  }
});

test("the focus stays in the drawer, and a link in it is one step of the way back", async ({
  page,
  server,
}) => {
  const one = await server.createSession("One");
  const two = await server.createSession("Two");
  await logIn(page, server.loginUrl);
  await openSession(page, one);
  await page.getByRole("button", { name: "Sessions", exact: true }).click();
  for (let at = 0; at < 15; at += 1) {
    await page.keyboard.press("Tab");
    const place = await page.evaluate(() => document.activeElement?.closest(".workspace") !== null);
    expect(place).toBe(false);
  }
  await openSession(page, two);
  await page.goBack();
  await expect(page).toHaveURL(new RegExp(`${one}$`));
  await expect(page.getByRole("navigation", { name: "Sessions" })).toBeHidden();
});

test("tabs are behind a button that says how many there are", async ({ page, server }) => {
  const one = await server.createSession("One");
  const two = await server.createSession("Two");
  await logIn(page, server.loginUrl);
  await openSession(page, one);
  await openSession(page, two);
  await expect(page.locator(".tabbar")).toBeHidden();
  await page.getByRole("button", { name: "2 open sessions" }).click();
  const sheet = page.getByRole("dialog", { name: "Open sessions" });
  await sheet.locator(".tab-face", { hasText: "One" }).click();
  await expect(sheet).toBeHidden();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("One");
  await page.getByRole("button", { name: "2 open sessions" }).click();
  await sheet.getByRole("button", { name: "Close Two" }).click();
  await expect(page.getByRole("button", { name: "1 open session", exact: true })).toBeAttached();
  await page.keyboard.press("Escape");
  await expect(sheet).toBeHidden();
});

test("nothing is wider than 320 px, and what is touched is large enough", async ({ page, server }) => {
  const sessionId = await server.createSession(
    "A title that is far too long for a screen as narrow as this one",
  );
  await sayOnce(
    server,
    sessionId,
    "t1",
    `A word ${"x".repeat(200)} and a table\n\n| a | b |\n|-|-|\n| 1 | 2 |`,
  );
  await logIn(page, server.loginUrl);
  await expectNoSidewaysScroll(page);
  await openSession(page, sessionId);
  await expectNoSidewaysScroll(page);
  for (const name of ["Sessions", "1 open session"]) {
    const box = await page.getByRole("button", { name, exact: true }).boundingBox();
    expect(Math.min(box?.width ?? 0, box?.height ?? 0)).toBeGreaterThanOrEqual(44);
  }
  await page.getByRole("button", { name: "Sessions", exact: true }).click();
  await expect(listedSession(page, sessionId)).toBeVisible();
  await expectNoSidewaysScroll(page);
  const row = await listedSession(page, sessionId).getByRole("link").boundingBox();
  expect(row?.height).toBeGreaterThanOrEqual(44);
});

test("the page can be installed", async ({ page, server }) => {
  await logIn(page, server.loginUrl);
  const link = page.locator("link[rel=manifest]");
  const address = new URL((await link.getAttribute("href")) ?? "", server.origin).href;
  const answer = await page.request.get(address);
  expect(answer.headers()["content-type"]).toBe("application/manifest+json");
  const manifest = await answer.json();
  expect(manifest).toMatchObject({ name: "Liminal Builder", display: "standalone" });
  for (const { src, type } of manifest.icons) {
    const icon = await page.request.get(new URL(src, server.origin).href);
    expect(icon.headers()["content-type"]).toBe(type);
  }
});
