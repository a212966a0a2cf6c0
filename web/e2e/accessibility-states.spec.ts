/** What is open, being written, being fetched or over on the screens: nothing that axe can find keeps anyone out of it. */
import type { Page } from "@playwright/test";
import type { FileDiff } from "../src/contract";
import { askingSession, cards, runs, THREE_OPTIONS, waiting } from "./asking-page";
import { expectAccessible } from "./axe";
import { BEGIN, did, END, thought } from "./calls";
import { decorate } from "./decorated-items";
import { expect, test } from "./fixtures";
import { keepClaudeSession } from "./kept-session";
import { ASKING_AGENT, type Server } from "./server";
import { itemById, logIn, openSession, showList } from "./transcript-page";

test.use({ bypassCSP: true, settings: ASKING_AGENT, contextOptions: { reducedMotion: "reduce" } });

const message = (page: Page) => page.getByLabel("Message", { exact: true });

async function demo(page: Page, server: Server): Promise<string> {
  await logIn(page, server.loginUrl);
  const sessionId = await server.createAgentSession("demo");
  await openSession(page, sessionId);
  return sessionId;
}

test("choosing a mode and a model", async ({ page, server }) => {
  await page.route("**/options", (route) =>
    route.fulfill({
      json: {
        models: [
          { modelId: "m", name: "Model M", description: "The usual one" },
          { modelId: "n", name: "Model N" },
        ],
        modes: [
          { modeId: "ask", name: "Ask", description: "Asks before it changes anything" },
          { modeId: "full", name: "Full access", description: "Never asks", neverAsks: true },
        ],
        currentModeId: "full",
        currentModelId: "m",
        commands: [],
      },
    }),
  );
  await demo(page, server);
  for (const name of ["Mode", "Model"]) {
    await page.getByRole("combobox", { name, exact: true }).click();
    await expect(page.getByRole("option")).toHaveCount(2);
    await expectAccessible(page, `choosing a ${name}`);
    await page.keyboard.press("Escape");
  }
});

test("files and commands that are offered while one writes", async ({ page, server }) => {
  await demo(page, server);
  await message(page).pressSequentially("read @READ");
  await expect(page.getByRole("option")).toHaveText([/README/]);
  await expectAccessible(page, "files");
  await message(page).fill("");
  await message(page).pressSequentially("/");
  await expect(page.getByRole("option").first()).toBeVisible();
  await expectAccessible(page, "commands");
});

test("a reason for a refusal, four answers, and a request that someone else answered", async ({
  page,
  server,
}) => {
  await logIn(page, server.loginUrl);
  const never = { optionId: "never", name: "Never run make", kind: "reject_always" };
  const sessionId = await askingSession(server, runs("make", { options: [...THREE_OPTIONS, never] }));
  await openSession(page, sessionId);
  await expect(cards(page).locator("[data-kind]")).toHaveCount(4);
  await expectAccessible(page, "four answers");
  await cards(page).getByRole("button", { name: "Reject with a reason" }).click();
  await expect(cards(page).getByRole("textbox")).toBeVisible();
  await expectAccessible(page, "reason");
  const [request] = await waiting(server);
  await page.goto(`${server.origin}/#/inbox`);
  await expect(cards(page)).toBeVisible();
  await server.call("POST", `/api/session/${sessionId}/permission/${request?.permissionId}`, {
    optionId: "yes",
  });
  await expect(page.locator(".inbox .permission-past")).toContainText("by a program");
  await expectAccessible(page, "answered elsewhere, inbox");
  await page.goto(`${server.origin}/#/s/${sessionId}`);
  await expect(page.locator(".permission-past:visible")).toContainText("by a program");
  await expectAccessible(page, "answered elsewhere, session");
});

test("changing a message that waits", async ({ page, server }) => {
  const sessionId = await demo(page, server);
  for (const text of ["hang", "help", "plan"]) await server.send(sessionId, text);
  const row = page.locator(".waiting-message").first();
  await expect(row).toBeVisible();
  await row.hover();
  await row.getByRole("button", { name: "Edit", exact: true }).click();
  await expect(row.getByLabel("Text that waits")).toBeVisible();
  await expectAccessible(page, "queue editor");
});

test("earlier sessions of an agent, to be imported", async ({ page, server }) => {
  await keepClaudeSession(server, "Count the beans");
  await server.call("POST", "/api/projects", { path: server.projectDirectory });
  await logIn(page, server.loginUrl);
  await showList(page);
  await page.getByRole("button", { name: /^Actions for project/ }).click();
  await page.getByRole("menuitem", { name: "Import sessions…" }).click();
  const sheet = page.getByRole("dialog", { name: /^Import sessions of/ });
  await expect(sheet.getByRole("listitem")).toContainText("Count the beans");
  await expectAccessible(page, "import");
  await sheet.getByRole("button", { name: "Import" }).click();
  await expect(sheet.getByRole("button", { name: "Open" })).toBeVisible();
  await expectAccessible(page, "imported");
});

test("changes side by side, and an opened thought", async ({ page, server, isMobile }) => {
  const lines = [" fn run() {", "-    let limit = 3;", "+    let limit = 4;"];
  const diff: FileDiff = {
    path: "/p/src/retry.rs",
    hunks: [{ oldStart: 1, oldLines: 2, newStart: 1, newLines: 2, lines }],
  };
  await decorate(page, { items: { edit: { diff: [diff] } } });
  await logIn(page, server.loginUrl);
  const sessionId = await server.createSession("Split");
  await openSession(page, sessionId);
  const edit = did("edit", "Edit", { file_path: "x" }, "done");
  await server.postEvents(sessionId, "t1", BEGIN, ...thought("k1", "Hm, **four**."), ...edit, END);
  await expect(page.locator(".diff").first()).toBeVisible();
  await itemById(page, "k1").locator("summary").click();
  if (!isMobile) await page.getByRole("button", { name: "Side by side" }).click();
  await expectAccessible(page, "split diff");
});

test("the shapes of what is about to come", async ({ page, server }) => {
  await logIn(page, server.loginUrl);
  const sessionId = await server.createSession("Slow");
  await page.route("**/api/session/list?*", () => {});
  await page.routeWebSocket(/\/ws$/, (socket) => {
    const upstream = socket.connectToServer();
    upstream.onMessage((text) => {
      if (!String(text).includes('"session:history"')) socket.send(text);
    });
  });
  for (const [place, name] of [
    [`s/${sessionId}`, "Loading the session"],
    ["inbox", "Loading what waits for you"],
    ["wall", "Loading sessions"],
  ] as const) {
    await page.goto("about:blank");
    await page.goto(`${server.origin}/#/${place}`);
    await expect(page.locator("main").getByRole("img", { name })).toBeVisible();
    await expectAccessible(page, name);
  }
});

test.describe("what cannot be loaded", () => {
  test.use({ refusals: /status of (401|500)/ });

  test("says so", async ({ page, server }) => {
    await logIn(page, server.loginUrl);
    await server.createSession("Any");
    const broken = { status: 500, json: { code: "X", message: "Broken." } };
    await page.route("**/api/agents*", (route) => route.fulfill(broken));
    await page.route("**/api/session/list?*", (route) => route.fulfill(broken));
    await page.goto("about:blank");
    await page.goto(`${server.origin}/#/new`);
    await expect(page.getByText("Could not find out which agents there are.")).toBeVisible();
    await showList(page);
    await expect(page.locator("nav.sidebar .failed-note")).toBeVisible();
    await expectAccessible(page, "what cannot be loaded");
  });
});
