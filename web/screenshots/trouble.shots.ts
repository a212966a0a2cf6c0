/** What is seen when something does not go as it should. */
import { BEGIN, called, did, END, said } from "../e2e/calls";
import { serveNewerVersion } from "../e2e/newer-version";
import { letPass } from "../e2e/silence";
import { demo, go, take } from "./shot";

take({
  "cannot-start": async ({ page, server }) => {
    await page.route("**/api/projects", (route) =>
      route.fulfill({ status: 500, json: { code: "STORE_FAILED", message: "The journal cannot be read." } }),
    );
    await page.goto("about:blank");
    await page.goto(server.origin);
    await page.locator('[data-panel="failure"]').waitFor();
  },
  "login-refused": async ({ page, server }) => {
    await page.context().clearCookies();
    await page.goto("about:blank");
    await page.goto(`${server.origin}/#login=wrong`);
    await page.getByRole("alert").waitFor();
  },
  silence: async (shot) => {
    await shot.page.clock.install();
    const sessionId = await shot.server.createSession("Fix the flaky login test");
    await shot.server.postEvents(
      sessionId,
      "t1",
      BEGIN,
      ...said("m", "I run the whole suite once more."),
      ...called("run", "Bash", { command: "cargo test --workspace" }),
    );
    await shot.page.reload();
    await go(shot, `#/s/${sessionId}`);
    await letPass(shot.page, 85);
    await shot.page.locator(".stall-note").waitFor();
    await shot.page.clock.resume();
  },
  draining: async (shot) => {
    await demo(shot, "slow");
    await shot.page.waitForTimeout(800);
    shot.server.askToStop();
    await shot.page.waitForTimeout(600);
  },
  "waiting-offline": async (shot) => {
    await demo(shot, "help");
    await shot.page.waitForTimeout(1_500);
    await shot.server.kill();
    await shot.page.getByLabel("Message", { exact: true }).fill("And then run the tests, please.");
    await shot.page.getByLabel("Message", { exact: true }).press("Enter");
    await shot.page.locator(".waiting-message").waitFor();
  },
  "new-version": async (shot) => {
    await demo(shot, "help");
    await serveNewerVersion(shot.page, shot.server);
    await shot.page.locator(".version-banner").waitFor();
  },
  "failed-call": async (shot) => {
    const sessionId = await shot.server.createSession("Build the release");
    const output =
      "error[E0425]: cannot find value `tokne` in this scope\n --> src/login.rs:41:17\nexit code 101";
    await shot.server.postEvents(
      sessionId,
      "t1",
      BEGIN,
      ...did("run", "Bash", { command: "cargo build --release" }, output, true),
      { type: "item_start", itemId: "m2", itemType: "message" },
      { type: "item_error", itemId: "m2", error: { code: "OVERLOADED", message: "Too many requests." } },
      { type: "response_error", error: { code: "OVERLOADED", message: "Too many requests at once." } },
    );
    await go(shot, `#/s/${sessionId}`);
    await shot.page.locator('[data-turn-id][data-state="failed"]').waitFor();
  },
  "long-output": async (shot) => {
    const sessionId = await shot.server.createSession("Run the tests");
    const lines = Array.from({ length: 900 }, (_, at) => `test login::case_${at} ... \u001b[32mok\u001b[0m`);
    await shot.server.postEvents(
      sessionId,
      "t1",
      BEGIN,
      ...did("run", "Bash", { command: "cargo test --workspace" }, lines.join("\n")),
      ...said("m", "All 900 tests pass."),
      END,
    );
    await go(shot, `#/s/${sessionId}`);
    await shot.page.locator(".tool-line").first().click();
    await shot.page.getByLabel("Output", { exact: true }).waitFor();
  },
  "agent-away": async (shot) => {
    await demo(shot, "help");
    await shot.page.waitForTimeout(1_500);
    await shot.page.getByRole("button", { name: "End agent" }).click();
    await shot.page.getByRole("dialog").waitFor();
  },
});
