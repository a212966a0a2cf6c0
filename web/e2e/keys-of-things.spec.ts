/** Plain letters do what the buttons of a thing do, while it has the focus; the palette does it from everywhere. */
import type { Page } from "@playwright/test";
import { askingSession, cards, letSettle, runs, THREE_OPTIONS, waiting } from "./asking-page";
import { BEGIN, did, END, said } from "./calls";
import { expect, test } from "./fixtures";
import { ASKING_AGENT, type Server } from "./server";
import { logInForKeys, openSession, runFromPalette } from "./transcript-page";

const queue = (page: Page) => page.locator(".waiting-message");

async function queued(page: Page, server: Server, ...texts: string[]): Promise<void> {
  await logInForKeys(page, server.loginUrl);
  const sessionId = await server.createAgentSession("demo");
  await openSession(page, sessionId);
  for (const text of ["hang", ...texts]) await server.send(sessionId, text);
  await expect(queue(page)).toHaveCount(texts.length);
}

test("a message that waits is edited, moved and removed by keys", { tag: "@desktop" }, async ({
  page,
  server,
}) => {
  await queued(page, server, "one", "two", "three");
  await page.keyboard.press("Alt+q");
  await page.keyboard.press("Alt+Shift+ArrowDown");
  await expect(queue(page)).toHaveText([/^two/, /^one/, /^three/]);
  await page.keyboard.press("e");
  await expect(page.getByLabel("Text that waits").nth(1)).toBeFocused();
  await page.keyboard.type("1 x");
  await page.keyboard.press("Enter");
  await expect(queue(page).nth(1)).toHaveText(/^1 xone|^one1 x/);
  await page.keyboard.press("x");
  await expect(queue(page)).toHaveText([/^two/, /^three/]);
});

test("where it is not clear which one is meant, nothing is done to it", { tag: "@desktop" }, async ({
  page,
  server,
}) => {
  await queued(page, server, "one", "two");
  await page.getByLabel("Message", { exact: true }).focus();
  await runFromPalette(page, "Remove a waiting message");
  await expect(queue(page)).toHaveCount(2);
  await expect(queue(page).first().getByRole("button", { name: "Remove" })).toBeFocused();
  await page.keyboard.press("x");
  await expect(queue(page)).toHaveText([/^two/]);
  await page.getByLabel("Message", { exact: true }).focus();
  await runFromPalette(page, "Remove a waiting message");
  await expect(queue(page)).toHaveCount(0);
});

test("what is read is opened and copied by keys", { tag: "@desktop" }, async ({ page, server, context }) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  const copied = () => page.evaluate(() => navigator.clipboard.readText());
  await logInForKeys(page, server.loginUrl);
  const sessionId = await server.createSession("Read");
  await openSession(page, sessionId);
  await server.postEvents(
    sessionId,
    "t1",
    BEGIN,
    ...said("hello", "Hello\n\n```sh\nls -l\n```\n"),
    ...did("run", "Bash", { command: "make" }, "built"),
    END,
  );
  await expect(page.locator(".tool-line")).toBeVisible();
  await page.locator(".transcript:visible").focus();
  await page.keyboard.press("c");
  await expect.poll(copied).toBe("Hello\n\n```sh\nls -l\n```\n");
  await page.keyboard.press("Shift+C");
  await expect.poll(copied).toContain("ls -l");
  expect(await copied()).not.toContain("Hello");
  await page.keyboard.press("o");
  await expect(page.locator(".output-box")).toHaveText("built");
  await page.keyboard.press("Shift+O");
  await expect.poll(copied).toBe("built");
  await page.keyboard.press("i");
  await expect(page.getByLabel("Arguments", { exact: true })).toContainText("command");
  await page.keyboard.press("Shift+I");
  await expect.poll(copied).toBe("make");
  await runFromPalette(page, "Copy this message as written");
  await expect.poll(copied).toContain("Hello");
  // While one writes they are letters.
  await page.keyboard.press("Control+f");
  await page.keyboard.type("make");
  await expect(page.locator(".find-count")).toContainText("1");
  await page.keyboard.press("F3");
  await expect(page.locator(".find-input")).toHaveValue("make");
});

test("projects are folded, and removed after a question", { tag: "@desktop" }, async ({ page, server }) => {
  await logInForKeys(page, server.loginUrl);
  await openSession(page, await server.createSession("Any"));
  await page.keyboard.press("Alt+Shift+O");
  await expect(page.locator(".project-fold")).toHaveAttribute("aria-expanded", "false");
  await page.keyboard.press("Alt+Shift+O");
  await expect(page.locator(".project-fold")).toHaveAttribute("aria-expanded", "true");
  await page.keyboard.press("Alt+Shift+I");
  await expect(page.getByRole("dialog", { name: /^Import sessions of/ })).toBeVisible();
  await page.keyboard.press("Escape");
  await page.keyboard.press("Alt+Shift+X");
  await expect(page.getByRole("dialog", { name: /^Remove / })).toBeVisible();
  await expect(page.getByRole("button", { name: "Cancel" })).toBeFocused();
  await page.keyboard.press("Escape");
  await page.keyboard.press("/");
  await expect(page.getByLabel("Filter sessions")).toBeFocused();
});

test("a session is set up and started without leaving the keyboard", { tag: "@desktop" }, async ({
  page,
  server,
}) => {
  await logInForKeys(page, server.loginUrl);
  await openSession(page, await server.createSession("Any"));
  await page.keyboard.press("Alt+c");
  await expect(page.getByLabel("Project directory")).toHaveValue(server.projectDirectory);
  // Which agents there are is found out meanwhile.
  await expect(page.getByRole("button", { name: "Start", exact: true })).toBeEnabled();
  await page.keyboard.press("Alt+Enter");
  await expect(page.getByLabel("Message", { exact: true })).toBeFocused();
});

test("the plan is folded by its key", { tag: "@desktop" }, async ({ page, server }) => {
  await logInForKeys(page, server.loginUrl);
  const sessionId = await server.createAgentSession("demo");
  await openSession(page, sessionId);
  await server.send(sessionId, "plan");
  const step = page.locator(".plan-step").first();
  await expect(step).toBeVisible();
  await page.keyboard.press("Alt+Shift+P");
  await expect(step).toBeHidden();
});

test.describe("permissions", () => {
  test.use({ settings: ASKING_AGENT });

  test("are answered from the palette, and refused with a reason or for good by keys", {
    tag: "@desktop",
  }, async ({ page, server }) => {
    await logInForKeys(page, server.loginUrl);
    const options = THREE_OPTIONS;
    const sessionId = await askingSession(server, runs("one", { options }), runs("two", { options }));
    await openSession(page, sessionId);
    await expect(cards(page)).toHaveCount(2);
    await letSettle(page);
    await runFromPalette(page, "Allow it once");
    await expect(
      cards(page)
        .first()
        .getByRole("button", { name: /^Yes, run it/ }),
    ).toBeFocused();
    expect((await waiting(server)).length).toBe(2);
    await runFromPalette(page, "Allow it once");
    await expect(cards(page)).toHaveCount(1);
    await letSettle(page);
    await page.keyboard.press("r");
    await expect(page.getByLabel("What the agent should do instead")).toBeFocused();
    await page.keyboard.press("Escape");
    await page.keyboard.press("Shift+N");
    await expect(cards(page)).toHaveCount(0);
  });

  test("the overview lists them, and the inbox goes from one to the next", {
    tag: "@desktop",
  }, async ({ page, server }) => {
    await logInForKeys(page, server.loginUrl);
    await askingSession(server, runs("same"), runs("same"));
    await page.keyboard.press("Alt+b");
    await expect(cards(page).first()).toBeFocused();
    await page.keyboard.press("?");
    const overview = page.getByRole("dialog", { name: "Keyboard shortcuts" });
    for (const title of ["Allow it once", "Reject it with a reason", "Next permission of the inbox"])
      await expect(overview.getByText(title, { exact: true })).toBeVisible();
    await page.keyboard.press("Escape");
    await runFromPalette(page, "Next permission of the inbox");
    await expect(cards(page).nth(1)).toBeFocused();
    await letSettle(page);
    await page.keyboard.press("Shift+Y");
    await expect(cards(page)).toHaveCount(0);
  });
});
