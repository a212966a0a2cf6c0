/** The sidebar: projects and their sessions, and what can be done to them. */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Project } from "../src/contract";
import { expect, test } from "./fixtures";
import { keepClaudeSession } from "./kept-session";
import { chooseInMenu, createIn, listedTitles, projectGroup, sayOnce, tab } from "./sidebar-page";
import { expectLive, listedSession, logIn, openSession, showList } from "./transcript-page";

const ACTIVITIES = ["idle", "running", "permission", "error", "unread", "dead", "silent"];

/** What stands before the word in each state, without its colours. */
function shapesOf(label: HTMLElement | SVGElement, activities: string[]): string[] {
  const was = label.dataset.activity;
  const shapes = activities.map((activity) => {
    label.dataset.activity = activity;
    const shape = getComputedStyle(label, "::before");
    const isFull = !/^(transparent|rgba\(0, 0, 0, 0\))$/.test(shape.backgroundColor);
    const { borderWidth, borderStyle, borderRadius, rotate, animationName } = shape;
    // It turns: how far it is by now says nothing.
    const turned = animationName === "none" ? rotate : "turns";
    return [borderWidth, borderStyle, borderRadius, turned, isFull ? "full" : "hollow"].join(", ");
  });
  label.dataset.activity = was ?? "";
  return shapes;
}

test("titles, archived sessions and projects that come and go are followed", async ({ page, server }) => {
  await logIn(page, server.loginUrl);
  const sessionId = await server.createSession("First name");
  const other = await server.createSession("Another");
  await openSession(page, sessionId);
  const entry = listedSession(page, sessionId);
  await server.call("POST", `/api/session/${sessionId}/title`, { title: "Second name" });
  await expect(entry).toContainText("Second name");
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Second name");
  await server.call("POST", `/api/session/${other}/archive`);
  await expect(listedSession(page, other)).toHaveCount(0);
  await showList(page);
  await page.getByRole("button", { name: "Show archived (1)" }).click();
  await expect(listedSession(page, other)).toHaveAttribute("data-archived", "true");

  const [project] = await server.call<Project[]>("GET", "/api/projects");
  if (!project) throw new Error("there is no project");
  await server.call("DELETE", `/api/projects/${project.id}`);
  await expect(page.locator("[data-session-id]")).toHaveCount(0);
  await page.keyboard.press("Escape");
  await expect(page.getByText("The project of this session was removed.")).toBeVisible();
  await server.call("POST", "/api/projects", { path: server.projectDirectory });
  await expect(page.locator("[data-session-id]")).toHaveCount(2);
  await expect(page.getByText("The project of this session was removed.")).toBeHidden();
});

test.describe("in a wide window", () => {
  test.use({ viewport: { width: 1280, height: 800 } });

  test("sessions stand under their projects, the last active first, and a folded project stays folded", async ({
    page,
    server,
  }) => {
    const [shop, site, bare] = ["shop", "site", "bare"].map((name) => join(server.projectDirectory, name));
    for (const path of [shop, site, bare]) await mkdir(path as string);
    const first = await createIn(server, shop as string, "First in the shop");
    await createIn(server, site as string, "Only one of the site");
    await createIn(server, shop as string, "Second in the shop");
    await server.call("POST", "/api/projects", { path: bare });
    await logIn(page, server.loginUrl);
    await expect(page.locator(".project-name")).toHaveText(["shop", "site", "bare"]);
    expect(await listedTitles(projectGroup(page, "shop"))).toEqual([
      "Second in the shop",
      "First in the shop",
    ]);
    await expect(projectGroup(page, "bare")).toContainText("No sessions yet");
    const row = listedSession(page, first);
    await expect(row.locator(".agent-badge")).toContainText("EXT");
    await expect(row.locator("time")).toHaveText("now");
    await expect(row.locator(".activity")).toHaveText("Idle");
    await expect(row.getByRole("link")).toHaveAttribute("title", "First in the shop");
    await sayOnce(server, first, "t1", "Hello");
    await page.reload();
    await expect(projectGroup(page, "shop").locator(".session-title").first()).toHaveText(
      "First in the shop",
    );

    await page.getByRole("button", { name: "shop", exact: true }).click();
    await expect(row).toBeHidden();
    await page.reload();
    await expect(page.getByRole("button", { name: /^shop/ })).toHaveAttribute("aria-expanded", "false");
    await expect(row).toBeHidden();
    await expect(projectGroup(page, "site").locator(".session")).toBeVisible();
  });

  test("the filter narrows by title, project and agent", async ({ page, server }) => {
    await mkdir(join(server.projectDirectory, "shop"));
    await server.createSession("Fix the cart");
    await createIn(server, join(server.projectDirectory, "shop"), "Draw a logo");
    await logIn(page, server.loginUrl);
    const filter = page.getByRole("searchbox", { name: "Filter sessions" });
    const titles = page.locator(".session-title");
    await filter.fill("CART");
    await expect(titles).toHaveText(["Fix the cart"]);
    await filter.fill("shop");
    await expect(titles).toHaveText(["Draw a logo"]);
    await filter.fill("extern");
    await expect(titles).toHaveCount(2);
    await filter.fill("no such thing");
    await expect(page.getByText("Nothing matches “no such thing”.")).toBeVisible();
    await filter.press("Escape");
    await expect(titles).toHaveCount(2);
  });

  test("pinned sessions stand on top and stay there over a reload", async ({ page, server }) => {
    const pinned = await server.createSession("Keep me");
    await server.createSession("Newer");
    await logIn(page, server.loginUrl);
    await chooseInMenu(page, pinned, "Pin");
    await expect(projectGroup(page, "Pinned").locator(".session-title")).toHaveText(["Keep me"]);
    await page.reload();
    await expect(page.locator(".session-title")).toHaveText(["Keep me", "Newer"]);
    await openSession(page, pinned);
    await page.keyboard.press("Alt+p");
    await expect(projectGroup(page, "Pinned")).toHaveCount(0);
  });

  test("an archived session leaves the list and its tab, and comes back", async ({ page, server }) => {
    const sessionId = await server.createSession("Done with it");
    const other = await server.createSession("Goes on");
    await logIn(page, server.loginUrl);
    await openSession(page, other);
    await openSession(page, sessionId);
    await page.keyboard.press("Alt+a");
    await expect(listedSession(page, sessionId)).toHaveCount(0);
    await expect(page).toHaveURL(new RegExp(`${other}$`));
    await page.getByRole("button", { name: "Show archived (1)" }).click();
    await chooseInMenu(page, sessionId, "Unarchive");
    await expect(listedSession(page, sessionId)).toHaveAttribute("data-archived", "false");
    await expect(page.getByRole("button", { name: /archived/ })).toBeHidden();
  });

  test("a session at work is archived after a question, and one that asks too", async ({ page, server }) => {
    const sessionId = await server.createAgentSession("demo");
    await server.send(sessionId, "hang");
    await logIn(page, server.loginUrl);
    await openSession(page, sessionId);
    await expect(page.locator('[data-turn-id][data-state="running"]')).toBeVisible();
    await page.keyboard.press("Alt+a");
    const question = page.getByRole("dialog", { name: /^Archive / });
    await expect(question).toContainText("Its agent is at work, and stops with everything it started.");
    await page.keyboard.press("Enter");
    await expect(question, "who presses Enter too soon has done nothing").toBeHidden();
    expect(await server.call("GET", `/api/session/${sessionId}/status`)).toMatchObject({
      activity: "running",
    });
    await chooseInMenu(page, sessionId, "Archive");
    await question.getByRole("button", { name: "Archive", exact: true }).click();
    await expect(listedSession(page, sessionId)).toHaveCount(0);
    const asks = await server.createAgentSession("demo");
    await server.send(asks, "write one.md: one");
    await openSession(page, asks);
    await expect(page.locator(".permission:visible")).toBeVisible();
    await page.keyboard.press("Alt+a");
    await expect(question).toBeVisible();
  });

  test("a session is renamed in its row", async ({ page, server }) => {
    const sessionId = await server.createSession("Working title");
    await logIn(page, server.loginUrl);
    await openSession(page, sessionId);
    await page.keyboard.press("F2");
    const editor = page.getByRole("textbox", { name: "Title" });
    await expect(editor).toBeFocused();
    await editor.fill("Thrown away");
    await editor.press("Escape");
    await expect(page.getByRole("heading", { level: 1 })).toHaveText("Working title");
    await chooseInMenu(page, sessionId, "Rename");
    await editor.fill("Final title");
    await editor.press("Enter");
    await expect(editor).toHaveCount(0);
    await expect(listedSession(page, sessionId)).toContainText("Final title");
    await expect(page.getByRole("heading", { level: 1 })).toHaveText("Final title");
    await expect(tab(page, "Final title")).toBeVisible();
  });

  test("the state of a session is told by a shape and a word", async ({ page, server }) => {
    const asking = await server.createAgentSession("demo");
    const busy = await server.createAgentSession("demo");
    await logIn(page, server.loginUrl);
    const activityOf = (sessionId: string) => listedSession(page, sessionId).locator(".activity");
    await expect(activityOf(asking)).toHaveText("Idle");
    await server.send(asking, "edit a file");
    await expect(activityOf(asking)).toHaveText("Needs your answer");
    await expect(activityOf(asking)).toHaveAttribute("data-activity", "permission");
    await server.send(busy, "hang");
    await expect(activityOf(busy)).toHaveText("Working");
    await server.call("POST", `/api/session/${busy}/kill`);
    await expect(activityOf(busy)).toHaveText("Ended");
    await expect(activityOf(busy)).toHaveAttribute("data-activity", "dead");
    const failing = await server.createAgentSession("demo");
    await server.send(failing, "fail");
    await expect(activityOf(failing)).toHaveText("Error");
    await expect(activityOf(failing)).toHaveAttribute("data-activity", "error");
    const shapes = await activityOf(failing).evaluate(shapesOf, ACTIVITIES);
    expect(new Set(shapes).size, "no two have one shape, whatever their colours").toBe(ACTIVITIES.length);
  });

  test("a session that finished while nobody looked is unread until it is opened", async ({
    page,
    server,
  }) => {
    const busy = await server.createAgentSession("demo");
    const read = await server.createSession("Being read");
    await logIn(page, server.loginUrl);
    await openSession(page, read);
    await server.send(busy, "help");
    const activity = listedSession(page, busy).locator(".activity");
    await expect(activity).toHaveText("Working");
    await expect(activity).toHaveText("Unread");
    await page.reload();
    await expect(activity).toHaveText("Unread");
    await page.keyboard.press("Alt+u");
    await expect(page).toHaveURL(new RegExp(`${busy}$`));
    await expect(activity).toHaveText("Idle");
    await openSession(page, read);
    await page.reload();
    await expectLive(page);
    await expect(activity).toHaveText("Idle");
  });

  test("a session whose turn was over before it was seen running is unread too, and stands first", async ({
    page,
    server,
  }) => {
    const quick = await server.createSession("Quick");
    const read = await server.createSession("Being read");
    await logIn(page, server.loginUrl);
    await openSession(page, read);
    await sayOnce(server, read, "t1", "Read");
    const rows = page.locator("nav.sidebar .session-title");
    await showList(page);
    await expect(rows).toHaveText(["Being read", "Quick"]);
    // What is pointed at does not move.
    await page.mouse.move(900, 400);
    await sayOnce(server, quick, "t1", "All at once");
    await expect(listedSession(page, quick).locator(".activity")).toHaveText("Unread");
    await expect(rows).toHaveText(["Quick", "Being read"]);
  });

  test("keys go from one session to the next, and along the rows", async ({ page, server }) => {
    const below = await server.createSession("Below");
    const above = await server.createSession("Above");
    await logIn(page, server.loginUrl);
    await openSession(page, above);
    await page.keyboard.press("Alt+ArrowDown");
    await expect(page).toHaveURL(new RegExp(`${below}$`));
    await page.keyboard.press("Alt+ArrowUp");
    await expect(page).toHaveURL(new RegExp(`${above}$`));
    await listedSession(page, above).getByRole("link").focus();
    await page.keyboard.press("ArrowDown");
    await expect(listedSession(page, below).getByRole("link")).toBeFocused();
    await page.keyboard.press("F2");
    await expect(page.getByRole("textbox", { name: "Title" })).toHaveValue("Below");
  });

  test("a project is added with what is there offered, and removed without losing anything", async ({
    page,
    server,
  }) => {
    const path = join(server.projectDirectory, "workshop");
    await mkdir(path);
    await logIn(page, server.loginUrl);
    await expect(page.getByText(/^Add a project to get started/)).toBeVisible();
    await page.getByRole("button", { name: "Choose a directory" }).click();
    const sheet = page.getByRole("dialog", { name: "Add a project" });
    await expect(sheet.getByLabel("Directory")).toBeFocused();
    await sheet.getByLabel("Directory").fill(path.slice(0, -2));
    await expect(sheet.getByRole("option")).toContainText(path);
    await sheet.getByLabel("Directory").fill(path);
    await sheet.getByRole("button", { name: "Add project" }).click();
    await expect(sheet).toBeHidden();
    await expect(projectGroup(page, "workshop")).toContainText("No sessions yet");

    await projectGroup(page, "workshop").hover();
    await page.getByRole("button", { name: "New session in workshop" }).click();
    await expect(page.getByLabel("Project directory")).toHaveValue(path);

    const sessionId = await createIn(server, path, "Still here");
    await expect(listedSession(page, sessionId)).toBeVisible();
    const actions = page.getByRole("button", { name: "Actions for project workshop" });
    await actions.click();
    await expect(page.getByRole("menu")).toBeVisible();
    await actions.click();
    await expect(page.getByRole("menu")).toBeHidden();
    await actions.click();
    await page.getByRole("menuitem", { name: "Remove project…" }).click();
    const asked = page.getByRole("dialog", { name: "Remove workshop?" });
    await expect(asked).toContainText("Nothing is deleted");
    await asked.getByRole("button", { name: "Cancel" }).click();
    await expect(projectGroup(page, "workshop")).toBeVisible();
    await actions.click();
    await page.getByRole("menuitem", { name: "Remove project…" }).click();
    await asked.getByRole("button", { name: "Remove project" }).click();
    await expect(projectGroup(page, "workshop")).toHaveCount(0);
    await server.call("POST", "/api/projects", { path });
    await expect(listedSession(page, sessionId)).toBeVisible();
  });

  test.describe("what is refused", () => {
    test.use({ refusals: /status of 40[0149]/ });

    test("a directory that cannot be a project is refused with the reason", async ({ page, server }) => {
      await logIn(page, server.loginUrl);
      await page.getByRole("button", { name: "Add project" }).click();
      const sheet = page.getByRole("dialog", { name: "Add a project" });
      await sheet.getByLabel("Directory").fill(`${server.projectDirectory}/nowhere`);
      await sheet.getByLabel("Directory").press("Enter");
      await expect(sheet.getByRole("alert")).toContainText("does not exist");
      await server.call("POST", "/api/projects", { path: server.projectDirectory });
      await sheet.getByLabel("Directory").fill(server.projectDirectory);
      await sheet.getByLabel("Directory").press("Enter");
      await expect(sheet.getByRole("alert")).toContainText("is there already");
      await expect(page.locator(".project-head")).toHaveCount(1);
      await page.keyboard.press("Escape");
      await expect(sheet).toBeHidden();
    });
  });

  test("earlier sessions of an agent are imported", async ({ page, server }) => {
    await keepClaudeSession(server, "Count the beans");
    await server.call("POST", "/api/projects", { path: server.projectDirectory });
    await logIn(page, server.loginUrl);
    await page.getByRole("button", { name: /^Actions for project/ }).click();
    await page.getByRole("menuitem", { name: "Import sessions…" }).click();
    const sheet = page.getByRole("dialog", { name: /^Import sessions of/ });
    await expect(sheet.getByRole("listitem")).toContainText("Count the beans");
    await expect(sheet.getByRole("listitem")).toContainText("1 prompt");
    await sheet.getByRole("button", { name: "Import" }).click();
    await sheet.getByRole("button", { name: "Open" }).click();
    await expect(page.getByRole("heading", { level: 1 })).toHaveText("Count the beans");
    await expect(page.locator("[data-session-id] .agent-badge")).toContainText("CC");
  });

  test("the list has its shape before it is there", async ({ page, server }) => {
    await server.createSession("Slow to come");
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route("**/api/session/list*", async (route) => {
      await released;
      await route.continue();
    });
    await logIn(page, server.loginUrl);
    await expect(page.locator(".sidebar .skeleton")).toBeVisible();
    await expect(page.getByText(/^Add a project to get started/)).toBeHidden();
    release();
    await expect(page.locator(".session-title")).toHaveText("Slow to come");
    await expect(page.locator(".sidebar .skeleton")).toBeHidden();
  });
});
