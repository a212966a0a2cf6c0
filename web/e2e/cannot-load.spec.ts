/** What cannot be loaded says so where it would stand, and is loaded when it is tried again. */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "./fixtures";
import { expectLive, listedSession, logIn, showList } from "./transcript-page";

test.use({ refusals: /status of (401|500)/ });

const BROKEN = { status: 500, json: { code: "X", message: "The journal cannot be read." } };

test("agents that cannot be looked for say so, and are looked for again", async ({ page, server }) => {
  await page.route("**/api/agents*", (route) => route.fulfill(BROKEN));
  await logIn(page, server.loginUrl);
  await page.goto(`${server.origin}/#/new`);
  const form = page.getByRole("form", { name: "New session" });
  await expect(form).toContainText("Could not find out which agents there are.");
  await expect(form).not.toContainText("Looking for agents");
  const again = form.getByRole("button", { name: "Look again" });
  await again.click();
  await expect(again, "and once more, if it fails again").toBeEnabled();
  await page.unroute("**/api/agents*");
  await again.click();
  await expect(form.getByRole("radio", { name: /Demo/ })).toBeVisible();
  await expect(form).not.toContainText("Could not find out");
});

test("a project whose sessions cannot be loaded keeps those of the others from nobody", async ({
  page,
  server,
}) => {
  const path = join(server.projectDirectory, "broken");
  await mkdir(path);
  const { id } = await server.call<{ id: string }>("POST", "/api/projects", { path });
  const sessionId = await server.createSession("Whole");
  const lost = `**/api/session/list?*${id}*`;
  await page.route(lost, (route) => route.fulfill(BROKEN));
  await logIn(page, server.loginUrl);
  await showList(page);
  await expect(listedSession(page, sessionId)).toBeVisible();
  const failed = page.locator("nav.sidebar .failed-note");
  await expect(failed).toContainText("Some sessions could not be loaded.");
  await expect(page.locator(".problem")).toContainText("The journal cannot be read.");
  await page.unroute(lost);
  await failed.getByRole("button", { name: "Try again" }).click();
  await expect(failed).toBeHidden();
  await expect(listedSession(page, sessionId)).toBeVisible();
});

for (const place of ["inbox", "wall"] as const) {
  test(`where no session can be loaded, the ${place} and the list say so and try again`, async ({
    page,
    server,
    isMobile,
  }) => {
    const sessionId = await server.createAgentSession("demo");
    await logIn(page, server.loginUrl);
    // The first request only asks whether this browser is known.
    let asked = 0;
    await page.route("**/api/projects", (route) => {
      asked += 1;
      return asked === 1 ? route.continue() : route.fulfill(BROKEN);
    });
    await page.goto("about:blank");
    await page.goto(`${server.origin}/#/${place}`);
    await expectLive(page);
    const main = page.locator(`main.${place}`);
    await expect(main).toContainText("The sessions could not be loaded.");
    await expect(page.locator(".skeleton:visible")).toHaveCount(0);
    if (!isMobile) await expect(page.locator("nav.sidebar .failed-note")).toBeVisible();
    await page.unroute("**/api/projects");
    await main.getByRole("button", { name: "Try again" }).click();
    await expect(page.locator(".failed-note:visible")).toHaveCount(0);
    await expect(listedSession(page, sessionId).first()).toBeAttached();
    await expect(main).toContainText(place === "inbox" ? "Nothing waits for you" : "Idle");
  });
}
