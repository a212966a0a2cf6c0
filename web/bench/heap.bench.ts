/** What stays in memory of long sessions that were read to their beginning, and of those that were watched as they came. */
import type { Page } from "@playwright/test";
import { expect, test } from "../e2e/fixtures";
import type { Server } from "../e2e/server";
import { expectLive, itemById, logIn } from "../e2e/transcript-page";
import type { EventPayload, SessionId } from "../src/contract";
import { LongTasks } from "./long-tasks";
import { Metrics } from "./metrics";
import { mixedMarkdown } from "./mixed-markdown";
import { judge, table, tell } from "./tell";

const ITEMS = 3_000;
const REPLAYS = 3;
/** Before them: the browser compiles what runs often, and that is part of the heap. */
const WARM_UP = 2;
/** More sessions than the page keeps as they were left, so that the long one is let go and told anew. */
const OTHERS = 9;

type Replays = { heaps: number[]; nodes: number[] };

test("a long session read to its beginning again and again", async ({ page, server }) => {
  await logIn(page, server.loginUrl);
  const others = await otherSessions(server);
  const long = await server.createSession("Long");
  await tellItems(server, long);
  const replays = await replay(page, server, others, async () => {
    await page.goto(`${server.origin}/#/s/${long}`);
    await expect(page.locator("[data-item-id]").last()).toContainText(`item ${ITEMS - 1}`);
    await readToTheBeginning(page);
    await expect(itemById(page, "i0")).toBeInViewport();
  });
  report(
    replays,
    `A session of ${ITEMS} items, read from its end to its beginning again and again`,
    "reading it",
  );
});

test("long sessions watched as they come, one after the other", async ({ page, server }) => {
  await logIn(page, server.loginUrl);
  const others = await otherSessions(server);
  const tasks = await LongTasks.of(page);
  const replays = await replay(page, server, others, async (at) => {
    const live = await server.createSession(`Live ${at}`);
    await page.goto(`${server.origin}/#/s/${live}`);
    await expect(page.getByRole("heading", { level: 1 })).toContainText("Live");
    await tasks.beginRound();
    await tellItems(server, live);
    await expect(itemById(page, `i${ITEMS - 1}`)).toBeInViewport();
    await tasks.endRound();
  });
  report(replays, `Sessions of ${ITEMS} items, watched as they come`, "watching them", tasks.words);
  tasks.judge("while so many items come");
});

async function otherSessions(server: Server): Promise<SessionId[]> {
  const others: SessionId[] = [];
  for (let at = 0; at < OTHERS; at += 1) others.push(await server.createSession(`Other ${at}`));
  return others;
}

/** The heap after each time, with so many other sessions opened since that nothing of the long one is kept. */
async function replay(
  page: Page,
  server: Server,
  others: SessionId[],
  look: (at: number) => Promise<void>,
): Promise<Replays> {
  const metrics = await Metrics.of(page);
  const heaps: number[] = [];
  const nodes: number[] = [];
  for (let at = 0; at <= WARM_UP + REPLAYS; at += 1) {
    await look(at);
    nodes.push(await metrics.nodes());
    for (const other of others) {
      await page.goto(`${server.origin}/#/s/${other}`);
      await expect(page.getByRole("heading", { level: 1 })).toContainText("Other");
      await expectLive(page);
    }
    await expect(page.locator("[data-item-id]")).toHaveCount(0);
    heaps.push(await metrics.heap());
  }
  return { heaps, nodes };
}

function report({ heaps, nodes }: Replays, title: string, doing: string, more = ""): void {
  tell(
    `### ${title}\n\n${table(
      ["times", "heap, MB", "nodes"],
      heaps.map((heap, at) => [String(at + 1), heap, String(nodes[at])]),
    )}\n\nHeap after each time, with so many other sessions opened since that nothing of the long one is kept. *Nodes*: of the page at the end of ${doing}. The first ${WARM_UP} times the browser compiles what runs often, which is part of the heap: growth is counted from the next one on. ${more}\n`,
  );
  const growth = (what: string, values: number[]) =>
    judge({
      name: "web_heap",
      text: `growth of the ${what} over the last three times of ${doing}`,
      atMost: 5,
      value: ((values.at(-1) ?? Number.NaN) / (values[WARM_UP] ?? Number.NaN) - 1) * 100,
      unit: " %",
    });
  growth("heap", heaps);
  growth("nodes", nodes);
}

async function tellItems(server: Server, sessionId: SessionId): Promise<void> {
  await server.postEvents(sessionId, "t1", { type: "response_start", modelId: "m", providerId: "p" });
  for (let from = 0; from < ITEMS; from += 100)
    await server.postEvents(sessionId, "t1", ...items(from, from + 100));
  await server.postEvents(sessionId, "t1", { type: "response_done", status: "completed" });
}

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

/** By hand, past every item: what is far away is let go on the way. */
async function readToTheBeginning(page: Page): Promise<void> {
  const box = page.locator(".transcript:visible");
  await box.evaluate(async (element) => {
    while (element.scrollTop > 0 || !element.querySelector('[data-item-id="i0"]')) {
      element.scrollBy(0, -2000);
      await new Promise(requestAnimationFrame);
    }
  });
}
