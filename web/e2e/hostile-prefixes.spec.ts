/** Every beginning of every hostile text is drawn, live and from history, and nothing of it runs or is fetched. */
import type { Page } from "@playwright/test";
import type { UpsertObject } from "../src/contract";
import { answersFor, BareServer } from "./bare-server";
import { expect, test } from "./fixtures";
import { HOSTILE } from "./hostile-payloads";
import type { Server } from "./server";
import { itemById, itemsOfType } from "./transcript-page";

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
      if (length === 1)
        for (const [at] of group.entries()) await expect(itemById(page, `i${from + at}`)).toHaveCount(1);
      await drawn(page, seq);
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
  await countUpserts(page);
  await page.goto(`${origin}/#/s/${SESSION}`);
  await expect.poll(() => bare.isOpen).toBe(true);
  bare.open(SESSION);
  return { bare, foreign };
}

/** Counts what a page hears of items. */
async function countUpserts(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const [Native, heard] = [window.WebSocket, { upserts: 0 }];
    Object.assign(window, { heard });
    window.WebSocket = class extends Native {
      constructor(url: string | URL, protocols?: string | string[]) {
        super(url, protocols);
        this.addEventListener("message", ({ data }) => {
          if (String(data).startsWith('{"type":"session:upsert"')) heard.upserts += 1;
        });
      }
    };
  });
}

/** What is said next must not hide these prefixes: it waits until all of them were heard, and a frame has shown them. */
async function drawn(page: Page, upserts: number): Promise<void> {
  await page.evaluate(
    (expected) =>
      new Promise<void>((done) => {
        const { heard } = window as unknown as { heard: { upserts: number } };
        const look = () => {
          if (heard.upserts < expected) setTimeout(look);
          else requestAnimationFrame(() => setTimeout(done));
        };
        look();
      }),
    upserts,
  );
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
