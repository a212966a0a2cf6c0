/** While an agent writes, every single frame is whole: rows in order, none over another, nothing blank, nothing that jumps. */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Page } from "@playwright/test";
import type { EventPayload } from "../src/contract";
import { BEGIN, called, END, gave, said } from "./calls";
import { expect, test } from "./fixtures";
import { type SeenFrame, seenFrames, watchFrames } from "./frame-watch";
import { serveNewerVersion } from "./newer-version";
import type { Server } from "./server";
import { expectLive, itemById, logIn, openSession } from "./transcript-page";
import { words } from "./words";

test.use({ refusals: /status of (401|500)|ERR_|WebSocket/ });

const TURN = "t1";
const ROUNDS = 12;

/** A round of work: it thinks, calls, gets an answer, and writes in pieces, with a table and code that grow. */
function round(at: number): EventPayload[][] {
  const [thinks, writes, call] = [`k${at}`, `m${at}`, `c${at}`];
  const pieces = [
    ...Array.from({ length: 6 }, (_, piece) => words(piece * 12, piece * 12 + 12)),
    "\n\n| a | b |\n|---|---|\n| 1 ",
    "| 2 |\n| 3 | 4 |\n\n```rust\nfn main() {\n",
    "    println!();\n}\n```\n\n- one\n",
    "- two\n- **three**\n",
  ];
  const content = pieces.join("");
  return [
    [{ type: "item_start", itemId: thinks, itemType: "reasoning" }],
    ...[0, 1, 2].map((n): EventPayload[] => [
      { type: "item_delta", itemId: thinks, deltaContent: words(n, n + 9) },
    ]),
    [
      {
        type: "item_done",
        itemId: thinks,
        finalItem: { type: "reasoning", content: words(0, 11), providerId: "p" },
      },
      ...called(call, at % 3 === 0 ? "Bash" : "Read", { command: "make", file_path: `f${at}` }),
    ],
    gave(call, "built\n".repeat(at + 1), at % 4 === 3),
    [{ type: "item_start", itemId: writes, itemType: "message" }],
    ...pieces.map((deltaContent): EventPayload[] => [{ type: "item_delta", itemId: writes, deltaContent }]),
    [{ type: "item_done", itemId: writes, finalItem: { type: "message", content, origin: "agent" } }],
  ];
}

async function stream(server: Server, sessionId: string): Promise<void> {
  for (let at = 0; at < ROUNDS; at += 1)
    for (const events of round(at)) await server.postEvents(sessionId, TURN, ...events);
  await server.postEvents(sessionId, TURN, ...said("end", "The end."), END);
}

async function opened(page: Page, server: Server): Promise<string> {
  const sessionId = await server.createSession("Frames");
  const before = Array.from({ length: 30 }, (_, at) =>
    said(`p${at}`, `Earlier ${at}. ${words(0, 40)}`),
  ).flat();
  await server.postEvents(sessionId, "t0", BEGIN, ...before, END);
  await logIn(page, server.loginUrl);
  await openSession(page, sessionId);
  await expect(itemById(page, "p29")).toBeInViewport();
  return sessionId;
}

test("a reader at the end sees whole frames only, and the end in each of them", async ({ page, server }) => {
  const sessionId = await opened(page, server);
  await watchFrames(page);
  await server.postEvents(sessionId, TURN, BEGIN);
  await stream(server, sessionId);
  await expect(itemById(page, "end")).toBeInViewport();
  const frames = await seenFrames(page);
  expectWhole(frames);
  const off = frames.filter(({ toEnd }) => toEnd > 2);
  expect(off.length, "the end is followed in the frame in which it moves").toBe(0);
});

test("for a reader further up no frame moves anything", async ({ page, server }) => {
  const sessionId = await opened(page, server);
  await page.getByLabel("Transcript", { exact: true }).evaluate((box) => box.scrollBy(0, -900));
  await expect(page.getByRole("button", { name: /Jump to latest/ })).toBeVisible();
  await watchFrames(page);
  await server.postEvents(sessionId, TURN, BEGIN);
  await stream(server, sessionId);
  await expect(page.getByRole("button", { name: /Jump to latest \(\d+ new\)/ })).toBeVisible();
  await expect(itemById(page, "end")).toBeAttached();
  const frames = await seenFrames(page);
  expectWhole(frames);
  const places = new Set(frames.map(({ rows }) => JSON.stringify(rows)));
  expect(places.size, "all rows stayed where they were, to the pixel").toBe(1);
});

for (const [where, up] of [
  ["further up", -900],
  ["at the very top", -100_000],
  ["at the end", 0],
] as const) {
  test(`whatever is told above the transcript, a reader ${where} sees no row move`, async ({
    page,
    server,
  }) => {
    await opened(page, server);
    await page.getByLabel("Transcript", { exact: true }).evaluate((box, by) => box.scrollBy(0, by), up);
    const isUp = page.getByRole("button", { name: /Jump to latest/ });
    await expect(isUp).toBeVisible({ visible: up !== 0 });
    if (where === "at the very top") await expect(itemById(page, "p0")).toBeInViewport();
    await watchFrames(page);
    await tellAllNotes(page, server);
    const frames = await seenFrames(page);
    const places = new Set(frames.map(({ rows }) => JSON.stringify(rows)));
    expect(places.size, "all rows stayed where they were, to the pixel").toBe(1);
  });
}

test("a short session stays where it is, and its first line can be reached under a note", async ({
  page,
  server,
}) => {
  const sessionId = await server.createSession("Short");
  await server.postEvents(sessionId, "t0", BEGIN, ...said("m0", "Only this."), END);
  await logIn(page, server.loginUrl);
  await openSession(page, sessionId);
  await expect(itemById(page, "m0")).toBeInViewport();
  await watchFrames(page);
  await server.kill();
  const banner = page.locator(".connection-banner");
  await expect(banner).toBeVisible();
  await page.getByLabel("Transcript", { exact: true }).evaluate((box) => box.scrollTo(0, 0));
  const under = async () => {
    const [note, row] = [await banner.boundingBox(), await itemById(page, "m0").boundingBox()];
    return (row?.y ?? 0) - ((note?.y ?? 0) + (note?.height ?? 0));
  };
  await expect.poll(under).toBeGreaterThan(0);
  const moved = (await seenFrames(page)).length;
  await server.restart();
  await expectLive(page);
  await expect(banner).toBeHidden();
  const places = (await seenFrames(page)).slice(moved).map(({ rows }) => JSON.stringify(rows));
  expect(new Set(places).size, "the room that is looked at stays until the reader goes on").toBe(1);
});

/** The connection is lost and comes back with a newer page, and something goes wrong and is put away. */
async function tellAllNotes(page: Page, server: Server): Promise<void> {
  await serveNewerVersion(page, server, async () => {
    await expect(page.locator(".connection-banner")).toBeVisible();
  });
  await expectLive(page);
  await expect(page.locator(".connection-banner")).toBeHidden();
  await expect(page.locator(".version-banner")).toBeVisible();
  await page.route("**/api/projects", (route) =>
    route.fulfill({ status: 500, json: { code: "X", message: "The list is broken." } }),
  );
  const path = join(server.projectDirectory, "another");
  await mkdir(path);
  await server.call("POST", "/api/projects", { path });
  await expect(page.locator(".problem")).toBeVisible();
  await page.getByRole("button", { name: "Dismiss" }).click();
  await expect(page.locator(".problem")).toBeHidden();
}

/** No frame is blank or torn, in none are rows out of order or over each other, and no row is made anew. */
function expectWhole(frames: SeenFrame[]): void {
  expect(frames.length).toBeGreaterThan(20);
  const order: string[] = [];
  for (const { rows, top, bottom, remade } of frames) {
    expect(remade).toEqual([]);
    expect(rows.length, "something is seen").toBeGreaterThan(0);
    expect(rows[0]?.top, "from the top on").toBeLessThan(top + GAP);
    expect(rows.at(-1)?.bottom, "to the bottom").toBeGreaterThan(bottom - END_SPACE);
    for (const [at, row] of rows.entries()) {
      const next = rows[at + 1];
      if (!next) continue;
      expect(next.top, `${next.id} stands below ${row.id}`).toBeGreaterThanOrEqual(row.bottom - 0.5);
      expect(next.top - row.bottom, `nothing is missing between ${row.id} and ${next.id}`).toBeLessThan(GAP);
    }
    // The line of a turn that runs stands below all that comes.
    const items = rows.map(({ id }) => id).filter((id) => id !== `turn ${TURN}`);
    if (items.length < rows.length) expect(rows.at(-1)?.id).toBe(`turn ${TURN}`);
    const known = items.map((id) => order.indexOf(id)).filter((at) => at >= 0);
    expect(known, "the order of rows never changes").toEqual(known.toSorted((one, two) => one - two));
    for (const id of items) if (!order.includes(id)) order.push(id);
  }
}

/** More than the distance of two rows. */
const GAP = 40;
/** What is left free below the last row. */
const END_SPACE = 80;
