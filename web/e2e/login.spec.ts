/** Who gets in, and what those see who do not. */
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
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

test("S-05 no script sees the login cookie", async ({ page, server }) => {
  await logIn(page, server.loginUrl);
  expect(await page.evaluate(() => document.cookie)).toBe("");
  const [cookie] = await page.context().cookies();
  expect(cookie).toMatchObject({ httpOnly: true, sameSite: "Strict" });
});

test("S-08 a server on another port is sent the cookie and can do nothing with it", async ({
  page,
  server,
}) => {
  await logIn(page, server.loginUrl);
  const heard: string[] = [];
  const preview = createServer((request, response) => {
    heard.push(request.headers.cookie ?? "");
    response.setHeader("Content-Type", "text/html").end("<!doctype html><title>Preview</title>");
  });
  preview.listen(0, "127.0.0.1");
  await once(preview, "listening");
  const { port } = preview.address() as AddressInfo;
  await page.goto(`http://127.0.0.1:${port}/`);
  expect(heard[0], "the browser sends it there").toContain("liminal_");
  expect(await page.evaluate(() => localStorage.length), "our page's key is not there").toBe(0);
  const headers = { Cookie: heard[0] ?? "", Origin: server.origin, "Sec-Fetch-Site": "same-origin" };
  expect((await fetch(`${server.origin}/api/projects`, { headers })).status).toBe(401);
  preview.close();
  await page.goto(server.origin);
  await expectLive(page);
});
