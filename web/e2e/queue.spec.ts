/** Messages that wait for their turn: the server's list, changed in place. */
import type { Page } from "@playwright/test";
import { expect, test } from "./fixtures";
import type { Server } from "./server";
import { logIn, openSession } from "./transcript-page";

const waiting = (page: Page) => page.locator(".waiting-message");
const prompts = (page: Page) => page.locator('[data-type="message"][data-origin="user"]');

async function busy(page: Page, server: Server, ...texts: string[]): Promise<string> {
  await logIn(page, server.loginUrl);
  const sessionId = await server.createAgentSession("demo");
  await openSession(page, sessionId);
  for (const text of ["hang", ...texts]) await server.send(sessionId, text);
  await expect(waiting(page)).toHaveCount(texts.length);
  return sessionId;
}

async function act(page: Page, at: number, name: string): Promise<void> {
  await waiting(page).nth(at).hover();
  await waiting(page).nth(at).getByRole("button", { name, exact: true }).click();
}

test("a message that waits is changed in place, by everyone's view of it", async ({
  page,
  server,
  context,
}) => {
  const sessionId = await busy(page, server, "hlep");
  const other = await context.newPage();
  await other.goto(`${server.origin}/#/s/${sessionId}`);
  await expect(waiting(other)).toContainText("hlep");
  await act(page, 0, "Edit");
  await page.getByLabel("Text that waits").fill("help");
  await page.getByRole("button", { name: "Save" }).click();
  await expect(waiting(page)).toContainText("help");
  await expect(waiting(other)).toContainText("help");
});

test("Esc leaves a change without making it, and stops nothing", async ({ page, server }) => {
  await busy(page, server, "help");
  await act(page, 0, "Edit");
  await page.getByLabel("Text that waits").fill("something else");
  await page.keyboard.press("Escape");
  await expect(waiting(page)).toContainText("help");
  await expect(page.locator(".composer-hint")).not.toContainText("again");
});

test("the order is changed with the keyboard, and the focus stays", async ({ page, server }) => {
  await busy(page, server, "one", "two", "three");
  await page.keyboard.press("Alt+q");
  const first = page.getByRole("button", { name: /^Move: one/ });
  await expect(first).toBeFocused();
  await page.keyboard.press("ArrowDown");
  await expect(waiting(page)).toHaveText([/^two/, /^one/, /^three/]);
  await expect(first).toBeFocused();
  await page.keyboard.press("ArrowDown");
  await expect(waiting(page)).toHaveText([/^two/, /^three/, /^one/]);
  await expect(first).toBeFocused();
  await page.keyboard.press("ArrowUp");
  await expect(waiting(page)).toHaveText([/^two/, /^one/, /^three/]);
});

test("the order is changed by dragging", async ({ page, server }) => {
  await busy(page, server, "one", "two", "three");
  await dragBefore(page, 2, 0);
  await page.mouse.up();
  await expect(waiting(page)).toHaveText([/^three/, /^one/, /^two/]);
});

test("a message that is being dragged lands where it is shown to, also if another one begins meanwhile", async ({
  page,
  server,
}) => {
  // As many as a phone shows without scrolling.
  const sessionId = await busy(page, server, "hang", "one", "two");
  await dragBefore(page, 2, 1);
  await server.call("POST", `/api/session/${sessionId}/cancel`, {});
  await expect(waiting(page)).toHaveText([/^one/, /^two/]);
  await page.mouse.up();
  await expect(waiting(page)).toHaveText([/^two/, /^one/]);
});

/** Up to where the message would land, and not let go yet. */
async function dragBefore(page: Page, at: number, other: number): Promise<void> {
  const box = async (of: number) => {
    const found = await waiting(page).nth(of).locator(".waiting-handle").boundingBox();
    if (!found) throw new Error("there is no handle");
    return { x: found.x + found.width / 2, y: found.y + found.height / 2 };
  };
  const [from, to] = [await box(at), await box(other)];
  await page.mouse.move(from.x, from.y);
  await page.mouse.down();
  await page.mouse.move(to.x, to.y - 12, { steps: 5 });
  await expect(waiting(page).nth(other)).toHaveAttribute("data-drop", "before");
}

test("one that is sent now interrupts what runs, and says so before", async ({ page, server }) => {
  await busy(page, server, "hang", "help");
  const now = waiting(page).nth(1).getByRole("button", { name: "Send now" });
  await expect(now).toHaveAttribute("title", "Interrupts what runs and starts this");
  await act(page, 1, "Send now");
  await expect(prompts(page)).toHaveText([/hang/, /help/]);
  await expect(page.locator('[data-turn-id][data-state="cancelled"]')).toHaveCount(1);
});

test("what is being written can interrupt what runs", async ({ page, server }) => {
  await busy(page, server);
  await page.getByLabel("Message", { exact: true }).fill("help");
  await page.getByRole("button", { name: "Interrupt" }).click();
  await expect(page.locator('[data-turn-id][data-state="cancelled"]')).toBeVisible();
  await expect(prompts(page)).toHaveText([/hang/, /help/]);
});

test("what began meanwhile cannot be changed, and nothing that was written is lost", async ({
  page,
  server,
}) => {
  const sessionId = await busy(page, server, "hang");
  await act(page, 0, "Edit");
  await page.getByLabel("Text that waits").fill("my better words");
  await server.call("POST", `/api/session/${sessionId}/cancel`, {});
  await expect(waiting(page)).toHaveCount(0);
  await expect(page.locator(".problem")).toContainText("has begun");
  await expect(page.getByLabel("Message", { exact: true })).toHaveValue("my better words");
});

test("what somebody removed while it was changed is not said to have begun", async ({ page, server }) => {
  const sessionId = await busy(page, server, "help");
  await act(page, 0, "Edit");
  await page.getByLabel("Text that waits").fill("my better words");
  const id = await waiting(page).getAttribute("data-waiting");
  await server.call("DELETE", `/api/session/${sessionId}/queue/${id}`);
  await expect(page.locator(".problem")).toContainText("does not wait any more");
  await expect(page.getByLabel("Message", { exact: true })).toHaveValue("my better words");
});

test("all words of a message that waits cannot be taken away without a word", async ({ page, server }) => {
  await busy(page, server, "help");
  await act(page, 0, "Edit");
  const field = page.getByLabel("Text that waits");
  await field.fill(" ");
  await expect(page.getByRole("button", { name: "Save" })).toBeDisabled();
  await field.press("Enter");
  await expect(field).toBeVisible();
  await field.fill("list");
  await page.getByRole("button", { name: "Save" }).click();
  await expect(waiting(page)).toContainText("list");
});

test.describe("a change that comes too late", () => {
  test.use({ refusals: /status of (401|409)/ });

  test("is told plainly", async ({ page, server }) => {
    await busy(page, server, "help");
    await page.route("**/queue/*", (route) =>
      route.fulfill({ status: 409, json: { code: "TURN_ALREADY_STARTED", message: "turn t has started" } }),
    );
    await act(page, 0, "Remove");
    await expect(page.locator(".problem")).toContainText("has begun meanwhile");
  });
});
