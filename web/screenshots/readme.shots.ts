/** The pictures of the README: real sessions of the demo agent, and one that a program feeds. */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Page } from "@playwright/test";
import { test } from "../e2e/fixtures";
import type { Server } from "../e2e/server";
import { logIn } from "../e2e/transcript-page";
import type { SessionCreated } from "../src/contract";
import { ANSWER, work } from "./work";

const picture = (name: string) => fileURLToPath(new URL(`../../docs/images/${name}.png`, import.meta.url));

test("desktop", { tag: "@desktop" }, async ({ page, server }) => {
  await page.emulateMedia({ colorScheme: "light" });
  const sessionId = await someSessions(page, server);
  await page.goto(`${server.origin}/#/s/${sessionId}`);
  await page.getByText(ANSWER).first().waitFor();
  await page.waitForTimeout(1_000);
  await take(page, server, "session");
  await page.emulateMedia({ colorScheme: "dark" });
  await page.goto(`${server.origin}/#/wall`);
  await page.waitForTimeout(4_000);
  await take(page, server, "wall");
});

test("phone", async ({ page, server, isMobile }) => {
  if (!isMobile) return;
  await page.emulateMedia({ colorScheme: "light" });
  await logIn(page, server.loginUrl);
  const sessionId = await created(server, "demo", "Write for everyone");
  await server.send(sessionId, 'edit README.md: replace "the demo agent" with "everyone"');
  await page.goto(`${server.origin}/#/s/${sessionId}`);
  await page.locator(".permission").first().waitFor();
  await page.waitForTimeout(1_000);
  await take(page, server, "phone");
});

/** With paths as somebody has them who is not a test. */
async function take(page: Page, server: Server, name: string): Promise<void> {
  await page.evaluate((temporary) => {
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
      const { currentNode: text } = texts;
      text.nodeValue = text.nodeValue?.replaceAll(temporary, "/home/you/code") ?? null;
    }
  }, server.projectDirectory);
  await page.screenshot({ path: picture(name) });
}

const PROMPTS = [
  ["slow", "Explain how retries are counted"],
  ["plan", "Plan the move to the new queue"],
  ["edit a file", "Write down what was decided"],
  ["slow", "Summarise last week's changes"],
] as const;

/** The session that is fed, beside others that are at work. */
async function someSessions(page: Page, server: Server): Promise<string> {
  await logIn(page, server.loginUrl);
  for (const [prompt, title] of PROMPTS) await server.send(await created(server, "demo", title), prompt);
  const sessionId = await created(server, "external", "Fix the flaky login test");
  await server.postEvents(sessionId, "t1", ...work());
  return sessionId;
}

/** In a project with a name that says something. */
async function created(server: Server, cliType: string, title: string): Promise<string> {
  const projectDir = join(server.projectDirectory, "shop");
  await mkdir(projectDir, { recursive: true });
  await writeFile(join(projectDir, "README.md"), "# The shop\n\nFor the demo agent to read.\n");
  const body = { cliType, projectDir, title };
  return (await server.call<SessionCreated>("POST", "/api/session/create", body)).sessionId;
}
