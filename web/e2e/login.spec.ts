/** Who gets in, and what those see who do not. */
import { expect, test, watched } from "./fixtures";
import { expectLive, logIn } from "./transcript-page";

test("a login link logs in and leaves no code in the address", async ({ page, server }) => {
  await logIn(page, server.loginUrl);
  expect(page.url()).not.toContain("login");
  await expect(page.getByRole("heading", { name: "No sessions yet" })).toBeVisible();
  const commands = page.getByText(`${server.origin}/api/session/create`);
  await expect(commands).toHaveCount(2);
  for (const command of await commands.all()) await expect(command).toBeVisible();
});

test("without a login the page says what to do", async ({ page, server }) => {
  await page.goto(server.origin);
  await expect(page.getByRole("heading", { name: "This page needs a login link" })).toBeVisible();
  await expect(page.getByText("works once, for ten minutes")).toBeVisible();
});

test("a login link that was used already shows the login panel", async ({ page, browser, server }) => {
  await logIn(page, server.loginUrl);
  const stranger = await browser.newContext();
  const complaints = await watched(stranger);
  const second = await stranger.newPage();
  await second.goto(server.loginUrl);
  await expect(second.getByRole("heading", { name: "This page needs a login link" })).toBeVisible();
  await expect(second.getByRole("alert")).toContainText("already used");
  expect(second.url()).not.toContain("login");
  expect(complaints).toEqual([]);
  await stranger.close();
});

test("a browser that is logged in may open a used link again", async ({ page, server }) => {
  await logIn(page, server.loginUrl);
  await page.goto("about:blank");
  await page.goto(server.loginUrl);
  await expectLive(page);
});
