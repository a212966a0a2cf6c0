/** A picture of every state, on every size, light and dark, in `target/states`: to be looked at, not kept. */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Page, TestInfo } from "@playwright/test";
import { expect, test } from "../e2e/fixtures";
import { longSession } from "../e2e/long-session";
import type { Server } from "../e2e/server";
import { expectLive, logIn } from "../e2e/transcript-page";
import { ANSWER, work } from "./work";

const PLACE = fileURLToPath(new URL("../../target/states/", import.meta.url));
const WIDE = { width: 2560, height: 1440 };
const NARROW = { width: 320, height: 640 };

// What is drawn here is also what goes wrong.
test.use({ refusals: /./ });

type Shot = { page: Page; server: Server; info: TestInfo };

async function shoot({ page, info }: Shot, name: string): Promise<void> {
  await mkdir(PLACE, { recursive: true });
  const usual = page.viewportSize() ?? NARROW;
  const sizes = info.project.name === "phone" ? [usual, NARROW] : [usual, WIDE];
  for (const size of sizes)
    for (const colorScheme of ["light", "dark"] as const) {
      await page.setViewportSize(size);
      await page.emulateMedia({ colorScheme });
      await page.waitForTimeout(250);
      await page.screenshot({ path: join(PLACE, `${name}-${size.width}-${colorScheme}.png`) });
    }
  await page.setViewportSize(usual);
}

async function go({ page, server }: Shot, hash: string): Promise<void> {
  await page.goto(`${server.origin}/${hash}`);
  await expectLive(page);
}

async function demo(shot: Shot, prompt: string): Promise<string> {
  const sessionId = await shot.server.createAgentSession("demo");
  if (prompt !== "") await shot.server.send(sessionId, prompt);
  await go(shot, `#/s/${sessionId}`);
  return sessionId;
}

const STATES: Record<string, (shot: Shot) => Promise<void>> = {
  "new-session": async () => {},
  "session-empty": async (shot) => void (await demo(shot, "")),
  "session-work": async (shot) => {
    const sessionId = await shot.server.createSession("Fix the flaky login test");
    await shot.server.postEvents(sessionId, "t1", ...work());
    await go(shot, `#/s/${sessionId}`);
    await shot.page.getByText(ANSWER).first().waitFor();
  },
  "session-long": async (shot) => {
    await go(shot, `#/s/${await longSession(shot.server, 400)}`);
    await shot.page.getByLabel("Transcript", { exact: true }).evaluate((box) => box.scrollBy(0, -2_000));
  },
  streaming: async (shot) => {
    await demo(shot, "slow");
    await shot.page.waitForTimeout(2_500);
  },
  plan: async (shot) => {
    await demo(shot, "plan");
    await shot.page.locator(".plan-step").nth(2).waitFor();
  },
  permission: async (shot) => {
    await demo(shot, 'edit README.md: replace "the demo agent" with "everyone"');
    await shot.page.locator(".permission").first().waitFor();
  },
  queue: async (shot) => {
    const sessionId = await demo(shot, "slow");
    for (const text of ["then list files", "and read README.md"]) await shot.server.send(sessionId, text);
    await shot.page.waitForTimeout(800);
  },
  failed: async (shot) => {
    await demo(shot, "fail");
    await shot.page.locator('[data-turn-id][data-state="failed"]').waitFor();
  },
  dead: async (shot) => {
    await demo(shot, "crash");
    await shot.page.waitForTimeout(2_000);
  },
  offline: async (shot) => {
    await demo(shot, "help");
    await shot.page.waitForTimeout(1_500);
    await shot.page.context().setOffline(true);
    await shot.server.kill();
    await shot.page.waitForTimeout(2_500);
  },
  "inbox-empty": async (shot) => go(shot, "#/inbox"),
  inbox: async (shot) => {
    await demo(shot, 'edit README.md: replace "the demo agent" with "everyone"');
    await demo(shot, "write NOTES.md: Some notes");
    await shot.page.locator(".permission").first().waitFor();
    await go(shot, "#/inbox");
    await shot.page.locator(".permission").first().waitFor();
  },
  "wall-empty": async (shot) => go(shot, "#/wall"),
  wall: async (shot) => {
    for (const prompt of ["slow", "plan", "edit a file", "help", "fail"]) await demo(shot, prompt);
    await go(shot, "#/wall");
    await shot.page.waitForTimeout(2_500);
  },
  palette: async (shot) => {
    await demo(shot, "help");
    await shot.page.keyboard.press("Control+k");
    await shot.page.getByRole("dialog").waitFor();
  },
  shortcuts: async (shot) => {
    await demo(shot, "");
    await shot.page.getByLabel("Transcript", { exact: true }).locator("visible=true").focus();
    await shot.page.keyboard.press("?");
    await shot.page.getByRole("dialog").waitFor();
  },
  settings: async (shot) => {
    await demo(shot, "");
    await shot.page.keyboard.press("Control+,");
    await shot.page.getByRole("dialog").waitFor();
  },
  "no-such-session": async (shot) => go(shot, "#/s/nothing"),
  "not-logged-in": async (shot) => {
    await shot.page.context().clearCookies();
    await shot.page.evaluate(() => localStorage.clear());
    await shot.page.reload();
    await shot.page.waitForTimeout(800);
  },
};

for (const [name, arrive] of Object.entries(STATES))
  test(name, async ({ page, server }, info) => {
    const shot = { page, server, info };
    await logIn(page, server.loginUrl);
    await arrive(shot);
    await shoot(shot, name);
    expect(info.errors).toEqual([]);
  });
