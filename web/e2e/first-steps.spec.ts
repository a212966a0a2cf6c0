/** What a newcomer is told to do works when it is done. */
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, test } from "./fixtures";
import { logIn, showList } from "./transcript-page";

const run = promisify(execFile);

test("the commands of the empty page feed a session that grows", async ({ page, server }) => {
  await logIn(page, server.loginUrl);
  const steps = page.locator("[data-panel=empty] [data-steps=external] pre");
  // They are there once the list has said that there are no sessions, which is after the connection is.
  await expect(steps).toHaveCount(2);
  const commands = await steps.allTextContents();
  const script = commands.join("\n").replace("paste-the-token-here", server.token);
  const running = run("bash", ["-ec", script], { env: { ...process.env, HOME: server.projectDirectory } });
  await showList(page);
  await page.getByRole("link", { name: /Hello from a shell/ }).click();
  const message = page.locator('[data-item-id][data-type="message"]');
  await expect(message).toContainText("word 11 ");
  await expect(message).not.toContainText("word 120");
  await expect(message).toContainText("word 120", { timeout: 20_000 });
  await expect(message).toHaveAttribute("data-status", "complete");
  expect((await running).stdout).toContain('{"accepted":123}');
});

test("the commands of the empty page for Claude Code come first and reach the server", async ({
  page,
  server,
}) => {
  await logIn(page, server.loginUrl);
  const first = page.locator("[data-panel=empty] ol").first();
  await expect(first).toHaveAttribute("data-steps", "claude");
  const commands = await first.locator("pre").allTextContents();
  expect(commands).toHaveLength(3);
  // Outside the allowed roots, so that nothing is started whatever is installed here; what is refused is said.
  const script = commands.slice(1).join("\n").replace("paste-the-token-here", server.token);
  const { stdout } = await run("bash", ["-c", `${script}; true`], { cwd: "/" });
  expect(stdout).toContain("INVALID_PROJECT_DIR");
  await expect(page.locator("[data-panel=empty]")).toBeVisible();
});

test("a login link pasted into a page that is not logged in logs in", async ({ page, server }) => {
  await page.goto(server.origin);
  await expect(page.locator("[data-panel=login]")).toBeVisible();
  await page.evaluate((url) => location.assign(url), server.loginUrl);
  await expect(page.locator("[data-panel=empty]")).toBeVisible();
});
