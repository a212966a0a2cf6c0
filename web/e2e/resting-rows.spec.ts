/** Rows that are out of sight rest: they cost nothing, keep their height, and are drawn with the frame in which they come into sight. */
import type { Page } from "@playwright/test";
import { mixedMarkdown } from "../bench/mixed-markdown";
import { BEGIN, END, said } from "./calls";
import { expect, test } from "./fixtures";
import { itemName, longSession } from "./long-session";
import type { Server } from "./server";
import { expectLive, itemById, logIn, openSession } from "./transcript-page";

const ITEMS = 300;

async function opened(page: Page, server: Server): Promise<string> {
  const sessionId = await longSession(server, ITEMS);
  await server.postEvents(sessionId, "long", BEGIN, ...said("long", mixedMarkdown(60_000)), END);
  await logIn(page, server.loginUrl);
  await openSession(page, sessionId);
  await expect(itemById(page, "long")).toBeInViewport();
  await expect.poll(() => restingShare(page)).toBeGreaterThan(0.9);
  return sessionId;
}

/** How much of the rows is left out by the browser. */
async function restingShare(page: Page): Promise<number> {
  return page.evaluate(() => {
    const rows = [...document.querySelectorAll(".rows > *")];
    const isLeftOut = (row: Element) =>
      row.firstElementChild?.checkVisibility({ contentVisibilityAuto: true }) === false;
    return rows.length < 200 ? 0 : rows.filter(isLeftOut).length / rows.length;
  });
}

/** How high everything is: as it stands, and with nothing left out. */
async function heights(page: Page): Promise<{ resting: number; laidOut: number }> {
  return page.evaluate(async () => {
    const [box, rows] = [document.querySelector(".transcript"), document.querySelector<HTMLElement>(".rows")];
    if (!box || !rows) throw new Error("there is no transcript");
    const resting = box.scrollHeight;
    rows.dataset.rest = "none";
    const laidOut = box.scrollHeight;
    delete rows.dataset.rest;
    return { resting, laidOut };
  });
}

test("what rests is as high as if it did not, in another width too", async ({ page, server }) => {
  await opened(page, server);
  const before = await heights(page);
  expect(before.resting).toBe(before.laidOut);
  const { width, height } = page.viewportSize() ?? { width: 0, height: 0 };
  await page.setViewportSize({ width: Math.round(width * 0.7), height });
  await expect.poll(async () => (await heights(page)).laidOut).not.toBe(before.laidOut);
  await expect.poll(() => restingShare(page)).toBeGreaterThan(0.9);
  const after = await heights(page);
  expect(after.resting).toBe(after.laidOut);
});

/** Looks at every frame for rows and parts of long messages that are in sight and not drawn. */
async function watchBlank(page: Page): Promise<void> {
  await page.evaluate(() => {
    const seen = { frames: 0, tops: new Set<number>(), blank: [] as string[] };
    Object.assign(window, { seenBlank: seen });
    // Whether what begins to rest is in sight is found out with the next frame, before that is drawn.
    const fresh = new Set<Node>();
    new MutationObserver((changes) => {
      for (const { target } of changes) fresh.add(target);
    }).observe(document.body, { subtree: true, attributeFilter: ["data-rests"] });
    const look = () => {
      const box = document.querySelector('.transcript-frame[data-kept="false"] .transcript');
      const edge = box?.getBoundingClientRect();
      for (const one of box?.querySelectorAll<HTMLElement>("[data-rests]") ?? []) {
        const { top, bottom } = one.getBoundingClientRect();
        const isInSight = edge && bottom > edge.top && top < edge.bottom && bottom > top;
        const first = one.firstElementChild;
        // What is in something that is left out is not looked for: it is told by the outer one.
        if (fresh.has(one) || !isInSight || !first || !one.checkVisibility({ contentVisibilityAuto: true }))
          continue;
        if (!first.checkVisibility({ contentVisibilityAuto: true }))
          seen.blank.push(`${one.className} ${one.dataset.itemId ?? ""} at ${top}`);
      }
      if (box) seen.tops.add(box.scrollTop);
      seen.frames += 1;
    };
    // A message that is posted before a frame is drawn arrives right after it: what is found then is what was drawn.
    const { port1, port2 } = new MessageChannel();
    port2.onmessage = look;
    const next = () => {
      fresh.clear();
      port1.postMessage("drawn");
      requestAnimationFrame(next);
    };
    requestAnimationFrame(next);
  });
}

async function seenBlank(page: Page): Promise<{ frames: number; places: number; blank: string[] }> {
  return page.evaluate(() => {
    const seen = (window as unknown as { seenBlank: { frames: number; tops: Set<number>; blank: string[] } })
      .seenBlank;
    return { frames: seen.frames, places: seen.tops.size, blank: seen.blank };
  });
}

test("a jump shows what is there with its first frame @desktop", async ({ page, server }) => {
  await opened(page, server);
  await watchBlank(page);
  await page.keyboard.press("Alt+Home");
  await expect(itemById(page, itemName(0))).toBeInViewport();
  await page.keyboard.press("Alt+End");
  await expect(itemById(page, "long")).toBeInViewport();
  // Into the middle of the long message, and by the browser's own scrolling.
  await page.locator(".transcript").hover();
  for (const way of [-20_000, -40_000, 55_000, -9_000]) {
    const before = await seenBlank(page);
    await page.mouse.wheel(0, way);
    await expect.poll(async () => (await seenBlank(page)).places).toBeGreaterThan(before.places);
  }
  const seen = await seenBlank(page);
  expect(seen.places).toBeGreaterThan(5);
  expect(seen.blank).toEqual([]);
});

test("a session that was left is there with the first frame when one comes back", async ({
  page,
  server,
}) => {
  const sessionId = await opened(page, server);
  const other = await server.createSession("Other");
  await openSession(page, other);
  await expectLive(page);
  await page.waitForTimeout(300);
  await watchBlank(page);
  await page.evaluate((hash) => {
    location.hash = hash;
  }, `#/s/${sessionId}`);
  await expect(itemById(page, "long")).toBeInViewport();
  await page.waitForTimeout(300);
  expect((await seenBlank(page)).blank).toEqual([]);
});
