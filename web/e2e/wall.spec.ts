/** All live sessions side by side: what each does, and acting on it there. */
import { askingSession, cards, give, letSettle, runs } from "./asking-page";
import { expect, test } from "./fixtures";
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
  await expect(tile.locator(".sparkline path")).toHaveAttribute("d", /^M0 20/);
  await tile.getByRole("button", { name: "Stop" }).click();
  await expect(tile.locator(".activity")).toHaveText("Idle");
  await expect(tile.locator(".tile-elapsed")).toBeEmpty();
  await tile.getByRole("link").click();
  await expect(page).toHaveURL(new RegExp(`#/s/${sessionId}$`));
});

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
  await page.goto(`${server.origin}/#/wall`);
  const order = () =>
    page.locator(".tile").evaluateAll((all) => all.map((one) => (one as HTMLElement).dataset.sessionId));
  // Who needs someone is first on entering.
  await expect.poll(order).toEqual([asks, calm]);
  await letSettle(page);
  await give(cards(page).getByRole("button", { name: "Allow", exact: true }));
  await expect(page.locator(`.tile[data-session-id="${asks}"] .activity`)).toHaveText("Idle");
  expect(await order()).toEqual([asks, calm]);
});

test("fifty sessions at work cost a page little", { tag: "@desktop" }, async ({ page, server }) => {
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
  await page.goto(`${server.origin}/#/wall`);
  await expect(page.locator(".tile")).toHaveCount(50);
  for (let n = 0; n < 5; n += 1) await say(`line ${n}`);
  await expect(page.locator(".tile-line").last()).toHaveText("line 4");
  // Drawing them all once more, as happens every second.
  const elements = await page.locator(".wall *").count();
  expect(elements).toBeLessThan(50 * 25);
});
