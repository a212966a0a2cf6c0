/** One state on every size, light and dark, as pictures in `target/states`: to be looked at, not kept. */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Page, TestInfo } from "@playwright/test";
import { expect, test } from "../e2e/fixtures";
import type { Server } from "../e2e/server";
import { expectLive, logIn } from "../e2e/transcript-page";

const PLACE = fileURLToPath(new URL("../../target/states/", import.meta.url));
const WIDE = { width: 2560, height: 1440 };
const NARROW = { width: 320, height: 640 };

export type Shot = { page: Page; server: Server; info: TestInfo };
/** How to get there from a page that is logged in and shows nothing yet. */
export type States = Record<string, (shot: Shot) => Promise<void>>;

/** Takes the pictures of all of them. */
export function take(states: States): void {
  // What is drawn here is also what goes wrong.
  test.use({ refusals: /./ });
  for (const [name, arrive] of Object.entries(states))
    test(name, async ({ page, server }, info) => {
      const shot = { page, server, info };
      await logIn(page, server.loginUrl);
      await arrive(shot);
      await shoot(shot, name);
      expect(info.errors).toEqual([]);
    });
}

async function shoot({ page, info }: Shot, name: string): Promise<void> {
  await mkdir(PLACE, { recursive: true });
  const usual = page.viewportSize() ?? NARROW;
  const sizes = info.project.name === "phone" ? [usual, NARROW] : [usual, WIDE];
  for (const size of sizes)
    for (const colorScheme of ["light", "dark"] as const) {
      await page.setViewportSize(size);
      await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
      await page.waitForTimeout(250);
      await page.screenshot({ path: join(PLACE, `${name}-${size.width}-${colorScheme}.png`) });
    }
  await page.setViewportSize(usual);
}

export async function go({ page, server }: Shot, hash: string): Promise<void> {
  await page.goto(`${server.origin}/${hash}`);
  await expectLive(page);
}

/** A session of the demo agent that was told this, open in the page. */
export async function demo(shot: Shot, prompt: string): Promise<string> {
  const sessionId = await shot.server.createAgentSession("demo");
  if (prompt !== "") await shot.server.send(sessionId, prompt);
  await go(shot, `#/s/${sessionId}`);
  return sessionId;
}

/** On a phone the list is a drawer. */
export async function openList({ page }: Shot): Promise<void> {
  const menu = page.getByRole("button", { name: "Sessions", exact: true });
  if (await menu.isVisible()) await menu.click();
}
