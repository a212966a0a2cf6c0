/** What stays in memory when a long session is opened again and again. */
import type { Page } from "@playwright/test";
import { expect, test } from "../e2e/fixtures";
import { expectLive, logIn } from "../e2e/transcript-page";
import type { EventPayload } from "../src/contract";
import { Metrics } from "./metrics";
import { mixedMarkdown } from "./mixed-markdown";
import { judge, table, tell } from "./tell";

const ITEMS = 3_000;
const REPLAYS = 3;
/** Before them: the browser compiles what runs often, and that is part of the heap. */
const WARM_UP = 2;
/** More sessions than the page keeps as they were left, so that the long one is let go and told anew. */
const OTHERS = 9;

test("a long session again and again", async ({ page, server }) => {
  await logIn(page, server.loginUrl);
  const long = await server.createSession("Long");
  const others = [];
  for (let at = 0; at < OTHERS; at += 1) others.push(await server.createSession(`Other ${at}`));
  await server.postEvents(long, "t1", { type: "response_start", modelId: "m", providerId: "p" });
  for (let from = 0; from < ITEMS; from += 100)
    await server.postEvents(long, "t1", ...items(from, from + 100));
  await server.postEvents(long, "t1", { type: "response_done", status: "completed" });
  const metrics = await Metrics.of(page);
  const heaps: number[] = [];
  let nodes = 0;
  for (let replay = 0; replay <= WARM_UP + REPLAYS; replay += 1) {
    await page.goto(`${server.origin}/#/s/${long}`);
    await expect(page.locator("[data-item-id]").last()).toContainText(`item ${ITEMS - 1}`);
    await scrollUp(page);
    nodes = await metrics.nodes();
    for (const other of others) {
      await page.goto(`${server.origin}/#/s/${other}`);
      await expect(page.getByRole("heading", { level: 1 })).toContainText("Other");
      await expectLive(page);
    }
    await expect(page.locator("[data-item-id]")).toHaveCount(0);
    heaps.push(await metrics.heap());
  }
  const [first = 0, last = 0] = [heaps[WARM_UP], heaps.at(-1)];
  tell(
    `### A session of ${ITEMS} items, opened again and again\n\n${table(
      ["opened", "heap, MB"],
      heaps.map((heap, at) => [`${at + 1} times`, heap]),
    )}\n\nHeap after each time, with so many other sessions opened since that nothing of the long one is kept. The page holds ${nodes} nodes while the long one is shown.\n`,
  );
  judge({
    name: "web_heap",
    text: "growth of the heap over the last three replays",
    atMost: 5,
    value: (last / first - 1) * 100,
    unit: " %",
  });
});

function items(from: number, to: number): EventPayload[] {
  return Array.from({ length: to - from }, (_, at): EventPayload[] => {
    const itemId = `i${from + at}`;
    const content = `item ${from + at}\n\n${mixedMarkdown(600)}`;
    return [
      { type: "item_start", itemId, itemType: "message" },
      { type: "item_done", itemId, finalItem: { type: "message", content, origin: "agent" } },
    ];
  }).flat();
}

/** As far as a reader goes who looks something up. */
async function scrollUp(page: Page): Promise<void> {
  const box = page.locator(".transcript:visible");
  for (let step = 0; step < 20; step += 1) {
    await box.evaluate((element) => element.scrollBy(0, -3000));
    await page.waitForTimeout(50);
  }
}
