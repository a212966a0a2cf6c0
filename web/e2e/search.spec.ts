/** Words are found in the open session, also in rows that are not on the page, and in all sessions. */
import { expect, test } from "./fixtures";
import { holdBack } from "./held-back";
import { longSession } from "./long-session";
import type { Server } from "./server";
import { itemById, logIn, openSession } from "./transcript-page";

async function say(server: Server, sessionId: string, itemId: string, content: string): Promise<void> {
  await server.postEvents(
    sessionId,
    `turn-${itemId}`,
    { type: "response_start", modelId: "model", providerId: "provider" },
    { type: "item_start", itemId, itemType: "message" },
    { type: "item_done", itemId, finalItem: { type: "message", content, origin: "agent" } },
    { type: "response_done", status: "completed" },
  );
}

test("finding in a session goes through all of it, and Esc goes back", async ({ page, server }) => {
  const sessionId = await server.createSession("Searched");
  await say(server, sessionId, "early", "The marmalade is in the cellar.");
  await longSession(server, 600, "Between");
  const rest = Array.from({ length: 450 }, (_, at) => at);
  await server.postEvents(
    sessionId,
    "many",
    { type: "response_start", modelId: "model", providerId: "provider" },
    ...rest.flatMap((at) => [
      { type: "item_start", itemId: `n${at}`, itemType: "message" } as const,
      {
        type: "item_done",
        itemId: `n${at}`,
        finalItem: { type: "message", content: `Nothing here ${at}`, origin: "agent" },
      } as const,
    ]),
    { type: "response_done", status: "completed" },
  );
  await say(server, sessionId, "late", "More **Marmalade** for everyone.");
  await logIn(page, server.loginUrl);
  await openSession(page, sessionId);
  await expect(itemById(page, "late")).toBeInViewport();
  await expect(itemById(page, "early")).toHaveCount(0);
  await page.getByLabel("Transcript", { exact: true }).focus();

  await page.keyboard.press("Control+f");
  const field = page.getByRole("searchbox", { name: "Find in this session" });
  await expect(field).toBeFocused();
  await field.fill("marma");
  const count = page.locator(".find-count");
  await expect(count).toHaveText("2 of 2");
  await expect(itemById(page, "late")).toBeInViewport();
  const marked = () =>
    page.evaluate(() => [...(CSS.highlights.get("found-current") ?? [])].map((range) => String(range)));
  await expect.poll(marked).toEqual(["Marma"]);

  await page.keyboard.press("Enter");
  await expect(count).toHaveText("1 of 2");
  await expect(itemById(page, "early")).toBeInViewport();
  await expect(field).toBeFocused();
  await expect.poll(marked).toEqual(["marma"]);
  await page.getByRole("button", { name: "Next find" }).click();
  await expect(itemById(page, "late")).toBeInViewport();

  await field.fill("nowhere");
  await expect(count).toHaveText("No finds");
  await expect(page.getByRole("button", { name: "Next find" })).toBeDisabled();
  await field.focus();
  await page.keyboard.press("Escape");
  await expect(field).toBeHidden();
  await expect(page.getByLabel("Transcript", { exact: true })).toBeFocused();
  expect(await page.evaluate(() => CSS.highlights.size)).toBe(0);
});

test("a find in something folded is opened", async ({ page, server }) => {
  const sessionId = await server.createSession("Folded");
  await server.postEvents(
    sessionId,
    "t",
    { type: "response_start", modelId: "model", providerId: "provider" },
    { type: "item_start", itemId: "thought", itemType: "reasoning" },
    {
      type: "item_done",
      itemId: "thought",
      finalItem: { type: "reasoning", content: "Perhaps a quince.", providerId: "provider" },
    },
    { type: "response_done", status: "completed" },
  );
  await logIn(page, server.loginUrl);
  await openSession(page, sessionId);
  await page.keyboard.press("Control+f");
  await page.keyboard.type("quince");
  await expect(page.locator(".find-count")).toHaveText("1 of 1");
  await expect(itemById(page, "thought").getByText("Perhaps a quince.")).toBeVisible();
});

test("what is typed while the bar is on its way is looked for", async ({ page, server }) => {
  const arrive = await holdBack(page, "**/assets/dialogs-*.js");
  const sessionId = await server.createSession("Any");
  await say(server, sessionId, "there", "A pelican stands on one leg.");
  await logIn(page, server.loginUrl);
  await openSession(page, sessionId);
  await page.keyboard.press("Control+f");
  await page.keyboard.type("pelic");
  arrive();
  await expect(page.locator(".find-count")).toHaveText("1 of 1");
  await expect(page.getByLabel("Find in this session")).toHaveValue("pelic");
});

test("a search over all sessions leads to the message", async ({ page, server }) => {
  const first = await longSession(server, 500, "First of them");
  const second = await server.createSession("Second of them");
  await say(server, second, "there", "A pelican stands on one leg.");
  await say(server, first, "here", "Where is the pelican?");
  await longSession(server, 0, "Empty");
  await logIn(page, server.loginUrl);
  await openSession(page, first);
  await page.keyboard.press("Control+Shift+F");
  const panel = page.getByRole("dialog", { name: "Search all sessions" });
  await expect(panel.getByText("Type words, or how they begin.")).toBeVisible();
  await page.keyboard.type("pelic");
  await expect(panel.getByRole("option")).toHaveCount(2);
  await expect(panel.getByText("2 finds")).toBeVisible();
  await expect(panel.locator("mark")).toHaveText(["pelic", "pelic"]);
  await expect(panel.getByRole("group", { name: /Second of them/ })).toContainText("A pelican stands");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await expect(panel).toBeHidden();
  await expect(page).toHaveURL(new RegExp(`#/s/${second}/i/there$`));
  await expect(itemById(page, "there")).toBeFocused();
  await expect(itemById(page, "there")).toHaveAttribute("data-marked", "true");
});

test("Enter leads to a find for what is written, not to one for what was written before", async ({
  page,
  server,
}) => {
  const sessionId = await server.createSession("Birds");
  await say(server, sessionId, "first", "A pelican stands on one leg.");
  await say(server, sessionId, "second", "A heron stands on the other.");
  await logIn(page, server.loginUrl);
  await page.keyboard.press("Control+Shift+F");
  await page.keyboard.type("pelican");
  await expect(page.getByRole("option")).toHaveCount(1);
  await page.keyboard.press("Control+a");
  await page.keyboard.type("heron");
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(new RegExp(`#/s/${sessionId}/i/second$`));
});

test("a search that finds nothing says so, and Esc goes back to what was written", async ({
  page,
  server,
}) => {
  await logIn(page, server.loginUrl);
  const sessionId = await server.createAgentSession("demo");
  await openSession(page, sessionId);
  await page.getByLabel("Message", { exact: true }).fill("half");
  await page.getByLabel("Message", { exact: true }).focus();
  await page.keyboard.press("Control+Shift+F");
  await page.keyboard.type("unfindable");
  await expect(page.getByText("Nothing was found.")).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(page.getByRole("dialog")).toHaveCount(0);
  await expect(page.getByLabel("Message", { exact: true })).toBeFocused();
});

test("a search that takes a while says so", async ({ page, server }) => {
  const sessionId = await server.createSession("Searched");
  await say(server, sessionId, "here", "A pelican stands here.");
  await logIn(page, server.loginUrl);
  await openSession(page, sessionId);
  let answer = () => {};
  await page.route("**/api/search?*", async (route) => {
    await new Promise<void>((resolve) => {
      answer = resolve;
    });
    await route.continue();
  });
  await page.keyboard.press("Control+Shift+F");
  const panel = page.getByRole("dialog", { name: "Search all sessions" });
  await panel.getByRole("combobox").fill("pelican");
  await expect(panel.getByText("Searching…")).toBeVisible();
  answer();
  await expect(panel.getByText("1 find")).toBeVisible();
  await page.keyboard.press("Escape");
  await page.keyboard.press("Control+f");
  await page.getByRole("searchbox", { name: "Find in this session" }).fill("pelican");
  await expect(page.locator(".find-count")).toHaveText("Searching…");
  answer();
  await expect(page.locator(".find-count")).toHaveText("1 of 1");
});

test.describe(() => {
  test.use({ refusals: /ERR_/ });
  test("what is found elsewhere does not hide what the session has, and a search that failed says so", async ({
    page,
    server,
  }) => {
    const sessionId = await server.createSession("Searched");
    await say(server, sessionId, "early", "The marmalade is in the cellar.");
    await say(server, sessionId, "filler", "Nothing here.");
    const many = await longSession(server, 200, "Elsewhere");
    for (let at = 0; at < 60; at += 1) await say(server, many, `other${at}`, `Marmalade ${at}`);
    // Only the server knows the one that is not on the page.
    for (let at = 0; at < 250; at += 1) await say(server, sessionId, `later${at}`, `Nothing here ${at}`);
    await logIn(page, server.loginUrl);
    await openSession(page, sessionId);
    await expect(itemById(page, "later249")).toBeInViewport();
    await page.keyboard.press("Control+f");
    const field = page.getByRole("searchbox", { name: "Find in this session" });
    const count = page.locator(".find-count");
    await field.fill("marmalade");
    await expect(count).toHaveText("1 of 1");
    await expect(itemById(page, "early")).toBeInViewport();

    await page.route("**/api/search?*", (route) => route.abort());
    await field.fill("marzipan");
    await expect(count).toHaveText("Search failed");
    await page.unrouteAll();
    await field.fill("nowhere");
    await expect(count).toHaveText("No finds");
  });
});

test("finds are marked in what comes after the bar was closed and opened again", async ({ page, server }) => {
  const sessionId = await server.createSession("Searched");
  await say(server, sessionId, "first", "Marmalade one");
  await logIn(page, server.loginUrl);
  await openSession(page, sessionId);
  await expect(itemById(page, "first")).toBeVisible();
  await page.keyboard.press("Control+f");
  const field = page.getByRole("searchbox", { name: "Find in this session" });
  await field.fill("marmalade");
  await expect(page.locator(".find-count")).toHaveText("1 of 1");
  // Closed within the moment in which the rows are about to be marked anew.
  await page.evaluate(async () => {
    document.querySelector(".rows [data-item-id]")?.append(" ");
    await Promise.resolve();
    document.querySelector(".find-bar")?.dispatchEvent(new KeyboardEvent("keydown", { key: "Escape" }));
  });
  await page.keyboard.press("Control+f");
  await expect(page.locator(".find-count")).toHaveText("1 of 1");
  await say(server, sessionId, "second", "Marmalade two");
  await expect(itemById(page, "second")).toBeVisible();
  const marked = () =>
    page.evaluate(() => [...(CSS.highlights.get("found") ?? [])].map((range) => String(range)));
  await expect.poll(marked).toContain("Marmalade");
});
