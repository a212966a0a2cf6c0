/** What comes up in front of a session or beside it, and what only some sessions have. */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { BEGIN, called, did, said } from "../e2e/calls";
import { decorate } from "../e2e/decorated-items";
import { keepClaudeSession } from "../e2e/kept-session";
import { longSession } from "../e2e/long-session";
import { demo, go, openList, type Shot, take } from "./shot";
import { ANSWER, work } from "./work";

async function worked(shot: Shot): Promise<string> {
  const sessionId = await shot.server.createSession("Fix the flaky login test");
  await shot.server.postEvents(sessionId, "t1", ...work());
  await go(shot, `#/s/${sessionId}`);
  await shot.page.getByText(ANSWER).first().waitFor();
  return sessionId;
}

async function chooseForProject(shot: Shot, item: string): Promise<void> {
  await openList(shot);
  await shot.page.getByRole("button", { name: /^Actions for project/ }).click();
  await shot.page.getByRole("menuitem", { name: item }).click();
  await shot.page.getByRole("dialog").waitFor();
}

take({
  "find-bar": async (shot) => {
    await worked(shot);
    await shot.page.keyboard.press("Control+f");
    await shot.page.keyboard.type("login");
    await shot.page.waitForTimeout(600);
  },
  search: async (shot) => {
    await worked(shot);
    await longSession(shot.server, 100, "Count the retries");
    await shot.page.keyboard.press("Control+Shift+f");
    await shot.page.keyboard.type("answer");
    await shot.page.getByRole("option").first().waitFor();
  },
  "search-nothing": async (shot) => {
    await worked(shot);
    await shot.page.keyboard.press("Control+Shift+f");
    await shot.page.keyboard.type("zebra");
    await shot.page.waitForTimeout(1_000);
  },
  "turn-times": async (shot) => {
    await demo(shot, "plan");
    await shot.page.locator('[data-turn-id][data-state="completed"]').waitFor({ timeout: 40_000 });
    await shot.page.getByRole("button", { name: "Show where the time of this turn went" }).click();
    await shot.page.getByRole("dialog").waitFor();
  },
  "add-project": async (shot) => {
    for (const name of ["shop", "website", "tools"]) await mkdir(join(shot.server.projectDirectory, name));
    await shot.server.createSession("Any");
    await openList(shot);
    await shot.page.getByRole("button", { name: "Add project" }).click();
    await shot.page.getByRole("dialog").waitFor();
    await shot.page.getByLabel("Directory", { exact: true }).fill(`${shot.server.projectDirectory}/`);
    await shot.page.waitForTimeout(600);
  },
  import: async (shot) => {
    await shot.server.createSession("Any");
    await keepClaudeSession(shot.server, "Count the beans in the store");
    await keepClaudeSession(
      shot.server,
      "Why does the login test fail now and then?",
      "bbbbbbbb-1111-4111-8111-aaaaaaaaaaaa",
    );
    await chooseForProject(shot, "Import sessions…");
    await shot.page.waitForTimeout(600);
  },
  "import-nothing": async (shot) => {
    await shot.server.createSession("Any");
    await chooseForProject(shot, "Import sessions…");
    await shot.page.waitForTimeout(600);
  },
  confirm: async (shot) => {
    await shot.server.createSession("Any");
    await chooseForProject(shot, "Remove project…");
  },
  "row-menu": async (shot) => {
    const sessionId = await shot.server.createSession("Fix the flaky login test");
    await openList(shot);
    await shot.page.locator(`[data-session-id="${sessionId}"]`).hover();
    await shot.page.getByRole("button", { name: "Actions for Fix the flaky login test" }).click();
    await shot.page.getByRole("menu").waitFor();
  },
  question: async (shot) => {
    const { page, server } = shot;
    let tell = (_: string) => {};
    await page.routeWebSocket(/\/ws$/, (socket) => {
      socket.connectToServer();
      tell = (text) => socket.send(text);
    });
    await page.reload();
    const sessionId = await demo(shot, "help");
    await page.waitForTimeout(2_000);
    const questions = [
      {
        question: "Which database should the sessions be kept in?",
        header: "Database",
        multiSelect: false,
        options: [
          { label: "SQLite", description: "One file, nothing to install." },
          { label: "PostgreSQL", description: "For more than one server." },
        ],
      },
      {
        question: "Which parts are to be tested?",
        multiSelect: true,
        options: [{ label: "Login" }, { label: "Search" }, { label: "Import" }],
      },
    ];
    const options = [
      { optionId: "allow", name: "Answer", kind: "allow_once" },
      { optionId: "deny", name: "Do not answer", kind: "reject_once" },
    ];
    const asked = { permissionId: "q", sessionId, title: "AskUserQuestion", options, questions };
    tell(JSON.stringify({ type: "permission:requested", ...asked, askedAt: new Date().toISOString() }));
    await page.getByRole("radio", { name: "SQLite" }).check();
    await server.call("GET", "/api/permissions");
  },
  subagents: async (shot) => {
    await decorate(shot.page, {
      items: {
        n1: { parent: "task", kind: "search" },
        n2: { parent: "task", kind: "read" },
        "Three callers": { parent: "task" },
        n3: { parent: "other", kind: "execute" },
      },
    });
    await shot.page.reload();
    const sessionId = await shot.server.createSession("Rename the helper");
    await shot.server.postEvents(
      sessionId,
      "t1",
      BEGIN,
      ...said("u", "Rename expect_logged_in, and mind who calls it.", "user"),
      ...called("task", "Task", { description: "Find callers", prompt: "Find who calls expect_logged_in." }),
      ...did("n1", "Grep", { pattern: "expect_logged_in", path: "tests" }, "3 files"),
      ...did("n2", "Read", { file_path: "tests/login.rs" }, "fn login() {}"),
      ...said("n-m", "Three callers, all of them in tests/login.rs."),
      ...called("other", "Task", { description: "Run the suite", prompt: "Run all tests." }),
      ...called("n3", "Bash", { command: "cargo test --workspace" }),
    );
    await go(shot, `#/s/${sessionId}`);
    await shot.page.locator(".nested").first().waitFor();
  },
  background: async (shot) => {
    let tell = (_: string) => {};
    await shot.page.routeWebSocket(/\/ws$/, (socket) => {
      socket.connectToServer();
      tell = (text) => socket.send(text);
    });
    await shot.page.reload();
    const sessionId = await demo(shot, "help");
    await shot.page.locator('[data-turn-id][data-state="completed"]').waitFor({ timeout: 30_000 });
    const status = await shot.server.call<object>("GET", `/api/session/${sessionId}/status`);
    const backgroundTasks = [{ taskId: "dev", kind: "shell", description: "npm run dev" }];
    tell(JSON.stringify({ type: "session:status", ...status, backgroundTasks }));
    await shot.page.locator(".task").waitFor();
  },
  allowed: async (shot) => {
    const sessionId = await demo(shot, "write notes.md: what was decided");
    await shot.page.getByRole("button", { name: "Allow all edits in this session" }).waitFor();
    const [asked] = await shot.server.call<{ permissionId: string }[]>("GET", "/api/permissions");
    await shot.server.call("POST", `/api/session/${sessionId}/permission/${asked?.permissionId}`, {
      optionId: "allow-always",
    });
    await shot.page.getByRole("button", { name: /^Allowed always/ }).click();
    await shot.page.waitForTimeout(300);
  },
  drawer: async (shot) => {
    for (const title of ["Fix the flaky login test", "Plan the move", "Write down what was decided"])
      await shot.server.createSession(title);
    await demo(shot, "slow");
    await openList(shot);
    await shot.page.waitForTimeout(400);
  },
  "tab-switcher": async (shot) => {
    for (const title of ["Fix the flaky login test", "Plan the move"])
      await go(shot, `#/s/${await shot.server.createSession(title)}`);
    const switcher = shot.page.getByRole("button", { name: /open sessions?$/ });
    if (await switcher.isVisible()) await switcher.click();
    await shot.page.waitForTimeout(300);
  },
  "high-contrast": async (shot) => {
    await worked(shot);
    await shot.page.evaluate(() => {
      document.documentElement.dataset.contrast = "high";
    });
  },
  "high-contrast-permission": async (shot) => {
    await demo(shot, 'edit README.md: replace "the demo agent" with "everyone"');
    await shot.page.locator(".permission").first().waitFor();
    await shot.page.evaluate(() => {
      document.documentElement.dataset.contrast = "high";
    });
  },
  compact: async (shot) => {
    await worked(shot);
    await shot.page.evaluate(() => {
      document.documentElement.dataset.density = "compact";
    });
  },
});
