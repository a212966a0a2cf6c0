/** What is too long for the stream is told shortened: all of it can be seen, and what is copied is always all of it. */
import type { Page } from "@playwright/test";
import { BEGIN, did, END, said, thought } from "./calls";
import { expect, test } from "./fixtures";
import type { Server } from "./server";
import { itemById, logIn, openSession } from "./transcript-page";

test.use({ permissions: ["clipboard-read", "clipboard-write"], refusals: /status of (401|500)/ });

const LINES = Array.from({ length: 40_000 }, (_, at) => `line ${at}`);
/** Some 430 KB. */
const LONG = LINES.join("\n");

const clipboard = (page: Page) => page.evaluate(() => navigator.clipboard.readText());

async function opened(page: Page, server: Server): Promise<void> {
  const sessionId = await server.createSession("Long");
  await server.postEvents(
    sessionId,
    "t1",
    BEGIN,
    ...thought("k1", LONG),
    ...did("c1", "Bash", { command: "seq" }, LONG),
    ...said("m1", LONG),
    END,
  );
  await logIn(page, server.loginUrl);
  await openSession(page, sessionId);
  await expect(itemById(page, "m1").getByRole("button", { name: /^Shortened. Show all/ })).toBeVisible();
}

test("a long message is copied whole, though it is shown shortened", async ({ page, server }) => {
  await opened(page, server);
  const message = itemById(page, "m1");
  const copy = message.getByRole("button", { name: "Copy as written" });
  await copy.focus();
  await copy.press("Enter");
  await expect(copy).toHaveText("Copied");
  expect(await clipboard(page)).toBe(LONG);
  await expect(message.getByRole("button", { name: /^Shortened/ }), "and nothing else changes").toBeVisible();
});

test("a long output is copied whole, though it is shown shortened", async ({ page, server }) => {
  await opened(page, server);
  const call = itemById(page, "c-c1");
  await call.locator("summary").click();
  const copy = call.getByRole("button", { name: "Copy output" });
  await copy.click();
  await expect(copy).toHaveText("Copied");
  expect(await clipboard(page)).toBe(LONG);
});

test("a thought is copied as it was written, a long one whole", async ({ page, server }) => {
  await opened(page, server);
  const thinking = itemById(page, "k1");
  await thinking.locator("summary").click();
  const copy = thinking.getByRole("button", { name: "Copy as written" });
  await copy.click();
  await expect(copy).toHaveText("Copied");
  expect(await clipboard(page)).toBe(LONG);
});

test("where the whole of it cannot be had, the button says so and copies nothing", async ({
  page,
  server,
}) => {
  await opened(page, server);
  await page.evaluate(() => navigator.clipboard.writeText("before"));
  await page.route("**/item/m1", (route) =>
    route.fulfill({ status: 500, json: { code: "X", message: "No." } }),
  );
  const copy = itemById(page, "m1").getByRole("button", { name: "Copy as written" });
  await copy.focus();
  await copy.press("Enter");
  await expect(copy).toHaveText("Not loaded. Try again");
  expect(await clipboard(page)).toBe("before");
});

test("a shortened message is shown whole when asked for, and says what went wrong when it cannot be", async ({
  page,
  server,
}) => {
  await opened(page, server);
  await page.route("**/item/m1", (route) =>
    route.fulfill({ status: 500, json: { code: "X", message: "The item cannot be read." } }),
  );
  const all = itemById(page, "m1").getByRole("button", { name: /^Shortened. Show all 4\d\d KB$/ });
  await all.click();
  await expect(page.locator(".problem")).toContainText("The item cannot be read.");
  await expect(all, "it can be tried again").toBeEnabled();
  await page.getByRole("button", { name: "Dismiss" }).click();
  await page.unroute("**/item/m1");
  await all.click();
  await expect(all).toBeHidden();
  await expect(itemById(page, "m1").locator(".text")).toContainText("line 39999");
});
