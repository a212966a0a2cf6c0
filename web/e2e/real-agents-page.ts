/** A user with the real agents: what is ordered, and what is seen of it. */
import { expect, type Locator, type Page } from "@playwright/test";
import { give } from "./asking-page";
import { test as base } from "./fixtures";
import { type ClaudeVersion, realAgents } from "./real-agents";
import { Server } from "./server";
import { itemsOfType } from "./transcript-page";

export type Agent = { name: "Claude Code" | "Codex"; cliType: "claude-code" | "codex"; tool: RegExp };

export const CLAUDE: Agent = { name: "Claude Code", cliType: "claude-code", tool: /^Bash$/ };
/** It calls a tool by what it does with it. */
export const CODEX: Agent = { name: "Codex", cliType: "codex", tool: /made\.txt/ };

export const test = base.extend<{ version: ClaudeVersion }>({
  version: ["2.1.325", { option: true }],
  server: async ({ version }, use) => {
    const agents = await realAgents(version);
    const server = await Server.start(agents.settings);
    await use(server);
    await server.stop();
    await agents.stop();
  },
});

/** Each agent in each of its versions. */
export const EVERY_AGENT = [
  { agent: CLAUDE, version: "2.1.197", called: "Claude Code 2.1.197" },
  { agent: CLAUDE, version: "2.1.325", called: "Claude Code 2.1.325" },
  { agent: CODEX, version: "2.1.325", called: "Codex" },
] as const;

export async function start(page: Page, { name }: Agent): Promise<string> {
  await page.goto(`${new URL(page.url()).origin}/#/new`);
  const form = page.getByRole("form", { name: "New session" });
  await form.locator("label", { hasText: name }).first().click();
  await expect(form.getByRole("radio", { name })).toBeChecked();
  await form.getByRole("button", { name: "Start" }).click();
  await expect(page).toHaveURL(/#\/s\/.+/);
  return decodeURIComponent(page.url().split("#/s/")[1] ?? "");
}

export async function say(page: Page, text: string): Promise<void> {
  await page.getByRole("textbox", { name: "Message" }).fill(text);
  await page.getByRole("textbox", { name: "Message" }).press("Enter");
}

export function answers(page: Page): Locator {
  return page.locator('[data-type="message"][data-origin="agent"]:visible');
}

export function turns(page: Page, state: string): Locator {
  return page.locator(`[data-turn-id][data-state="${state}"]:visible`);
}

export function calls(page: Page): Locator {
  return itemsOfType(page, "tool_call").locator("visible=true");
}

/** The command that both agents ask for before they run it. */
export const WRITES = "run printf 'one two'; printf ' three' > made.txt";

export function allow(page: Page): Locator {
  const card = page.locator(".permission:visible").first();
  return card.getByRole("button", { name: /^(Allow once|Allow|Yes)/ }).first();
}

/** Runs a command to its end, allowed on the way. */
export async function runCommand(page: Page): Promise<void> {
  await say(page, WRITES);
  await expect(page.locator(".permission:visible").first()).toContainText("made.txt");
  await give(allow(page));
  await expect(answers(page).last()).toContainText("The command is done.");
}

/** A mark that a new element would not have. */
export async function mark(element: Locator): Promise<void> {
  await element.evaluate((marked) => Object.assign(marked, { isTheSame: true }));
}

export async function isMarked(element: Locator): Promise<boolean> {
  return element.evaluate((marked) => "isTheSame" in marked);
}
