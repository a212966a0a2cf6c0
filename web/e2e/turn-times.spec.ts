/** Where the time of a turn went, and the way from there to what took it. */
import { expect, test } from "./fixtures";
import { ASKING_AGENT } from "./server";
import { itemById, logIn, openSession } from "./transcript-page";

test("a turn tells where its time went, and leads to its items", async ({ page, server }) => {
  const sessionId = await server.createSession("Timed");
  const post = (...payloads: Parameters<typeof server.postEvents>[2][]) =>
    server.postEvents(sessionId, "t1", ...payloads);
  await post({ type: "response_start", modelId: "model", providerId: "provider" });
  await new Promise((done) => setTimeout(done, 500));
  await post({ type: "item_start", itemId: "c", itemType: "function_call", name: "read_file", callId: "k" });
  await post({
    type: "item_done",
    itemId: "c",
    finalItem: { type: "function_call", name: "read_file", callId: "k", arguments: { path: "a" } },
  });
  await new Promise((done) => setTimeout(done, 700));
  await post(
    { type: "item_start", itemId: "o", itemType: "function_call_output", callId: "k" },
    {
      type: "item_done",
      itemId: "o",
      finalItem: { type: "function_call_output", callId: "k", output: "done", isError: false },
    },
    { type: "item_start", itemId: "m", itemType: "message" },
    { type: "item_done", itemId: "m", finalItem: { type: "message", content: "There.", origin: "agent" } },
    { type: "response_done", status: "completed" },
  );
  await logIn(page, server.loginUrl);
  await openSession(page, sessionId);
  await expect(itemById(page, "m")).toBeVisible();
  await page.getByRole("button", { name: "Show where the time of this turn went" }).click();
  const dialog = page.getByRole("dialog", { name: "Where the time went" });
  await expect(dialog.locator(".times-name")).toHaveText(["Until the first sign", "read_file", "Text"]);
  await expect(dialog.locator(".times-facts")).toContainText("first text after");
  await expect(dialog.locator(".times-sum")).toHaveCount(2);
  const bars = dialog.locator(".times-bar");
  const [silence, call] = [await bars.nth(0).boundingBox(), await bars.nth(1).boundingBox()];
  expect(call?.x).toBeGreaterThan((silence?.x ?? 0) + (silence?.width ?? 0) - 4);
  await page.keyboard.press("Escape");
  await expect(dialog).toBeHidden();

  await page.keyboard.press("Alt+i");
  await expect(dialog).toBeVisible();
  await dialog.getByRole("button", { name: /read_file/ }).focus();
  await page.keyboard.press("Enter");
  await expect(dialog).toBeHidden();
  await expect(itemById(page, "c")).toBeFocused();
});

test.describe("a turn that asks", () => {
  test.use({ settings: ASKING_AGENT });

  test("tells how long it waited for a person", async ({ page, server }) => {
    await logIn(page, server.loginUrl);
    const sessionId = await server.createAgentSession("asking");
    await openSession(page, sessionId);
    await server.send(sessionId, JSON.stringify({ title: "Run it", kind: "execute" }));
    await expect(page.locator(".permission")).toBeVisible();
    await page.getByRole("button", { name: "Show where the time of this turn went" }).click();
    const dialog = page.getByRole("dialog", { name: "Where the time went" });
    const waits = dialog.locator('.times-item[data-kind="person"]');
    await expect(waits).toContainText("Waiting for you");
    // A turn that runs is looked at anew: what is about to be pressed stays where it is.
    const row = await waits.elementHandle();
    const duration = await waits.locator(".times-duration").textContent();
    await expect(waits.locator(".times-duration")).not.toHaveText(duration ?? "");
    expect(await row?.evaluate((one) => one.isConnected)).toBe(true);
  });
});
