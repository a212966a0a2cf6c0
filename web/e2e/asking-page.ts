/** Requests for the asking agent, and what a reader sees of them. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, type Locator, type Page } from "@playwright/test";
import type { SessionId } from "../src/contract";
import type { Server } from "./server";

export const THREE_OPTIONS = [
  { optionId: "yes", name: "Yes, run it", kind: "allow_once" },
  { optionId: "all", name: "Yes, and for all of make", kind: "allow_always" },
  { optionId: "no", name: "No", kind: "reject_once" },
];

export function runs(command: string, part: object = {}): object {
  return { title: "Run a command", kind: "execute", rawInput: { command }, ...part };
}

/** A session whose agent asks for these, all at once. */
export async function askingSession(server: Server, ...calls: object[]): Promise<SessionId> {
  const sessionId = await server.createAgentSession("asking");
  await server.send(sessionId, JSON.stringify(calls));
  await expectAsked(server, sessionId, calls.length);
  return sessionId;
}

async function expectAsked(server: Server, sessionId: SessionId, count: number): Promise<void> {
  await expect
    .poll(async () => (await waiting(server)).filter((one) => one.sessionId === sessionId).length)
    .toBe(count);
}

/** A session whose agent asks for some at once, and for the others when it is told to. */
export async function askingMoreLater(server: Server, first: object[], later: object[]) {
  const sessionId = await server.createAgentSession("asking");
  const waitsFor = join(server.projectDirectory, `more-${sessionId}`);
  const calls = [...first, ...later.map((call) => ({ ...call, waitsFor }))];
  await server.send(sessionId, JSON.stringify(calls));
  await expectAsked(server, sessionId, first.length);
  const askMore = async () => {
    await writeFile(waitsFor, "");
    await expectAsked(server, sessionId, calls.length);
  };
  return { sessionId, askMore };
}

export async function waiting(server: Server): Promise<{ permissionId: string; sessionId: string }[]> {
  return server.call("GET", "/api/permissions");
}

export function cards(page: Page): Locator {
  return page.locator(".permission:visible");
}

/** Presses an answer, again if it had just moved: such a press is ignored, and a person presses again, too. */
export async function give(answer: Locator): Promise<void> {
  let isPressed = false;
  await expect(async () => {
    // An answer that is slow to be taken may go between two looks.
    if (!isPressed || (await answer.isVisible())) {
      await expect(answer).toBeVisible({ timeout: 2_000 });
      isPressed = true;
      await answer.click({ timeout: 2_000 });
    }
    await expect(answer).toBeHidden({ timeout: 1_500 });
  }).toPass({ timeout: 30_000 });
}

/** What has just come up or moved takes no answer, neither by a click nor by a key. */
export async function letSettle(page: Page): Promise<void> {
  await page.evaluate(async () => {
    const places = () =>
      Array.from(document.querySelectorAll(".permission button"), (one) => {
        const { x, y } = one.getBoundingClientRect();
        return `${x},${y}`;
      }).join();
    let [before, since] = [places(), performance.now()];
    while (performance.now() - since < 600) {
      await new Promise(requestAnimationFrame);
      const now = places();
      if (now !== before) [before, since] = [now, performance.now()];
    }
  });
}
