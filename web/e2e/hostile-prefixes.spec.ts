/** Every beginning of every hostile text is drawn, live and from history, and nothing of it runs or is fetched. */
import type { Page } from "@playwright/test";
import type { UpsertObject } from "../src/contract";
import { answersFor, BareServer } from "./bare-server";
import { expect, test } from "./fixtures";
import { HOSTILE } from "./hostile-payloads";
import type { Server } from "./server";
import { itemsOfType } from "./transcript-page";

const SESSION = "s1";
/** Drawn side by side. */
const AT_ONCE = 100;
/** Of one history: no more than are shown at first. */
const ENTRIES = 150;

type Prefix = { id: string; text: string; isWhole: boolean; place: number };

test("S-16 every prefix of every hostile text is drawn live without harm", { tag: "@desktop" }, async ({
  page,
  server,
}) => {
  test.slow();
  const { bare, foreign } = await open(page, server);
  let seq = 0;
  for (let from = 0; from < HOSTILE.length; from += AT_ONCE) {
    const group = HOSTILE.slice(from, from + AT_ONCE);
    const longest = Math.max(...group.map((text) => text.length));
    for (let length = 1; length <= longest; length += 1) {
      for (const [at, text] of group.entries()) {
        if (text.length < length) continue;
        seq += 1;
        const prefix = { id: `i${from + at}`, text: text.slice(0, length), place: from + at + 1 };
        const payload = item({ ...prefix, isWhole: length === text.length }, seq);
        bare.say({ type: "session:upsert", sessionId: SESSION, seq, payload });
      }
      if (length === 1) await expect(itemsOfType(page, "message")).toHaveCount(from + group.length);
      // What is drawn next must not hide this prefix: it waits until this one is on the screen.
      await page.evaluate(() => new Promise((drawn) => requestAnimationFrame(() => setTimeout(drawn))));
    }
  }
  await expect(itemsOfType(page, "message").last()).toHaveAttribute("data-status", "complete");
  await expectUnharmed(page, foreign);
  await page.goto("about:blank");
  bare.stop();
});

test("S-16 every prefix of every hostile text is drawn from history without harm", {
  tag: "@desktop",
}, async ({ page, server }) => {
  test.slow();
  const { bare, foreign } = await open(page, server);
  const prefixes = HOSTILE.flatMap((text, at) =>
    Array.from({ length: text.length }, (_, length) => ({
      id: `i${at}-${length}`,
      text: text.slice(0, length + 1),
      isWhole: true,
    })),
  );
  expect(prefixes.length).toBeGreaterThan(HOSTILE.length * 10);
  for (let from = 0; from < prefixes.length; from += ENTRIES) {
    const group = prefixes
      .slice(from, from + ENTRIES)
      .map((prefix, place) => ({ ...prefix, place: place + 1 }));
    const entries = group.map((prefix, at) => item(prefix, at + 1));
    const state = { epoch: `e${from}`, seq: entries.length, turns: [], more: false };
    bare.say({ type: "session:history", sessionId: SESSION, mode: "full", entries, ...state });
    await expect(page.locator(`[data-item-id="${group[0]?.id}"]`)).toHaveCount(1);
    await expect(itemsOfType(page, "message")).toHaveCount(entries.length);
  }
  await expectUnharmed(page, foreign);
  await page.goto("about:blank");
  bare.stop();
});

/** A page that a bare server has told of an empty session, and what it asks for elsewhere. */
async function open(page: Page, server: Server): Promise<{ bare: BareServer; foreign: string[] }> {
  const foreign: string[] = [];
  const bare = await BareServer.start(server.origin, answersFor(SESSION));
  const { origin } = bare;
  page.on("request", (request) => {
    if (new URL(request.url()).origin !== origin) foreign.push(request.url());
  });
  await page.goto(`${origin}/#/s/${SESSION}`);
  await expect.poll(() => bare.isOpen).toBe(true);
  bare.open(SESSION);
  return { bare, foreign };
}

async function expectUnharmed(page: Page, foreign: string[]): Promise<void> {
  // What runs late, such as a handler of a failed picture, has had its time.
  await page.waitForTimeout(300);
  expect(await page.evaluate(() => "__pwned" in window)).toBe(false);
  expect(foreign).toEqual([]);
}

function item({ id, text, isWhole, place }: Prefix, seq: number): UpsertObject {
  const now = new Date().toISOString();
  const status = isWhole ? "complete" : text.length === 1 ? "create" : "update";
  return {
    turnId: "t1",
    sessionId: SESSION,
    itemId: id,
    type: "message",
    origin: "agent",
    content: text,
    status,
    sourceTimestamp: now,
    emittedAt: now,
    seq,
    position: place,
  };
}
