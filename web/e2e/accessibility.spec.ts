/** Every screen and dialog, in every theme: nothing that axe can find keeps anyone out. */
import type { WebSocketRoute } from "@playwright/test";
import { give, letSettle } from "./asking-page";
import { expectAccessible } from "./axe";
import { BEGIN, END, said } from "./calls";
import { expect, test } from "./fixtures";
import { serveNewerVersion } from "./newer-version";
import { ASKING_AGENT } from "./server";
import { letPass } from "./silence";
import { listedSession, logIn, openSession, showList } from "./transcript-page";

// The checker is put into the page, which the page's own policy rightly forbids.
test.use({ bypassCSP: true, settings: ASKING_AGENT, contextOptions: { reducedMotion: "reduce" } });

const MARKDOWN = `# A heading

Some **bold** and *slanted* text with \`code\`, a [link](https://example.com) and a list:

- one
- two

1. first
2. second

- [x] done
- [ ] to do

> A quote.

| a | b |
|---|---|
| 1 | 2 |

\`\`\`rust
fn main() {
    println!("hello"); // a comment
}
\`\`\`
`;

test("without a login, and when the page cannot start", async ({ page, server }) => {
  await page.goto(server.origin);
  await expect(page.locator('[data-panel="login"]')).toBeVisible();
  await expectAccessible(page, "login");
  await page.goto(`${server.origin}/#login=wrong`);
  await expect(page.getByRole("alert")).toBeVisible();
  await expectAccessible(page, "login refused");
});

test.describe("when it fails", () => {
  test.use({ refusals: /status of (401|404|500)|net::ERR|WebSocket/ });

  test("the page that cannot start", async ({ page, server }) => {
    await page.route("**/api/projects", (route) =>
      route.fulfill({ status: 500, json: { code: "X", message: "Broken." } }),
    );
    await page.goto(server.origin);
    await expect(page.locator('[data-panel="failure"]')).toBeVisible();
    await expectAccessible(page, "failure");
  });

  test("a session that cannot be opened, and a lost connection", async ({ page, server }) => {
    await logIn(page, server.loginUrl);
    await page.goto(`${server.origin}/#/s/00000000-0000-4000-8000-000000000000`);
    await expect(page.locator(".problem")).toBeVisible();
    await expectAccessible(page, "refused");
    await page.goto(`${server.origin}/#/s/${await server.createAgentSession("demo")}`);
    await expect(page.getByLabel("Message", { exact: true })).toBeVisible();
    await server.kill();
    await expect(page.locator(".connection-banner")).toBeVisible();
    await page.getByLabel("Message", { exact: true }).fill("later");
    await page.getByLabel("Message", { exact: true }).press("Enter");
    await expect(page.locator(".waiting-message")).toBeVisible();
    await expectAccessible(page, "offline");
  });
});

test("the first and the next new session", async ({ page, server, isMobile }) => {
  await logIn(page, server.loginUrl);
  await expect(page.getByLabel("Project directory")).toHaveValue(server.projectDirectory);
  await expectAccessible(page, "no sessions yet");
  await server.createSession("Any");
  const archived = await server.createSession("Archived");
  await server.call("POST", `/api/session/${archived}/archive`);
  await showList(page);
  await page.getByRole("button", { name: "Show archived" }).click();
  await expect(listedSession(page, archived)).toBeVisible();
  await expectAccessible(page, isMobile ? "drawer" : "new session");
});

test("a session with everything in it", async ({ page, server }) => {
  await logIn(page, server.loginUrl);
  const sessionId = await server.createSession("Everything");
  await openSession(page, sessionId);
  const item = { origin: "agent", providerId: "p" } as const;
  await server.postEvents(
    sessionId,
    "t1",
    { type: "response_start", modelId: "m", providerId: "p" },
    { type: "item_start", itemId: "k", itemType: "reasoning" },
    { type: "item_done", itemId: "k", finalItem: { type: "reasoning", content: "Hm.", providerId: "p" } },
    { type: "item_start", itemId: "c", itemType: "function_call", name: "Read", callId: "c1" },
    {
      type: "item_done",
      itemId: "c",
      finalItem: { type: "function_call", name: "Read", callId: "c1", arguments: { path: "README.md" } },
    },
    { type: "item_start", itemId: "o", itemType: "function_call_output", callId: "c1" },
    {
      type: "item_done",
      itemId: "o",
      finalItem: { type: "function_call_output", callId: "c1", output: "text", isError: false },
    },
    { type: "item_start", itemId: "m", itemType: "message" },
    {
      type: "item_done",
      itemId: "m",
      finalItem: { type: "message", content: MARKDOWN, origin: item.origin },
    },
    { type: "item_start", itemId: "m2", itemType: "message" },
    { type: "item_error", itemId: "m2", error: { code: "OVERLOADED", message: "Too many." } },
    { type: "response_error", error: { code: "OVERLOADED", message: "Too many at once." } },
  );
  await expect(page.locator('[data-turn-id][data-state="failed"]')).toBeVisible();
  await page.locator("details").evaluateAll((all) => {
    for (const details of all as HTMLDetailsElement[]) details.open = true;
  });
  await expectAccessible(page, "everything");
});

test("a permission, a plan, a diff, and how they end", async ({ page, server }) => {
  test.slow();
  await logIn(page, server.loginUrl);
  const sessionId = await server.createAgentSession("demo");
  await openSession(page, sessionId);
  await expect(page.locator(".suggestion").first()).toBeVisible();
  await expectAccessible(page, "nothing said yet");
  await server.send(sessionId, "plan");
  await expect(page.locator('.plan-step[data-state="in_progress"]')).toBeVisible();
  await expectAccessible(page, "at work");
  await expect(page.locator('[data-turn-id][data-state="completed"]')).toBeVisible({ timeout: 30_000 });
  await server.send(sessionId, 'edit README.md: replace "the demo agent" with "everyone"');
  const allow = page
    .locator(".permission")
    .getByRole("button", { name: /^Allow/ })
    .first();
  await expect(allow).toBeEnabled();
  await expectAccessible(page, "permission");
  await server.send(sessionId, "help");
  await expect(page.locator(".waiting-message")).toBeVisible();
  await letSettle(page);
  await give(allow);
  await expect(page.locator('[data-turn-id][data-state="completed"]')).toHaveCount(3, { timeout: 30_000 });
  await expectAccessible(page, "answered");
  await server.call("POST", `/api/session/${sessionId}/kill`);
  await expect(page.locator(".session-header .activity")).toHaveText("Ended");
  await expectAccessible(page, "ended");
});

test("a question", async ({ page, server }) => {
  const sockets: WebSocketRoute[] = [];
  await page.routeWebSocket(/\/ws$/, (socket) => {
    sockets.push(socket);
    socket.connectToServer();
  });
  await logIn(page, server.loginUrl);
  const sessionId = await server.createAgentSession("demo");
  await openSession(page, sessionId);
  const request = {
    permissionId: "q",
    sessionId,
    title: "AskUserQuestion",
    options: [
      { optionId: "allow", name: "Answer", kind: "allow_once" },
      { optionId: "deny", name: "Do not answer", kind: "reject_once" },
    ],
    questions: [
      {
        question: "Which colour?",
        header: "Colour",
        multiSelect: false,
        options: [{ label: "Red", description: "warm" }, { label: "Blue" }],
      },
      { question: "Which fruits?", multiSelect: true, options: [{ label: "Apple" }, { label: "Pear" }] },
    ],
    askedAt: new Date().toISOString(),
  };
  sockets.at(-1)?.send(JSON.stringify({ type: "permission:requested", ...request }));
  await expect(page.getByRole("radio", { name: "Red" })).toBeVisible();
  await expectAccessible(page, "question");
});

test("the inbox, the wall and the search", async ({ page, server }) => {
  await logIn(page, server.loginUrl);
  await page.goto(`${server.origin}/#/inbox`);
  await expectAccessible(page, "empty inbox");
  const asking = await server.createAgentSession("asking");
  await server.send(
    asking,
    JSON.stringify({ title: "Run make", kind: "execute", rawInput: { command: "make" } }),
  );
  await expect(page.locator(".inbox .permission")).toBeVisible();
  await expectAccessible(page, "inbox");
  await page.goto(`${server.origin}/#/wall`);
  await expect(page.locator(".wall")).toContainText("Needs your answer");
  await expectAccessible(page, "wall");
  await page.goto(`${server.origin}/#/s/${asking}`);
  await page.keyboard.press("Control+Shift+f");
  await expectAccessible(page, "search");
  await page.keyboard.type("make");
  await expect(page.getByRole("option").first()).toBeVisible();
  await expectAccessible(page, "search, something found");
});

test("the dialogs", async ({ page, server }) => {
  await logIn(page, server.loginUrl);
  await openSession(page, await server.createAgentSession("demo"));
  await page.keyboard.press("Control+k");
  await expect(page.getByRole("option").first()).toBeVisible();
  await expectAccessible(page, "palette");
  await page.keyboard.type("theme");
  await expectAccessible(page, "palette, something found");
  await page.keyboard.type("qqq");
  await expectAccessible(page, "palette, nothing found");
  await page.keyboard.press("Control+/");
  await expect(page.getByRole("dialog", { name: "Keyboard shortcuts" })).toBeVisible();
  await expectAccessible(page, "shortcuts");
  await page.keyboard.press("Control+,");
  await expect(page.getByRole("dialog", { name: "Settings" })).toBeVisible();
  await expectAccessible(page, "settings");
});

test("the times of a turn, and the find bar", async ({ page, server }) => {
  await logIn(page, server.loginUrl);
  const sessionId = await server.createSession("Times");
  await openSession(page, sessionId);
  await server.postEvents(sessionId, "t1", BEGIN, ...said("m1", "Found here."), END);
  await page.getByRole("button", { name: "Show where the time of this turn went" }).click();
  await expect(page.getByRole("dialog", { name: "Where the time went" })).toContainText("Text");
  await expectAccessible(page, "turn times");
  await page.keyboard.press("Escape");
  await page.keyboard.press("Control+f");
  await page.keyboard.type("found");
  await expect(page.locator(".find-count")).toHaveText("1 of 1");
  await expectAccessible(page, "find bar");
});

test("the menus and sheets of the list", async ({ page, server }) => {
  await logIn(page, server.loginUrl);
  const sessionId = await server.createSession("Row");
  await showList(page);
  await listedSession(page, sessionId).hover();
  await page.getByRole("button", { name: "Actions for Row" }).click();
  await expect(page.getByRole("menu")).toBeVisible();
  await expectAccessible(page, "row menu");
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Add project" }).click();
  await expect(page.getByRole("dialog", { name: "Add a project" })).toBeVisible();
  await expectAccessible(page, "add a project");
  await page.keyboard.press("Escape");
  for (const [item, dialog] of [
    ["Import sessions…", /^Import sessions of/],
    ["Remove project…", /^Remove/],
  ] as const) {
    await page.getByRole("button", { name: /^Actions for project/ }).click();
    await page.getByRole("menuitem", { name: item }).click();
    await expect(page.getByRole("dialog", { name: dialog })).toBeVisible();
    await expectAccessible(page, item);
    await page.keyboard.press("Escape");
  }
});

test("what runs in the background, and ending an agent", async ({ page, server, isMobile }) => {
  const sockets: WebSocketRoute[] = [];
  await page.routeWebSocket(/\/ws$/, (socket) => {
    sockets.push(socket);
    socket.connectToServer();
  });
  await logIn(page, server.loginUrl);
  const sessionId = await server.createAgentSession("demo");
  await openSession(page, sessionId);
  await server.send(sessionId, "help");
  await expect(page.locator('[data-turn-id][data-state="completed"]')).toBeVisible();
  const status = await server.call<object>("GET", `/api/session/${sessionId}/status`);
  const backgroundTasks = [{ taskId: "dev", kind: "shell", description: "npm run dev" }];
  const allowed = [
    { permissionId: "p", title: "npm test", name: "Allow npm", since: "2026-01-01T00:00:00Z" },
  ];
  sockets.at(-1)?.send(JSON.stringify({ type: "session:status", ...status, backgroundTasks, allowed }));
  sockets.at(-1)?.send(JSON.stringify({ type: "agent:status", cliType: "demo", status: "disconnected" }));
  await expect(page.locator(".task")).toBeVisible();
  await expectAccessible(page, "background tasks");
  await page.getByRole("button", { name: "End agent" }).click();
  await expect(page.getByRole("dialog", { name: "End the agent?" })).toBeVisible();
  await expectAccessible(page, "ending an agent");
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Allowed always: 1" }).click();
  await expect(page.getByRole("dialog", { name: "Allowed without asking" })).toBeVisible();
  await expectAccessible(page, "what is always allowed");
  await page.keyboard.press("Escape");
  if (!isMobile) return;
  await page.getByRole("button", { name: "1 open session" }).click();
  await expectAccessible(page, "tab switcher");
});

test("a session that gives no sign of life", async ({ page, server }) => {
  await page.clock.install();
  await logIn(page, server.loginUrl);
  const sessionId = await server.createSession("Silent");
  await openSession(page, sessionId);
  await server.postEvents(sessionId, "t1", BEGIN);
  await expect(page.locator('[data-turn-id][data-state="running"]')).toBeVisible();
  await letPass(page, 85);
  await expect(page.locator(".stall-note")).toBeVisible();
  await page.clock.resume();
  await expectAccessible(page, "stall note");
  await page.goto(`${server.origin}/#/wall`);
  await expect(page.locator('.tile[data-activity="silent"]')).toBeVisible();
  await expectAccessible(page, "silent tile");
});

test.describe("a newer version", () => {
  test.use({ refusals: /ERR_|WebSocket connection|status of/ });

  test("is spoken of", async ({ page, server }) => {
    await logIn(page, server.loginUrl);
    await serveNewerVersion(page, server);
    await expect(page.locator(".version-banner")).toBeVisible();
    await expectAccessible(page, "new version");
  });
});
