/** All live sessions side by side: what each does, and acting on it there. */
import type { Page, WebSocketRoute } from "@playwright/test";
import type { SessionId, SessionStatus } from "../src/contract";
import { BOX } from "../src/wall/sparkline";
import { askingSession, cards, give, letSettle, runs, waiting } from "./asking-page";
import { BEGIN, called, gave, said } from "./calls";
import { expect, test } from "./fixtures";
import { heard, told } from "./frames";
import { ASKING_AGENT } from "./server";
import { expectLive, logIn } from "./transcript-page";

test.use({ settings: ASKING_AGENT });

test("a tile tells what its session does, and can stop and open it", async ({ page, server, isMobile }) => {
  await logIn(page, server.loginUrl);
  const sessionId = await server.createAgentSession("demo");
  await server.send(sessionId, "hang");
  if (isMobile) await page.goto(`${server.origin}/#/wall`);
  else await page.keyboard.press("Alt+v");
  await expect(page).toHaveURL(/#\/wall$/);
  const tile = page.locator(`.tile[data-session-id="${sessionId}"]`);
  await expect(tile.locator(".activity")).toHaveText("Working");
  await expect(tile.locator(".tile-elapsed")).toHaveText(/^0:\d\d$/);
  await expect(tile.locator(".tile-line")).not.toHaveText("Nothing said yet");
  await tile.getByRole("button", { name: "Stop" }).click();
  await expect(tile.locator(".activity")).toHaveText("Idle");
  await expect(tile.locator(".tile-elapsed")).toBeEmpty();
  await tile.getByRole("link").click();
  await expect(page).toHaveURL(new RegExp(`#/s/${sessionId}$`));
});

test("a tile tells the tool that runs, what the last turn cost, and how much happens", async ({
  page,
  server,
}) => {
  await logIn(page, server.loginUrl);
  const sessionId = await server.createSession("Fed from outside");
  await page.goto(`${server.origin}/#/wall`);
  const usage = { inputTokens: 1_200, outputTokens: 300, costUsd: 0.25 };
  await server.postEvents(sessionId, "t1", BEGIN, ...said("m", "Let me see."), {
    type: "response_done",
    status: "completed",
    usage,
  });
  await server.postEvents(sessionId, "t2", BEGIN, ...called("c", "Bash", { command: "make test" }));
  const tile = page.locator(`.tile[data-session-id="${sessionId}"]`);
  await expect(tile.locator(".tile-line")).toHaveAttribute("data-kind", "tool");
  await expect(tile.locator(".tile-line")).toContainText("Bash");
  await expect(tile.locator(".tile-usage")).toHaveText("$0.25 · 1.5k tokens");
  const drawn = () => tile.locator(".sparkline path").getAttribute("d");
  await expect.poll(highest(drawn), "what happened lately").toBeGreaterThan(0);
  await server.postEvents(sessionId, "t2", ...gave("c", "ok"), ...said("n", "All green."));
  await expect(tile.locator(".tile-line")).toHaveText("All green.");
  await expect(tile.locator(".tile-line")).toHaveAttribute("data-kind", "line");
});

/** How far a sparkline rises above its ground. */
function highest(drawn: () => Promise<string | null>): () => Promise<number> {
  return async () => {
    const heights = [...((await drawn()) ?? "").matchAll(/L[\d.]+ ([\d.]+)/g)].map(([, y]) => Number(y));
    return BOX.height - 1 - Math.min(...heights);
  };
}

test("what a session did last is there for a page that comes later", async ({ page, server }) => {
  await logIn(page, server.loginUrl);
  const sessionId = await server.createSession("Fed from outside");
  await server.postEvents(
    sessionId,
    "t",
    { type: "response_start", modelId: "m", providerId: "p" },
    { type: "item_start", itemId: "i", itemType: "message" },
    { type: "item_delta", itemId: "i", deltaContent: "First line\nThe last \u202eline" },
  );
  await page.goto(`${server.origin}/#/wall`);
  const tile = page.locator(`.tile[data-session-id="${sessionId}"]`);
  await expect(tile.locator(".tile-line")).toHaveText("The last \\u202eline");
  await page.reload();
  await expectLive(page);
  await expect(tile.locator(".tile-line")).toHaveText("The last \\u202eline");
});

test("a session that loses its agent stays on the wall, and goes on from there", async ({ page, server }) => {
  await logIn(page, server.loginUrl);
  const sessionId = await server.createAgentSession("demo");
  await server.send(sessionId, "hang");
  await page.goto(`${server.origin}/#/wall`);
  const tile = page.locator(`.tile[data-session-id="${sessionId}"]`);
  await expect(tile.locator(".activity")).toHaveText("Working");
  await expect(tile.getByRole("button", { name: "Resume" })).toBeHidden();
  await server.call("POST", `/api/session/${sessionId}/kill`);
  await expect(tile.locator(".activity")).toHaveText("Ended");
  await tile.getByRole("button", { name: "Resume" }).click();
  await expect(tile.locator(".activity")).toHaveText("Idle");
  await expect(tile.getByRole("button", { name: "Resume" })).toBeHidden();
});

test("a request is answered on the wall, and no tile moves for it", async ({ page, server }) => {
  await logIn(page, server.loginUrl);
  const [calm, asks] = [await server.createAgentSession("demo"), await askingSession(server, runs("make"))];
  // The page has heard of it.
  await expect(page).toHaveTitle(/^\(1\) /);
  await page.goto(`${server.origin}/#/wall`);
  const order = () =>
    page.locator(".tile").evaluateAll((all) => all.map((one) => (one as HTMLElement).dataset.sessionId));
  // Who needs someone is first on entering.
  await expect.poll(order).toEqual([asks, calm]);
  await letSettle(page);
  const before = await placesOfTiles(page);
  await give(cards(page).getByRole("button", { name: "Allow", exact: true }));
  await expect(page.locator(`.tile[data-session-id="${asks}"] .activity`)).toHaveText("Idle");
  expect(await order()).toEqual([asks, calm]);
  expect(await placesOfTiles(page)).toEqual(before);
});

function placesOfTiles(page: Page): Promise<number[][]> {
  return page.locator(".tile").evaluateAll((all) =>
    all.map((one) => {
      const { x, y, width, height } = one.getBoundingClientRect();
      return [x, y, width, height].map(Math.round);
    }),
  );
}

test("stopping from the wall stops the turn that was seen, not one that has begun since", async ({
  page,
  server,
}) => {
  await logIn(page, server.loginUrl);
  const sessionId = await server.createAgentSession("demo");
  for (let n = 0; n < 2; n += 1) await server.send(sessionId, "hang");
  const path = `/api/session/${sessionId}`;
  const { turnId } = await server.call<SessionStatus>("GET", `${path}/status`);
  await page.goto(`${server.origin}/#/wall`);
  const tile = page.locator(`.tile[data-session-id="${sessionId}"]`);
  let arrive = () => {};
  const isLate = new Promise<void>((resolve) => {
    arrive = resolve;
  });
  await page.route("**/cancel", async (route) => {
    await isLate;
    await route.continue();
  });
  const asked = page.waitForRequest("**/cancel");
  await tile.getByRole("button", { name: "Stop" }).click();
  expect((await asked).postDataJSON()).toEqual({ turnId });
  await server.call("POST", `${path}/cancel`, { turnId });
  const next = async () => (await server.call<SessionStatus>("GET", `${path}/status`)).turnId;
  await expect.poll(next).not.toBe(turnId);
  const second = await next();
  const answered = page.waitForResponse("**/cancel");
  arrive();
  await answered;
  expect(await server.call("GET", `${path}/status`)).toMatchObject({ activity: "running", turnId: second });
});

test("without a connection nothing on the wall can be stopped, and it shows", async ({ page, server }) => {
  const gate = { isOpen: true };
  const sockets: WebSocketRoute[] = [];
  await page.routeWebSocket(/\/ws$/, (socket) => {
    if (!gate.isOpen) return void socket.close();
    socket.connectToServer();
    sockets.push(socket);
  });
  await logIn(page, server.loginUrl);
  const sessionId = await server.createAgentSession("demo");
  await server.send(sessionId, "hang");
  await page.goto(`${server.origin}/#/wall`);
  const stop = page.locator(`.tile[data-session-id="${sessionId}"]`).getByRole("button", { name: "Stop" });
  await expect(stop).toBeEnabled();
  gate.isOpen = false;
  for (const socket of sockets) await socket.close();
  await expect(stop).toBeDisabled();
  await expect(stop).toBeVisible();
  gate.isOpen = true;
  await expect(stop).toBeEnabled();
});

test("no tile moves while one is pointed at, whatever others ask for, and what they ask comes up afterwards", {
  tag: "@desktop",
}, async ({ page, server }) => {
  await logIn(page, server.loginUrl);
  const ids: SessionId[] = [];
  for (let n = 0; n < 8; n += 1) ids.push(await server.createAgentSession("asking"));
  const [first, second, , pointed] = ids.map((id) => page.locator(`.tile[data-session-id="${id}"]`));
  if (!first || !second || !pointed) throw new Error("there are eight");
  await page.goto(`${server.origin}/#/wall`);
  await expect(page.locator(".tile")).toHaveCount(8);
  for (const id of [ids[1], ids[3]]) if (id) await server.send(id, JSON.stringify(runs("make")));
  await expect(cards(page)).toHaveCount(2);
  await letSettle(page);
  const answer = pointed.getByRole("button", { name: "Reject", exact: true });
  await answer.hover();
  const before = [await placesOfTiles(page), await answer.boundingBox()];

  // One before it begins to ask, another one is answered elsewhere, and one comes that was not there.
  await server.send(ids[0] as SessionId, JSON.stringify(runs("make all")));
  await expect(first.locator(".activity")).toHaveText("Needs your answer");
  await expect(first.locator(".tile-line")).toHaveText("Needs your answer: Run a command: make all");
  const theirs = (await waiting(server)).find(({ sessionId }) => sessionId === ids[1]);
  await server.call("POST", `/api/session/${ids[1]}/permission/${theirs?.permissionId}`, { optionId: "yes" });
  await expect(second.locator(".activity")).toHaveText("Idle");
  await server.createAgentSession("asking");
  await letSettle(page);
  expect([await placesOfTiles(page), await answer.boundingBox()]).toEqual(before);

  await page.mouse.move(1, 1);
  await expect(first.locator(".permission")).toBeVisible();
  await expect(page.locator(".tile")).toHaveCount(9);
});

test("fifty sessions at work cost a page little: it is told summaries and nothing else", {
  tag: "@desktop",
}, async ({ page, server }) => {
  test.setTimeout(180_000);
  await logIn(page, server.loginUrl);
  const ids = await Promise.all(Array.from({ length: 50 }, (_, n) => server.createSession(`Session ${n}`)));
  const say = (text: string) =>
    Promise.all(
      ids.map((id) =>
        server.postEvents(id, "t", { type: "item_delta", itemId: "i", deltaContent: `${text}\n` }),
      ),
    );
  await Promise.all(
    ids.map((id) =>
      server.postEvents(
        id,
        "t",
        { type: "response_start", modelId: "m", providerId: "p" },
        { type: "item_start", itemId: "i", itemType: "message" },
      ),
    ),
  );
  await page.goto("about:blank");
  const [hears, says] = [heard(page), told(page)];
  await page.goto(`${server.origin}/#/wall`);
  await expect(page.locator(".tile")).toHaveCount(50);
  await page.locator(".wall").evaluate((wall) => {
    const made = { count: 0 };
    Object.assign(window, { made });
    const count = (changes: MutationRecord[]) => {
      for (const { addedNodes } of changes)
        made.count += [...addedNodes].filter((node) => node instanceof Element).length;
    };
    new MutationObserver(count).observe(wall, { subtree: true, childList: true });
  });
  for (let n = 0; n < 5; n += 1) await say(`line ${n}`);
  await expect(page.locator(".tile-line").last()).toHaveText("line 4");
  const types = new Set(hears.map(({ type }) => type));
  expect(types).toContain("session:glance");
  expect([...types].filter((type) => /^session:(upsert|delta|history|turn)$/.test(type))).toEqual([]);
  expect(says.filter(({ type }) => type === "session:open")).toEqual([]);
  expect(await page.locator(".wall *").count()).toBeLessThan(50 * 25);
  const made = await page.evaluate(() => (window as unknown as { made: { count: number } }).made.count);
  expect(made, "what is there changes in place").toBe(0);
});
