/** What goes wrong is told where the person is, on every screen. */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "./fixtures";
import { serveNewerVersion } from "./newer-version";
import { expectLive, logIn } from "./transcript-page";

test.use({ refusals: /status of (401|404|409|500)|ERR_|WebSocket/ });

for (const [name, hash] of [
  ["wall", "#/wall"],
  ["inbox", "#/inbox"],
  ["session", ""],
] as const) {
  test(`a failure is seen on the ${name}, and can be dismissed there`, async ({ page, server }) => {
    await logIn(page, server.loginUrl);
    const sessionId = await server.createAgentSession("demo");
    await page.goto(`${server.origin}/${hash === "" ? `#/s/${sessionId}` : hash}`);
    await expectLive(page);
    // A project comes, and its sessions cannot be had.
    await page.route("**/api/projects", (route) =>
      route.fulfill({ status: 500, json: { code: "X", message: "The list is \u202ebroken." } }),
    );
    const path = join(server.projectDirectory, "another");
    await mkdir(path);
    await server.call("POST", "/api/projects", { path });
    await expect(page.locator(".problem")).toBeVisible();
    await expect(page.locator(".problem")).toContainText("The list is \\u202ebroken.");
    await page.getByRole("button", { name: "Dismiss" }).click();
    await expect(page.locator(".problem")).toBeHidden();
  });
}

test("a new version is spoken of on the wall", async ({ page, server }) => {
  await logIn(page, server.loginUrl);
  await page.goto(`${server.origin}/#/wall`);
  await expectLive(page);
  await serveNewerVersion(page, server);
  await expect(page.locator(".version-banner")).toBeVisible();
  await page.goto(`${server.origin}/#/inbox`);
  await expect(page.locator(".version-banner")).toBeVisible();
});
