/** What is seen every day. */
import { longSession } from "../e2e/long-session";
import { demo, go, take } from "./shot";
import { ANSWER, work } from "./work";

take({
  "new-session": async () => {},
  "session-empty": async (shot) => void (await demo(shot, "")),
  "session-work": async (shot) => {
    const sessionId = await shot.server.createSession("Fix the flaky login test");
    await shot.server.postEvents(sessionId, "t1", ...work());
    await go(shot, `#/s/${sessionId}`);
    await shot.page.getByText(ANSWER).first().waitFor();
  },
  "session-long": async (shot) => {
    await go(shot, `#/s/${await longSession(shot.server, 400)}`);
    await shot.page.getByLabel("Transcript", { exact: true }).evaluate((box) => box.scrollBy(0, -2_000));
  },
  streaming: async (shot) => {
    await demo(shot, "slow");
    await shot.page.waitForTimeout(2_500);
  },
  plan: async (shot) => {
    await demo(shot, "plan");
    await shot.page.locator(".plan-step").nth(2).waitFor();
  },
  permission: async (shot) => {
    await demo(shot, 'edit README.md: replace "the demo agent" with "everyone"');
    await shot.page.locator(".permission").first().waitFor();
  },
  queue: async (shot) => {
    const sessionId = await demo(shot, "slow");
    for (const text of ["then list files", "and read README.md"]) await shot.server.send(sessionId, text);
    await shot.page.waitForTimeout(800);
  },
  failed: async (shot) => {
    await demo(shot, "fail");
    await shot.page.locator('[data-turn-id][data-state="failed"]').waitFor();
  },
  dead: async (shot) => {
    await demo(shot, "crash");
    await shot.page.waitForTimeout(2_000);
  },
  offline: async (shot) => {
    await demo(shot, "help");
    await shot.page.waitForTimeout(1_500);
    await shot.page.context().setOffline(true);
    await shot.server.kill();
    await shot.page.waitForTimeout(2_500);
  },
  "inbox-empty": async (shot) => go(shot, "#/inbox"),
  inbox: async (shot) => {
    await demo(shot, 'edit README.md: replace "the demo agent" with "everyone"');
    await demo(shot, "write NOTES.md: Some notes");
    await shot.page.locator(".permission").first().waitFor();
    await go(shot, "#/inbox");
    await shot.page.locator(".permission").first().waitFor();
  },
  "wall-empty": async (shot) => go(shot, "#/wall"),
  wall: async (shot) => {
    for (const prompt of ["slow", "plan", "edit a file", "help", "fail"]) await demo(shot, prompt);
    await go(shot, "#/wall");
    await shot.page.waitForTimeout(2_500);
  },
  palette: async (shot) => {
    await demo(shot, "help");
    await shot.page.keyboard.press("Control+k");
    await shot.page.getByRole("dialog").waitFor();
  },
  shortcuts: async (shot) => {
    await demo(shot, "");
    await shot.page.getByLabel("Transcript", { exact: true }).locator("visible=true").focus();
    await shot.page.keyboard.press("?");
    await shot.page.getByRole("dialog").waitFor();
  },
  settings: async (shot) => {
    await demo(shot, "");
    await shot.page.keyboard.press("Control+,");
    await shot.page.getByRole("dialog").waitFor();
  },
  "no-such-session": async (shot) => go(shot, "#/s/nothing"),
  "not-logged-in": async (shot) => {
    await shot.page.context().clearCookies();
    await shot.page.evaluate(() => localStorage.clear());
    await shot.page.reload();
    await shot.page.waitForTimeout(800);
  },
});
