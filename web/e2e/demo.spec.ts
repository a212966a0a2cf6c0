/** A newcomer starts the demo agent by clicking, and everything that it does is seen. */
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Page } from "@playwright/test";
import { give } from "./asking-page";
import { expect, test } from "./fixtures";
import type { Server } from "./server";
import { expectLive, itemIdOf, itemsOfType, logIn, textOf } from "./transcript-page";

async function startDemo(page: Page, server: Server): Promise<void> {
  await logIn(page, server.loginUrl);
  await page.getByRole("button", { name: "Start", exact: true }).click();
  await expect(page).toHaveURL(/#\/s\/.+/);
  await expect(page.getByLabel("Message", { exact: true })).toBeFocused();
  // What can be set comes a moment later, and moves what stands above it.
  await expect(page.getByRole("combobox", { name: "Mode" })).toBeVisible();
}

async function say(page: Page, text: string): Promise<void> {
  await page.getByLabel("Message", { exact: true }).fill(text);
  await page.getByRole("button", { name: "Send" }).click();
}

test("a session with the demo agent is started by one click and its answer is streamed", async ({
  page,
  server,
}) => {
  await logIn(page, server.loginUrl);
  const form = page.getByRole("form", { name: "New session" });
  await expect(form.getByRole("radio", { name: "Demo" })).toBeChecked();
  await expect(form.getByLabel("Project directory")).toHaveValue(server.projectDirectory);
  await form.getByRole("button", { name: "Start" }).click();
  await expect(page.getByLabel("Message", { exact: true })).toBeFocused();
  await expect(page.locator(".suggestion")).toHaveText([
    "help",
    "list files",
    "read README.md",
    "plan",
    "edit a file",
  ]);
  await page.getByRole("button", { name: "help" }).click();
  const answer = page.locator('[data-type="message"][data-origin="agent"]').first();
  await expect(answer).toHaveAttribute("data-status", "update");
  const itemId = await itemIdOf(answer);
  const early = (await textOf(answer).textContent()) ?? "";
  await expect(answer).toHaveAttribute("data-status", "complete", { timeout: 20_000 });
  const whole = (await textOf(answer).textContent()) ?? "";
  expect(whole.length).toBeGreaterThan(early.length);
  expect(whole.startsWith(early)).toBe(true);
  await expect(textOf(answer).locator("code", { hasText: /^list files$/ })).toBeVisible();
  expect(await itemIdOf(answer)).toBe(itemId);
  await expect(page.locator(".suggestions")).toBeHidden();
});

test("a tool call and its output are shown", async ({ page, server }) => {
  await startDemo(page, server);
  await page.getByRole("button", { name: "read README.md" }).click();
  const call = itemsOfType(page, "tool_call");
  await expect(call.locator(".tool")).toHaveAttribute("data-state", "done");
  await call.locator("summary").click();
  await expect(call.getByLabel("Output", { exact: true })).toContainText("For the demo agent to read.");
});

test("a plan is followed step by step", async ({ page, server }) => {
  await startDemo(page, server);
  await page.getByRole("button", { name: "plan" }).click();
  const steps = page.locator(".plan-step");
  await expect(steps).toHaveCount(4);
  await expect(page.locator('.plan-step[data-state="in_progress"]')).toHaveCount(1);
  await expect(page.locator('.plan-step[data-state="completed"]')).not.toHaveCount(0);
  await expect(page.getByRole("img", { name: "done" }).first()).toBeVisible();
  await expect(page.locator(".plan-progress")).toHaveText("4 of 4 done", { timeout: 20_000 });
  await expect(page.locator('[data-turn-id][data-state="completed"]')).toBeVisible();
  await expect(page.locator(".plan")).toBeHidden();
});

test("an edit is seen before it is allowed, and written after", async ({ page, server }) => {
  await startDemo(page, server);
  await say(page, 'edit README.md: replace "the demo agent" with "everyone"');
  // In its card: the call shows it too, a moment earlier or later.
  const lines = (kind: string) => page.locator(`.permission .diff-line[data-kind="${kind}"] .diff-text`);
  await expect(lines("removed")).toHaveText(["For the demo agent to read."]);
  await expect(lines("added")).toHaveText(["For everyone to read."]);
  const readme = () => readFile(join(server.projectDirectory, "README.md"), "utf8");
  expect(await readme()).toContain("For the demo agent");
  await give(page.getByRole("button", { name: "Allow", exact: true }));
  await expect(page.locator(".permission")).toHaveCount(0);
  await expect(itemsOfType(page, "tool_call").locator(".tool")).toHaveAttribute("data-state", "done");
  await expect.poll(readme).toContain("For everyone to read.");
});

test("a refused edit changes nothing", async ({ page, server }) => {
  await startDemo(page, server);
  await page.getByRole("button", { name: "edit a file" }).click();
  await expect(page.locator(".diff-line[data-kind=added]").first()).toBeVisible();
  const before = await readdir(server.projectDirectory);
  await give(page.getByRole("button", { name: "Reject", exact: true }));
  await expect(itemsOfType(page, "tool_call").locator(".tool")).toHaveAttribute("data-state", "failed");
  await expect(itemsOfType(page, "message").getByText("You said no")).toBeVisible();
  expect(await readdir(server.projectDirectory)).toEqual(before);
});

test("a turn that hangs is stopped", async ({ page, server }) => {
  await startDemo(page, server);
  await say(page, "hang");
  await expect(page.locator('[data-turn-id][data-state="running"]')).toBeVisible();
  await page.getByRole("button", { name: "Stop" }).click();
  await expect(page.locator('[data-turn-id][data-state="cancelled"]')).toBeVisible();
  await expect(page.getByRole("button", { name: "Stop" })).toBeHidden();
  await say(page, "help");
  await expect(page.locator('[data-turn-id][data-state="completed"]')).toBeVisible({ timeout: 20_000 });
});

test("a reload loses nothing", async ({ page, server }) => {
  await startDemo(page, server);
  await page.getByRole("button", { name: "plan" }).click();
  await expect(page.locator('[data-turn-id][data-state="completed"]')).toBeVisible({ timeout: 20_000 });
  await say(page, "edit a file");
  await expect(page.locator(".permission")).toBeVisible();
  const seen = async () => ({
    items: await page.locator("[data-item-id]").evaluateAll((all) => all.map((one) => one.dataset.itemId)),
    texts: await page.locator("[data-item-id] .text").allTextContents(),
    diff: await page.locator(".diff-line").allTextContents(),
    plan: await page.locator(".plan-progress").textContent(),
    title: await page.locator(".permission-title").textContent(),
  });
  const before = await seen();
  expect(before.diff.length).toBeGreaterThan(0);
  await page.reload();
  await expectLive(page);
  await expect(page.locator(".permission")).toBeVisible();
  await expect.poll(seen).toEqual(before);
  await give(page.getByRole("button", { name: "Allow", exact: true }));
  await expect(itemsOfType(page, "tool_call").locator(".tool")).toHaveAttribute("data-state", "done");
});

test("agents that are not there cannot be chosen and are told with what to do", async ({ page, server }) => {
  await logIn(page, server.loginUrl);
  await expect(page.getByRole("radio", { name: "Claude Code" })).toBeDisabled();
  await expect(page.getByRole("radio", { name: "Codex" })).toBeDisabled();
  const missing = page.locator('.agent-card[data-ready="false"]');
  await expect(missing.nth(1)).toContainText("Not ready: the program no-such-codex was not found");
  await expect(missing.nth(1)).toContainText("npm install -g @zed-industries/codex-acp");
  await page.getByRole("button", { name: "Look again" }).click();
  await expect(missing).toHaveCount(2);
  await expect(page.getByRole("button", { name: "Look again" })).toBeEnabled();
});

test.describe("what is refused", () => {
  test.use({ refusals: /status of 40[01]/ });

  test("a directory that cannot be a project is refused with the reason, and another one is offered", async ({
    page,
    server,
  }) => {
    await logIn(page, server.loginUrl);
    const directory = page.getByLabel("Project directory");
    await directory.fill(`${server.projectDirectory}/nowhere`);
    await page.getByRole("button", { name: "Start", exact: true }).click();
    await expect(page.getByRole("form", { name: "New session" }).getByRole("alert")).toContainText(
      "nowhere: does not exist",
    );
    await directory.fill(server.projectDirectory.slice(0, -1));
    await expect(page.getByRole("option", { name: server.projectDirectory })).toBeVisible();
    await directory.fill(server.projectDirectory);
    await page.getByRole("button", { name: "Start", exact: true }).click();
    await expect(page).toHaveURL(/#\/s\/.+/);
  });
});

test("a session cannot be started before there is a place to start it in", async ({ page, server }) => {
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route("**/api/fs/dirs*", async (route) => {
    await released;
    await route.continue();
  });
  await logIn(page, server.loginUrl);
  await expect(page.getByRole("radio", { name: "Demo" })).toBeChecked();
  const start = page.getByRole("button", { name: "Start", exact: true });
  await expect(start).toBeDisabled();
  release();
  await expect(page.getByLabel("Project directory")).toHaveValue(server.projectDirectory);
  await start.click();
  await expect(page).toHaveURL(/#\/s\/.+/);
});

test("another session is started from the list", async ({ page, server, isMobile }) => {
  await startDemo(page, server);
  if (isMobile) await page.getByRole("button", { name: /^Sessions/ }).click();
  await page.getByRole("link", { name: "New session", exact: true }).click();
  await expect(page.getByRole("heading", { name: "New session", level: 2 })).toBeVisible();
  await page.getByRole("button", { name: "Start", exact: true }).click();
  await expect(page.getByLabel("Message", { exact: true })).toBeFocused();
  await expect(page.locator("[data-session-id]")).toHaveCount(2);
});
