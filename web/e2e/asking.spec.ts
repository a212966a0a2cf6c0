/** What an agent asks, and what waits: the page says truly how things stand. */
import type { Locator, Page, WebSocketRoute } from "@playwright/test";
import { give, letSettle } from "./asking-page";
import { expect, test } from "./fixtures";
import { ASKING_AGENT, type Server } from "./server";
import { expectLive, logIn, openSession } from "./transcript-page";

const PROMPT = JSON.stringify({ title: "Run make", kind: "execute", rawInput: { command: "make" } });

async function asking(page: Page, server: Server): Promise<string> {
  await logIn(page, server.loginUrl);
  const sessionId = await server.createAgentSession("asking");
  await openSession(page, sessionId);
  await server.send(sessionId, PROMPT);
  await expect(page.locator(".permission")).toBeVisible();
  return sessionId;
}

test.describe("a permission", () => {
  test.use({ settings: ASKING_AGENT });

  test("that waits is what the session does", async ({ page, server }) => {
    await asking(page, server);
    await expect(page.locator(".session-header .activity")).toHaveText("Needs your answer");
    await expect(page.locator('[data-turn-id][data-state="running"]')).toHaveText("Waiting for your answer");
    await give(page.getByRole("button", { name: "Allow", exact: true }));
    await expect(page.locator(".permission-past")).toContainText("You allowed once.");
    await expect(page.locator(".session-header .activity")).toHaveText("Idle");
    await expect(page.locator('[data-turn-id][data-state="completed"]')).toBeVisible();
  });

  test("that is answered in another tab closes here and says so", async ({ page, context, server }) => {
    const sessionId = await asking(page, server);
    const other = await context.newPage();
    await other.goto(`${server.origin}/#/s/${sessionId}`);
    await expectLive(other);
    await give(other.getByRole("button", { name: "Reject", exact: true }));
    await expect(other.locator(".permission-past")).toContainText("You rejected.");
    await expect(page.locator(".permission")).toHaveCount(0);
    await expect(page.locator(".permission-past")).toContainText("Rejected in another window.");
    await page.getByRole("button", { name: "Dismiss" }).click();
    await expect(page.locator(".permission-past")).toHaveCount(0);
  });

  for (const [first, held] of [
    ["the refusal", "permission:resolved"],
    ["the other answer", "permission:answer"],
  ] as const) {
    test(`that two windows answer alike is told as given by the first one, when ${first} comes first`, async ({
      page,
      context,
      server,
    }) => {
      const letGo = await holdMessages(page, held);
      const sessionId = await asking(page, server);
      const past = page.locator(".permission-past");
      const other = await context.newPage();
      await other.goto(`${server.origin}/#/s/${sessionId}`);
      await expectLive(other);
      const allow = { name: "Allow", exact: true };
      if (held === "permission:answer") await pressed(page.getByRole("button", allow));
      await give(other.getByRole("button", allow));
      await expect(other.locator(".permission-past")).toContainText("You allowed once.");
      if (held === "permission:answer") {
        await expect(past).toContainText("Allowed once.");
      } else {
        await pressed(page.getByRole("button", allow));
        await expect(page.locator(".permission-note")).toContainText("answered");
      }
      letGo();
      await expect(past).toContainText("Allowed once in another window.");
      await expect(past).not.toContainText("You");
    });
  }
});

/** Messages of this kind reach nobody before they are let go. */
async function holdMessages(page: Page, type: string): Promise<() => void> {
  const held: (() => void)[] = [];
  let isHeld = true;
  const pass = (text: string | Buffer, send: () => void) => {
    if (isHeld && String(text).includes(`"${type}"`)) held.push(send);
    else send();
  };
  await page.routeWebSocket(/\/ws$/, (socket) => {
    const upstream = socket.connectToServer();
    socket.onMessage((text) => pass(text, () => upstream.send(text)));
    upstream.onMessage((text) => pass(text, () => socket.send(text)));
  });
  return () => {
    isHeld = false;
    for (const send of held.splice(0)) send();
  };
}

/** Pressed once it is ready, whether or not anything comes of it. */
async function pressed(answer: Locator): Promise<void> {
  await letSettle(answer.page());
  await answer.click();
}

test("questions are answered by choosing or writing, and what was answered stays readable", async ({
  page,
  server,
}) => {
  const sockets: WebSocketRoute[] = [];
  const answers: unknown[] = [];
  await page.routeWebSocket(/\/ws$/, (socket) => {
    sockets.push(socket);
    const upstream = socket.connectToServer();
    socket.onMessage((text) => {
      const message = JSON.parse(String(text));
      if (message.type === "permission:answer") answers.push(message.answers);
      else upstream.send(text);
    });
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
        options: [{ label: "Red" }, { label: "Blue" }],
      },
      {
        question: "Which fruits?",
        multiSelect: true,
        options: [{ label: "Apple", description: "round" }, { label: "Pear" }],
      },
    ],
    askedAt: new Date().toISOString(),
  };
  const tell = (message: object) => sockets.at(-1)?.send(JSON.stringify(message));
  tell({ type: "permission:requested", ...request });
  const answer = page.getByRole("button", { name: "Answer", exact: true });
  await expect(page.getByRole("button", { name: "Do not answer" })).toBeEnabled();
  await expect(answer).toBeDisabled();
  await page.getByRole("radio", { name: "Red" }).check();
  await expect(answer).toBeDisabled();
  await page.getByRole("checkbox", { name: "Apple" }).check();
  await page.getByLabel("Something else: Which fruits?").fill("a plum");
  await expect(answer).toBeEnabled();
  await page.getByLabel("Something else: Which colour?").fill("green");
  await expect(page.getByRole("radio", { name: "Red" })).not.toBeChecked();
  await answer.click();
  await expect
    .poll(() => answers)
    .toEqual([{ "Which colour?": ["green"], "Which fruits?": ["Apple", "a plum"] }]);
  tell({ type: "permission:resolved", ...request, outcome: "selected", optionId: "allow", resolvedAt: "" });
  await expect(page.locator(".permission-past")).toContainText("Which fruits? Apple, a plum");
  await expect(page.locator(".permission-past")).toContainText("Which colour? green");
});

test("messages that wait stand above the composer, say how they stand and can be removed", async ({
  page,
  server,
}) => {
  await logIn(page, server.loginUrl);
  const sessionId = await server.createAgentSession("demo");
  await openSession(page, sessionId);
  await server.send(sessionId, "hang");
  await expect(page.locator('[data-turn-id][data-state="running"]')).toBeVisible();
  for (const text of ["help", "list files"]) {
    await page.getByLabel("Message", { exact: true }).fill(text);
    await page.getByLabel("Message", { exact: true }).press("Enter");
  }
  const waiting = page.locator(".waiting-message");
  await expect(waiting).toHaveText([/help.*Waits for its turn/, /list files.*Waits for its turn/]);
  const prompts = page.locator('[data-type="message"][data-origin="user"]');
  await expect(prompts).toHaveCount(1);
  await waiting.last().getByRole("button", { name: "Remove" }).click();
  await expect(waiting).toHaveCount(1);
  await server.call("POST", `/api/session/${sessionId}/kill`);
  await expect(waiting).toHaveText([/help.*Paused/]);
  await page.getByRole("button", { name: "Resume queue" }).click();
  await expect(waiting).toHaveCount(0);
  await expect(page.locator('[data-turn-id][data-state="completed"]')).toBeVisible({ timeout: 30_000 });
  await expect(prompts.last()).toContainText("help");
  await expect(page.locator("[data-turn-id]", { hasText: /\b0 tokens|\$0\.00/ })).toHaveCount(0);
});
