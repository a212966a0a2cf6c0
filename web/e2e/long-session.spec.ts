/** A long session opens at its end, stays light, and can be read from end to end without anything moving. */
import type { Page } from "@playwright/test";
import { expect, test } from "./fixtures";
import { itemName, longSession } from "./long-session";
import { itemById, logIn, openSession, textOf } from "./transcript-page";
import { words } from "./words";

const ITEMS = 100_000;
const MOST_ROWS = 620;

test("100,000 items: opens at its end at once and stays light, however far the reader goes", {
  tag: "@desktop",
}, async ({ page, server }) => {
  test.setTimeout(480_000);
  const sessionId = await longSession(server, ITEMS);
  await logIn(page, server.loginUrl);
  const from = Date.now();
  await openSession(page, sessionId);
  await expect(itemById(page, itemName(ITEMS - 1))).toBeInViewport();
  const opened = Date.now() - from;
  const first = await weight(page);
  expect(first.rows).toBeLessThan(MOST_ROWS);

  for (let step = 0; step < 12; step += 1) {
    await toTop(page);
    const before = await firstSeen(page);
    await expect.poll(() => scrollTop(page)).toBeGreaterThan(1_000);
    expect(Math.abs((await topOf(page, before.id)) - before.top), `${before.id} stayed`).toBeLessThanOrEqual(
      1,
    );
  }
  const up = await weight(page);
  expect(up.rows).toBeLessThan(MOST_ROWS);
  await expect(itemById(page, itemName(ITEMS - 1))).toHaveCount(0);

  for (let step = 0; step < 4; step += 1) {
    await page
      .getByLabel("Transcript", { exact: true })
      .evaluate((box) => box.scrollTo({ top: box.scrollHeight }));
    const before = await firstSeen(page);
    await expect.poll(() => roomBelow(page)).toBeGreaterThan(1_000);
    expect(Math.abs((await topOf(page, before.id)) - before.top)).toBeLessThanOrEqual(1);
  }
  await page.getByRole("button", { name: "Jump to latest" }).click();
  await expect(itemById(page, itemName(ITEMS - 1))).toBeInViewport();
  const back = await weight(page);
  expect(back.rows).toBeLessThan(MOST_ROWS);
  test.info().annotations.push({
    type: "figures",
    description: JSON.stringify({ opened, first, up, back }),
  });
});

test("what is read does not move while much is written below and pages come above", async ({
  page,
  server,
}) => {
  const sessionId = await longSession(server, 1_000);
  await logIn(page, server.loginUrl);
  await openSession(page, sessionId);
  await expect(itemById(page, itemName(999))).toBeInViewport();
  await page.getByLabel("Transcript", { exact: true }).evaluate((box) => box.scrollBy({ top: -2_500 }));
  await expect(page.getByRole("button", { name: "Jump to latest" })).toBeVisible();
  const opened = page.locator(`[data-item-id="${await callOnScreen(page)}"]`);
  await opened.locator("summary").click();
  const before = await firstSeen(page);
  const drift = async () => Math.abs((await topOf(page, before.id)) - before.top);

  const text = words(0, 8_000);
  expect(text.length).toBeGreaterThan(50_000);
  await server.postEvents(
    sessionId,
    "later",
    { type: "response_start", modelId: "model", providerId: "provider" },
    { type: "item_start", itemId: "grows", itemType: "message" },
  );
  for (let at = 0; at < text.length; at += 5_000) {
    const deltaContent = text.slice(at, at + 5_000);
    await server.postEvents(sessionId, "later", { type: "item_delta", itemId: "grows", deltaContent });
    expect(await drift()).toBeLessThanOrEqual(0.5);
  }
  await expect(page.getByRole("button", { name: "Jump to latest (1 new)" })).toBeVisible();
  await expect(textOf(itemById(page, "grows"))).toContainText("word7999");
  expect(await drift()).toBeLessThanOrEqual(0.5);

  await page.getByLabel("Transcript", { exact: true }).evaluate((box) => box.scrollTo({ top: 1_200 }));
  const near = await firstSeen(page);
  await expect.poll(() => scrollTop(page)).toBeGreaterThan(1_300);
  expect(Math.abs((await topOf(page, near.id)) - near.top)).toBeLessThanOrEqual(1);
  await expect(opened.locator("details"), "what was opened stays open").toHaveAttribute("open", "");
});

async function callOnScreen(page: Page): Promise<string> {
  return page.getByLabel("Transcript", { exact: true }).evaluate((box) => {
    const edge = box.getBoundingClientRect();
    const calls = [...box.querySelectorAll<HTMLElement>('[data-type="tool_call"]')];
    const seen = calls.find((row) => {
      const { top, bottom } = row.getBoundingClientRect();
      return top > edge.top + 100 && bottom < edge.bottom - 100;
    });
    return seen?.dataset.itemId ?? "";
  });
}

async function toTop(page: Page): Promise<void> {
  await page.getByLabel("Transcript", { exact: true }).evaluate((box) => box.scrollTo({ top: 0 }));
}

async function scrollTop(page: Page): Promise<number> {
  return page.getByLabel("Transcript", { exact: true }).evaluate((box) => box.scrollTop);
}

async function roomBelow(page: Page): Promise<number> {
  return page
    .getByLabel("Transcript", { exact: true })
    .evaluate((box) => box.scrollHeight - box.clientHeight - box.scrollTop);
}

/** The first item that begins on the screen. */
async function firstSeen(page: Page): Promise<{ id: string; top: number }> {
  return page.getByLabel("Transcript", { exact: true }).evaluate((box) => {
    const edge = box.getBoundingClientRect().top;
    const rows = [...box.querySelectorAll<HTMLElement>("[data-item-id]")];
    const seen = rows.find((row) => row.getBoundingClientRect().top >= edge);
    return { id: seen?.dataset.itemId ?? "", top: (seen?.getBoundingClientRect().top ?? 0) - edge };
  });
}

async function topOf(page: Page, itemId: string): Promise<number> {
  return page.getByLabel("Transcript", { exact: true }).evaluate((box, id) => {
    const row = box.querySelector(`[data-item-id="${id}"]`);
    return (row?.getBoundingClientRect().top ?? Number.NaN) - box.getBoundingClientRect().top;
  }, itemId);
}

async function weight(page: Page): Promise<{ rows: number; nodes: number; heapMB: number }> {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send("HeapProfiler.collectGarbage");
  const { usedSize } = await devtools.send("Runtime.getHeapUsage");
  await devtools.detach();
  const [rows, nodes] = await page.evaluate(() => [
    document.querySelectorAll(".rows > *").length,
    document.querySelectorAll("*").length,
  ]);
  return { rows: rows ?? 0, nodes: nodes ?? 0, heapMB: Math.round(usedSize / 1e5) / 10 };
}
