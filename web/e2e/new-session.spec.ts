/** One screen starts work: who, where, how much it may do, and what to do first. */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Page } from "@playwright/test";
import type { AgentInfo } from "../src/contract";
import { expect, test } from "./fixtures";
import { logIn } from "./transcript-page";

const start = (page: Page) => page.getByRole("button", { name: "Start", exact: true });

/** As if this agent was installed. */
async function pretend(page: Page, ...agents: AgentInfo[]): Promise<void> {
  await page.route("**/api/agents*", (route) => route.fulfill({ json: agents }));
}

const careful: AgentInfo = {
  cliType: "demo",
  name: "Careful agent",
  version: "1.2.3",
  available: true,
  models: [
    { modelId: "small", name: "Small" },
    { modelId: "large", name: "Large", description: "Slow and thorough" },
  ],
  modes: [
    { modeId: "ask", name: "Ask", description: "Asks before it changes a file", neverAsks: false },
    { modeId: "bypassPermissions", name: "Bypass permissions", description: "Never asks", neverAsks: true },
  ],
  capabilities: { send: true, steer: false, images: false, resume: true },
};

test("the first prompt is said as soon as the session is there, once", async ({ page, server }) => {
  await logIn(page, server.loginUrl);
  await page.getByLabel("First prompt").fill("list files");
  await start(page).click();
  await expect(page).toHaveURL(/#\/s\/.+/);
  const prompts = page.locator('[data-type="message"][data-origin="user"]');
  await expect(prompts).toHaveText(/list files/);
  await expect(page.locator('[data-turn-id][data-state="completed"]')).toBeVisible();
  await expect(prompts).toHaveCount(1);
  await expect(page.getByLabel("Message", { exact: true })).toHaveValue("");
  await page.goto(`${server.origin}/#/new`);
  await expect(page.getByLabel("First prompt"), "it is done with").toHaveValue("");
});

test("keys alone start a session", async ({ page, server }) => {
  await logIn(page, server.loginUrl);
  await expect(start(page)).toBeEnabled();
  await page.getByRole("radio", { name: "Demo" }).focus();
  await page.keyboard.press("Tab");
  // The copyable commands of agents that are not there stand in between.
  while (!(await page.getByLabel("Project directory").evaluate((input) => input === document.activeElement)))
    await page.keyboard.press("Tab");
  await page.keyboard.press("Tab");
  await expect(page.getByLabel("First prompt")).toBeFocused();
  await page.keyboard.type("help");
  await page.keyboard.press("Control+Enter");
  await expect(page.locator('[data-type="message"][data-origin="user"]')).toHaveText(/help/);
});

test("directories are completed with the keyboard", async ({ page, server }) => {
  await mkdir(join(server.projectDirectory, "alpha", "inner"), { recursive: true });
  await mkdir(join(server.projectDirectory, "beta"));
  await logIn(page, server.loginUrl);
  const directory = page.getByLabel("Project directory");
  await expect(directory).toHaveValue(server.projectDirectory);
  await directory.fill(`${server.projectDirectory}/`);
  const options = page.getByRole("option");
  await expect(options).toHaveText([/alpha$/, /beta$/]);
  await directory.press("ArrowDown");
  await directory.press("ArrowDown");
  await expect(directory).toHaveAttribute(
    "aria-activedescendant",
    (await options.nth(1).getAttribute("id")) ?? "",
  );
  await directory.press("Enter");
  await expect(directory).toHaveValue(`${server.projectDirectory}/beta`);
  await expect(options).toHaveCount(0);
  await directory.fill(`${server.projectDirectory}/al`);
  await expect(options).toHaveText([/alpha$/]);
  await directory.press("Tab");
  await expect(directory).toHaveValue(`${server.projectDirectory}/alpha/`);
  await expect(options).toHaveText([/inner$/]);
  await directory.press("Escape");
  await expect(options).toHaveCount(0);
  await expect(directory).toHaveValue(`${server.projectDirectory}/alpha/`);
});

test("the project that was used last is there already, and recent ones are offered first", async ({
  page,
  server,
}) => {
  const other = join(server.projectDirectory, "other");
  await mkdir(other);
  await server.createAgentSession("demo");
  await server.call("POST", "/api/session/create", { cliType: "demo", projectDir: other });
  await logIn(page, server.loginUrl);
  await page.goto(`${server.origin}/#/new`);
  const directory = page.getByLabel("Project directory");
  await expect(directory).toHaveValue(other);
  await directory.click();
  await expect(page.locator(".options-heading")).toHaveText("Recent projects");
  await page.getByRole("option").nth(1).click();
  await expect(directory).toHaveValue(server.projectDirectory);
});

test("a place where no project may be is said before anything is started", async ({ page, server }) => {
  await logIn(page, server.loginUrl);
  await page.getByLabel("Project directory").fill("/etc");
  await expect(page.locator(".directory-field .field-note")).toContainText("This directory is not allowed");
  await expect(page.locator(".directory-field .field-note")).toContainText(server.projectDirectory);
});

test("mode and model are chosen from what the agent has, and a mode that never asks is marked", async ({
  page,
  server,
}) => {
  await pretend(page, careful);
  let asked: unknown;
  await page.route("**/api/session/create", (route) => {
    asked = route.request().postDataJSON();
    return route.fulfill({ status: 502, json: { code: "SESSION_CREATE_FAILED", message: "no such mode" } });
  });
  await logIn(page, server.loginUrl);
  const mode = page.getByRole("combobox", { name: "Mode", exact: true });
  await mode.click();
  const risky = page.getByRole("option", { name: /Bypass permissions/ });
  await expect(risky).toHaveAttribute("data-risky", "true");
  await expect(page.locator(".mode-warning")).toBeHidden();
  await risky.click();
  await expect(mode).toHaveText(/Bypass permissions/);
  await expect(page.locator(".mode-warning")).toContainText("will never ask");
  const model = page.getByRole("combobox", { name: "Model" });
  await model.focus();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await expect(model).toHaveText(/Large/);
  await page.getByLabel("First prompt").fill("keep me");
  await start(page).click();
  await expect(page.locator(".new-session .alert")).toContainText("no such mode");
  expect(asked).toMatchObject({ modeId: "bypassPermissions", modelId: "large", cliType: "demo" });
  await expect(page.getByLabel("First prompt"), "nothing that was written is lost").toHaveValue("keep me");
  await expect(mode).toHaveText(/Bypass permissions/);
  await page.reload();
  await expect(page.getByLabel("First prompt")).toHaveValue("keep me");
});

test.use({ refusals: /status of (401|502)/ });

test("what an agent needs can be copied, and looked for again", async ({ page, server, context }) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await logIn(page, server.loginUrl);
  const codex = page.locator('.agent-card[data-agent="codex"]');
  await codex.getByRole("button", { name: /Copy the command/ }).click();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(
    "npm install -g @zed-industries/codex-acp",
  );
  await pretend(page, { ...careful, cliType: "codex", name: "Codex" });
  await page.getByRole("button", { name: "Look again" }).click();
  await expect(page.getByRole("radio", { name: "Codex" })).toBeChecked();
  await expect(codex).toContainText("1.2.3");
});
