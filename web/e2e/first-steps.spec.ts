/** What a newcomer is told to do works when it is done. */
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, test } from "./fixtures";
import { logIn } from "./transcript-page";

const run = promisify(execFile);

test("the commands of the empty page feed a session that grows", async ({ page, server }) => {
  await logIn(page, server.loginUrl);
  const commands = await page.locator("[data-panel=empty] pre").allTextContents();
  expect(commands).toHaveLength(3);
  const script = commands.slice(1).join("\n").replace("paste-the-token-here", server.token);
  const running = run("bash", ["-ec", script], { env: { ...process.env, HOME: server.projectDirectory } });
  await page.getByRole("link", { name: /Hello from a shell/ }).click();
  const message = page.locator('[data-item-id][data-type="message"]');
  await expect(message).toContainText("word 11 ");
  await expect(message).not.toContainText("word 120");
  await expect(message).toContainText("word 120", { timeout: 20_000 });
  await expect(message).toHaveAttribute("data-status", "complete");
  expect((await running).stdout).toContain('{"accepted":123}');
});

test("a login link pasted into a page that is not logged in logs in", async ({ page, server }) => {
  await page.goto(server.origin);
  await expect(page.locator("[data-panel=login]")).toBeVisible();
  await page.evaluate((url) => location.assign(url), server.loginUrl);
  await expect(page.locator("[data-panel=empty]")).toBeVisible();
});
