/** More comes at once than can be drawn as it comes. */
import type { UpsertObject } from "../src/contract";
import { FOLLOWING } from "../src/transcript/visible-rows";
import { answersFor, BareServer } from "./bare-server";
import { expect, test } from "./fixtures";
import { itemById } from "./transcript-page";

const SESSION = "s1";
const MANY = 1_000;

test("whoever follows the end is led to the end of a flood, and what only passes by is not drawn", async ({
  page,
  server,
}) => {
  const bare = await BareServer.start(server.origin, answersFor(SESSION));
  await page.goto(`${bare.origin}/#/s/${SESSION}`);
  await expect.poll(() => bare.isOpen).toBe(true);
  bare.open(SESSION);
  bare.say({ type: "session:upsert", sessionId: SESSION, seq: 1, payload: item(1) });
  await expect(itemById(page, "i1")).toBeInViewport();
  await page.evaluate(() => {
    const drawn = new Set<string>();
    Object.assign(window, { drawn });
    const note = () => {
      for (const row of document.querySelectorAll<HTMLElement>(".transcripts [data-item-id]"))
        drawn.add(String(row.dataset.itemId));
    };
    new MutationObserver(note).observe(document.body, { subtree: true, childList: true });
  });
  for (let seq = 2; seq <= MANY; seq += 1)
    bare.say({ type: "session:upsert", sessionId: SESSION, seq, payload: item(seq) });
  await expect(itemById(page, `i${MANY}`)).toBeInViewport();
  // What it keeps above the end comes once there is time.
  await expect(itemById(page, `i${MANY - FOLLOWING.around}`)).toHaveCount(1);
  const drawn = await page.evaluate(() => (window as unknown as { drawn: Set<string> }).drawn.size);
  expect(drawn).toBeLessThan(MANY);
  expect(await page.locator(".rows [data-item-id]").count()).toBeLessThanOrEqual(FOLLOWING.most);
  await expect(itemById(page, `i${MANY}`)).toBeInViewport();
  await page.goto("about:blank");
  bare.stop();
});

function item(seq: number): UpsertObject {
  const now = new Date().toISOString();
  const times = { sourceTimestamp: now, emittedAt: now };
  const place = { turnId: "t1", sessionId: SESSION, itemId: `i${seq}`, seq, position: seq };
  const content = `item ${seq} ${"and some more words ".repeat(30)}`;
  return { type: "message", origin: "agent", status: "complete", content, ...place, ...times };
}
