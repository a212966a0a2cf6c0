/** What tells that something runs turns, and costs little. */
import { expect, test } from "./fixtures";
import { expectLive, logIn, openSession } from "./transcript-page";

/** Of everything that turns in sight: whether the browser moves it by itself, and how far it is. */
function turning() {
  const isInSight = ({ effect }: Animation) =>
    (effect as KeyframeEffect).target?.checkVisibility({ contentVisibilityAuto: true });
  const found = document
    .getAnimations()
    .filter((one) => "animationName" in one && one.animationName === "turning" && isInSight(one));
  return found.map(({ playState, currentTime }) => ({ playState, at: Number(currentTime) }));
}

test("what runs turns some times a second, not with every frame, and begins again after a rest", async ({
  page,
  server,
}) => {
  const sessionId = await server.createSession("Runs");
  const start = { type: "response_start", modelId: "m", providerId: "p" } as const;
  await logIn(page, server.loginUrl);
  await openSession(page, sessionId);
  await expectLive(page);
  for (const turnId of ["t1", "t2"]) {
    await server.postEvents(sessionId, turnId, start);
    await expect.poll(async () => (await page.evaluate(turning)).length).toBeGreaterThan(0);
    const first = await page.evaluate(turning);
    expect(first.map(({ playState }) => playState)).not.toContain("running");
    await expect.poll(async () => (await page.evaluate(turning))[0]?.at).not.toBe(first[0]?.at);
    await server.postEvents(sessionId, turnId, { type: "response_done", status: "completed" });
    await expect.poll(() => page.evaluate(turning)).toEqual([]);
    // Long enough for it to come to rest.
    await page.waitForTimeout(500);
  }
});

test("nothing turns for those who want no motion", async ({ page, server }) => {
  await page.emulateMedia({ reducedMotion: "reduce" });
  const sessionId = await server.createSession("Runs");
  await server.postEvents(sessionId, "t1", { type: "response_start", modelId: "m", providerId: "p" });
  await logIn(page, server.loginUrl);
  await openSession(page, sessionId);
  await expectLive(page);
  await expect(page.locator('[data-activity="running"]').first()).toBeAttached();
  expect(await page.evaluate(turning)).toEqual([]);
});
