/** Everything that waits for a person, in one place: found, read and answered there. */
import { askingSession, cards, give, letSettle, runs, THREE_OPTIONS, waiting } from "./asking-page";
import { expect, test } from "./fixtures";
import { ASKING_AGENT, type Server } from "./server";
import { expectLive, logIn, logInForKeys } from "./transcript-page";

test.use({ settings: ASKING_AGENT });

async function titled(server: Server, title: string, ...calls: object[]): Promise<string> {
  const sessionId = await askingSession(server, ...calls);
  await server.call("POST", `/api/session/${sessionId}/title`, { title });
  return sessionId;
}

test("requests of all sessions are there, the oldest first, and are answered by keys", {
  tag: "@desktop",
}, async ({ page, server }) => {
  await logInForKeys(page, server.loginUrl);
  await titled(server, "First", runs("one", { options: THREE_OPTIONS }));
  const second = await titled(server, "Second", runs("two", { options: THREE_OPTIONS }));
  await titled(server, "Third", runs("three", { options: THREE_OPTIONS }));
  await expect(page.locator(".overview-links .overview-count")).toHaveText("3");
  await page.keyboard.press("Alt+b");
  await expect(page).toHaveURL(/#\/inbox$/);
  await expect(cards(page).getByLabel("Command")).toHaveText(["one", "two", "three"]);
  await expect(page.locator(".inbox-session")).toHaveText(["First", "Second", "Third"]);
  await expect(page.locator(".inbox-heading").first()).toContainText(/asking.*asked just now/);
  await expect(cards(page).first()).toBeFocused();
  await letSettle(page);
  await page.keyboard.press("j");
  await page.keyboard.press("j");
  await expect(cards(page).nth(2)).toBeFocused();
  await page.keyboard.press("n");
  await expect(cards(page)).toHaveCount(2);
  await letSettle(page);
  await page.keyboard.press("k");
  await expect(cards(page).first()).toBeFocused();
  await page.keyboard.press("y");
  await expect(cards(page)).toHaveCount(1);
  await expect(page.locator(".overview-links .overview-count")).toHaveText("1");
  await expect(page.locator(".decision-row")).toHaveText([
    /Allowed once.*one.*First/,
    /Rejected.*three.*Third/,
  ]);
  await expect(cards(page).first()).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(new RegExp(`#/s/${second}$`));
  await expect(cards(page).getByLabel("Command")).toHaveText("two");
});

test("identical requests are allowed together, others are not", async ({ page, server }) => {
  await logIn(page, server.loginUrl);
  await titled(server, "First", runs("make check"));
  await titled(server, "Second", runs("make check"), runs("make install"));
  await page.goto(`${server.origin}/#/inbox`);
  await expect(cards(page)).toHaveCount(3);
  await letSettle(page);
  await expect(page.locator(".inbox-twins")).toContainText("make check");
  await give(page.getByRole("button", { name: "Allow these 2 identical requests once" }));
  await expect(cards(page)).toHaveCount(1);
  await expect(cards(page).getByLabel("Command")).toHaveText("make install");
  await expect(page.locator(".inbox-twins")).toHaveCount(0);
  expect(await waiting(server)).toHaveLength(1);
});

test("nothing that waits is said plainly, and decisions stay readable", async ({ page, server }) => {
  await logIn(page, server.loginUrl);
  await page.goto(`${server.origin}/#/inbox`);
  await expect(page.getByText("Nothing waits for you")).toBeVisible();
  await titled(server, "Only", runs("make", { options: THREE_OPTIONS }));
  await expect(page.getByText("Nothing waits for you")).toBeHidden();
  await letSettle(page);
  await give(page.getByRole("button", { name: "Yes, and for all of make" }));
  await page.mouse.move(0, 0);
  await expect(page.getByText("Nothing waits for you")).toBeVisible();
  await expect(page.locator(".decision-row")).toContainText("Allowed always");
  await page.reload();
  await expectLive(page);
  await expect(page.locator(".decision-row")).toContainText(["Yes, and for all of make"]);
});

test("what waits longest is one key away, wherever one is", { tag: "@desktop" }, async ({ page, server }) => {
  await logIn(page, server.loginUrl);
  const other = await server.createAgentSession("demo");
  await titled(server, "Asks", runs("make"));
  await page.goto(`${server.origin}/#/s/${other}`);
  await expect(page.locator(".overview-links .overview-count")).toHaveText("1");
  await page.getByLabel("Message").fill("y");
  await page.keyboard.press("Alt+y");
  await expect(page).toHaveURL(/#\/inbox$/);
  await expect(cards(page)).toBeFocused();
});

test("what asks later takes the focus from nobody, and letters that are typed answer nothing", {
  tag: "@desktop",
}, async ({ page, server }) => {
  await logIn(page, server.loginUrl);
  const other = await server.createAgentSession("demo");
  await page.goto(`${server.origin}/#/inbox`);
  await expect(page.getByText("Nothing waits for you")).toBeVisible();
  await expect(page.locator(`[data-session-id="${other}"]`)).toBeVisible();
  const filter = page.locator(".filter-input");
  await filter.focus();
  await titled(server, "Asks", runs("make", { options: THREE_OPTIONS }));
  await expect(cards(page)).toHaveCount(1);
  await expect(filter).toBeFocused();
  await letSettle(page);
  await page.keyboard.type("any");
  await expect(filter).toHaveValue("any");
  expect(await waiting(server)).toHaveLength(1);

  await page.getByRole("link", { name: /^Wall/ }).click();
  await page.getByRole("link", { name: /^Inbox/ }).click();
  await expect(cards(page), "what is there on entering has it").toBeFocused();
});
