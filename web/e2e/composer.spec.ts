/** Writing to an agent: what is typed grows, is completed, is kept, and can carry images. */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Page, WebSocketRoute } from "@playwright/test";
import { expect, test } from "./fixtures";
import type { Server } from "./server";
import { expectLive, logIn, openSession } from "./transcript-page";

const message = (page: Page) => page.getByLabel("Message", { exact: true });
const prompts = (page: Page) => page.locator('[data-type="message"][data-origin="user"]');
const send = (page: Page) => page.getByRole("button", { name: "Send", exact: true });

async function demo(page: Page, server: Server, cliType = "demo"): Promise<string> {
  await logIn(page, server.loginUrl);
  const sessionId = await server.createAgentSession(cliType);
  await openSession(page, sessionId);
  await expect(message(page)).toBeVisible();
  return sessionId;
}

test("the field grows from three lines to thirteen, and nothing is sent while it is empty", async ({
  page,
  server,
  isMobile,
}) => {
  await demo(page, server);
  await expect(send(page)).toBeDisabled();
  const height = () => message(page).evaluate((field) => field.clientHeight);
  const line = await message(page).evaluate((field) => Number.parseFloat(getComputedStyle(field).lineHeight));
  const empty = await height();
  expect(empty).toBeGreaterThanOrEqual(3 * line);
  await message(page).fill("a\nb\nc");
  expect(await height()).toBe(empty);
  await message(page).fill("a\n".repeat(7));
  const eight = await height();
  expect(eight).toBeGreaterThanOrEqual(8 * line);
  await message(page).fill("a\n".repeat(40));
  const most = await height();
  expect(most).toBeLessThan(15 * line);
  if (!isMobile) expect(most).toBeGreaterThanOrEqual(13 * line);
  await message(page).fill("  ");
  await expect(send(page)).toBeDisabled();
});

test("Enter sends and Shift+Enter starts a line, or the other way round; Ctrl+Enter always sends", async ({
  page,
  server,
}) => {
  await demo(page, server);
  await message(page).fill("help");
  await message(page).press("Shift+Enter");
  await message(page).pressSequentially("me");
  await expect(message(page)).toHaveValue("help\nme");
  await message(page).press("Enter");
  await expect(prompts(page)).toHaveCount(1);
  await enterStartsALine(page);
  await message(page).fill("list");
  await message(page).press("Enter");
  await expect(message(page)).toHaveValue("list\n");
  await message(page).press("Control+Enter");
  await expect(prompts(page)).toHaveCount(2);
  await message(page).fill("list");
  await message(page).press("Shift+Enter");
  await expect(prompts(page)).toHaveCount(3);
});

async function enterStartsALine(page: Page): Promise<void> {
  await page.evaluate(() => localStorage.setItem("liminal-preferences", '{"enterSends":false}'));
  await page.reload();
  await expect(prompts(page)).toHaveCount(1);
  await expect(message(page)).toBeVisible();
}

test("drafts stay with their session, also over a reload", async ({ page, server }) => {
  const first = await demo(page, server);
  await message(page).fill("for the first");
  const second = await server.createAgentSession("demo");
  await page.goto(`${server.origin}/#/s/${second}`);
  await expect(message(page)).toHaveValue("");
  await message(page).fill("for the second");
  await page.goto(`${server.origin}/#/s/${first}`);
  await expect(message(page)).toHaveValue("for the first");
  await page.reload();
  await expect(message(page)).toHaveValue("for the first");
});

test("earlier prompts come back with the arrow key, but never over what is being written", async ({
  page,
  server,
}) => {
  const sessionId = await demo(page, server);
  await server.send(sessionId, "list files");
  await expect(prompts(page)).toHaveCount(1);
  await message(page).fill("help");
  await message(page).press("Enter");
  await expect(prompts(page)).toHaveCount(2);
  await page.reload();
  await expect(prompts(page)).toHaveCount(2);
  // The field comes with the list of sessions, which may be later than what was said.
  await expect(message(page)).toBeVisible();
  await message(page).press("ArrowUp");
  await expect(message(page)).toHaveValue("help");
  await message(page).press("ArrowUp");
  await expect(message(page)).toHaveValue("list files");
  await message(page).press("ArrowDown");
  await message(page).press("ArrowDown");
  await expect(message(page)).toHaveValue("");
  await message(page).fill("new");
  await message(page).press("ArrowUp");
  await expect(message(page)).toHaveValue("new");
});

test("files are completed behind an @", async ({ page, server }) => {
  await mkdir(join(server.projectDirectory, "src"));
  await writeFile(join(server.projectDirectory, "src", "main.rs"), "");
  await writeFile(join(server.projectDirectory, "src", "map.rs"), "");
  await demo(page, server);
  await message(page).pressSequentially("read @ma");
  const options = page.getByRole("option");
  await expect(options).toHaveCount(2);
  await expect(message(page)).toHaveAttribute(
    "aria-activedescendant",
    (await options.first().getAttribute("id")) ?? "",
  );
  await message(page).pressSequentially("p");
  await expect(options).toHaveText([/map\.rs/]);
  await message(page).press("Enter");
  await expect(message(page)).toHaveValue("read @src/map.rs ");
  await expect(options).toHaveCount(0);
  await message(page).pressSequentially("and @main");
  await options.first().click();
  await expect(message(page)).toHaveValue("read @src/map.rs and @src/main.rs ");
  await expect(message(page)).toBeFocused();
});

test("commands of the agent are completed behind a /, and Esc leaves them", async ({ page, server }) => {
  await demo(page, server);
  await message(page).pressSequentially("/li");
  const options = page.getByRole("option");
  await expect(options).toHaveText([/^\/list a directory, or nothing/]);
  await message(page).press("Escape");
  await expect(options).toHaveCount(0);
  await message(page).pressSequentially("s");
  await page.waitForTimeout(300);
  await expect(options).toHaveCount(0);
  await message(page).fill("");
  await message(page).pressSequentially("/hel");
  await expect(options).toHaveText([/^\/help/]);
  await message(page).press("Tab");
  await expect(message(page)).toHaveValue("/help ");
  await message(page).press("Enter");
  await expect(prompts(page)).toHaveText(/\/help/);
});

test("the mode is always in sight and is changed by key", async ({ page, server, isMobile }) => {
  const sessionId = await demo(page, server);
  const mode = page.getByRole("combobox", { name: "Mode", exact: true });
  await expect(mode).toHaveText(/Ask/);
  await page.keyboard.press("Alt+g");
  await expect(page.getByRole("option")).toHaveText([/^Ask/, /^Auto-edit/, /^Read-only/]);
  if (isMobile) await page.getByRole("option", { name: /Auto-edit/ }).click();
  else {
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
  }
  await expect(mode).toHaveText(/Auto-edit/);
  const options = await server.call<{ currentModeId: string }>("GET", `/api/session/${sessionId}/options`);
  expect(options.currentModeId).toBe("auto-edit");
});

test("a mode that never asks is marked", async ({ page, server }) => {
  await page.route("**/options", (route) =>
    route.fulfill({
      json: {
        models: [{ modelId: "m", name: "Model M" }],
        modes: [{ modeId: "full-access", name: "Full Access", description: "Never asks", neverAsks: true }],
        currentModeId: "full-access",
        currentModelId: "m",
        commands: [],
      },
    }),
  );
  await demo(page, server);
  const mode = page.getByRole("combobox", { name: "Mode", exact: true });
  await expect(mode).toHaveAttribute("data-risky", "true");
  await expect(page.getByRole("combobox", { name: "Model", exact: true })).toHaveText(/Model M/);
});

test("without a connection a session does not show the mode of the one that was open before", async ({
  page,
  server,
}) => {
  const gate = { isOpen: true };
  const sockets: WebSocketRoute[] = [];
  await page.routeWebSocket(/\/ws$/, (socket) => {
    if (!gate.isOpen) return void socket.close();
    sockets.push(socket);
    socket.connectToServer();
  });
  const second = await server.createAgentSession("demo");
  await demo(page, server);
  const mode = page.getByRole("combobox", { name: "Mode", exact: true });
  await expect(mode).toHaveText(/Ask/);
  gate.isOpen = false;
  for (const socket of sockets) await socket.close();
  await expect(page.locator(".connection")).toContainText("Offline");
  await page.goto(`${server.origin}/#/s/${second}`);
  await expect(message(page)).toBeVisible();
  await expect(mode).toBeHidden();
  gate.isOpen = true;
  await expectLive(page);
  await expect(mode).toHaveText(/Ask/);
});

test("without a connection a message can still be sent, changed and taken back", async ({ page, server }) => {
  const sessionId = await demo(page, server);
  const gate = { isOpen: false };
  await page.routeWebSocket(/\/ws$/, (socket) => {
    if (gate.isOpen) socket.connectToServer();
    else void socket.close();
  });
  await page.goto(`${server.origin}/#/s/${sessionId}`);
  await page.reload();
  await expect(page.locator(".connection")).toContainText("Offline");
  for (const text of ["hlep", "never mind"]) {
    await message(page).fill(text);
    await send(page).click();
  }
  const waiting = page.locator(".waiting-message");
  await expect(waiting).toHaveText([/hlep/, /never mind/]);
  await waiting.first().hover();
  await waiting.first().getByRole("button", { name: "Edit" }).click();
  await page.getByLabel("Text that waits").first().fill("help");
  await page.keyboard.press("Enter");
  await waiting.last().hover();
  await waiting.last().getByRole("button", { name: "Remove" }).click();
  await expect(waiting).toHaveText([/^help/]);
  gate.isOpen = true;
  await expectLive(page);
  await expect(waiting).toHaveCount(0);
  await expect(prompts(page)).toHaveText([/help/]);
});

/** What the browser keeps images under. */
function keptNames(page: Page): Promise<string[]> {
  return page.evaluate(async () => {
    // Opening it would make it.
    if (!(await indexedDB.databases()).some(({ name }) => name === "liminal")) return [];
    return new Promise<string[]>((resolve) => {
      const request = indexedDB.open("liminal");
      request.onsuccess = () => {
        const names = request.result.transaction("images").objectStore("images").getAllKeys();
        names.onsuccess = () => {
          request.result.close();
          resolve(names.result.map(String));
        };
      };
    });
  });
}

/** As some browsers in private windows: images are kept nowhere. */
async function keepNothing(page: Page): Promise<void> {
  await page.addInitScript(() => Object.defineProperty(window, "indexedDB", { value: undefined }));
}

test.describe("images", () => {
  const looking = fileURLToPath(new URL("looking-agent.mjs", import.meta.url));
  test.use({
    settings: `[agents.looking]\nprotocol = "acp"\ncommand = ["${process.execPath}", "${looking}"]\n`,
  });
  const pixel =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==";
  const picture = { name: "a.png", mimeType: "image/png", buffer: Buffer.from(pixel, "base64") };

  test("are added, seen, taken out, and sent with the message", async ({ page, server }) => {
    await demo(page, server, "looking");
    const files = page.getByLabel("Images to add");
    await files.setInputFiles([picture, { ...picture, name: "b.png" }]);
    await expect(page.getByRole("img", { name: "a.png" })).toHaveJSProperty("naturalWidth", 1);
    await page.getByRole("button", { name: "Remove b.png" }).click();
    await files.setInputFiles({ name: "n.txt", mimeType: "text/plain", buffer: Buffer.from("x") });
    await expect(page.locator(".attachment-note")).toContainText("n.txt is no PNG");
    await expect(send(page), "an image alone is a message").toBeEnabled();
    await message(page).fill("what is this");
    await send(page).click();
    await expect(page.locator('[data-origin="agent"]')).toContainText("1 images (image/png): what is this");
    await expect(page.locator(".attachment")).toHaveCount(0);
    await expect(page.locator(".waiting-message")).toHaveCount(0);
  });

  test("are pasted", async ({ page, server }) => {
    await demo(page, server, "looking");
    await message(page).evaluate((field, data) => {
      const bytes = Uint8Array.from(atob(data), (character) => character.charCodeAt(0));
      const transfer = new DataTransfer();
      transfer.items.add(new File([bytes], "pasted.png", { type: "image/png" }));
      field.dispatchEvent(
        new ClipboardEvent("paste", { clipboardData: transfer, bubbles: true, cancelable: true }),
      );
    }, pixel);
    await expect(page.getByRole("img", { name: "pasted.png" })).toBeVisible();
  });

  test("outlive a reload, in a draft and in a message that waits", async ({ page, server }) => {
    await demo(page, server, "looking");
    await page.getByLabel("Images to add").setInputFiles([picture, { ...picture, name: "b.png" }]);
    await message(page).fill("a draft");
    await expect.poll(() => keptNames(page)).toHaveLength(1);
    await page.reload();
    await expect(page.getByRole("img", { name: "a.png" })).toHaveJSProperty("naturalWidth", 1);
    await expect(page.getByRole("img", { name: "b.png" })).toBeVisible();
    await expect(page.locator(".attachment-note")).toBeHidden();
    const gate = { isOpen: false };
    await page.routeWebSocket(/\/ws$/, (socket) => {
      if (gate.isOpen) socket.connectToServer();
      else void socket.close();
    });
    await page.reload();
    await expect(page.locator(".connection")).toContainText("Offline");
    await expect(page.locator(".attachment")).toHaveCount(2);
    await send(page).click();
    await expect(page.locator(".waiting-message")).toContainText("Waiting for the connection");
    await expect.poll(() => keptNames(page)).toEqual([expect.stringMatching(/^sent /)]);
    await page.reload();
    await expect(page.locator(".waiting-message")).toContainText("Waiting for the connection");
    await expect(page.locator(".attachment"), "they belong to the message by now").toHaveCount(0);
    gate.isOpen = true;
    await expectLive(page);
    await expect(page.locator('[data-origin="agent"]')).toContainText(
      "2 images (image/png,image/png): a draft",
    );
    await expect(page.locator(".waiting-message")).toHaveCount(0);
    await expect.poll(() => keptNames(page), "nothing of what was sent is kept").toEqual([]);
  });

  test("outlive a reload also on their way", async ({ page, server }) => {
    await demo(page, server, "looking");
    await page.route("**/send", () => {});
    await page.getByLabel("Images to add").setInputFiles(picture);
    await message(page).fill("look");
    await send(page).click();
    await expect(page.locator(".waiting-message")).toContainText("Sending");
    await expect.poll(() => keptNames(page)).toEqual([expect.stringMatching(/^sent /)]);
    await page.unrouteAll();
    await page.reload();
    await expect(page.locator('[data-origin="agent"]')).toContainText("1 images (image/png): look");
    await expect(page.locator(".waiting-message")).toHaveCount(0);
  });

  test("of a draft are the same in every window, and none says that they are lost", async ({
    page,
    server,
    context,
  }) => {
    const sessionId = await demo(page, server, "looking");
    await page.getByLabel("Images to add").setInputFiles(picture);
    await expect.poll(() => keptNames(page)).toEqual([`draft ${sessionId}`]);
    const other = await context.newPage();
    await other.goto(page.url());
    await expect(other.getByRole("img", { name: "a.png" })).toBeVisible();
    await expect(other.locator(".attachment-note")).toBeHidden();
    await message(page).fill("look");
    await send(page).click();
    await expect(other.locator('[data-origin="agent"]')).toContainText("1 images (image/png): look");
    await expect(other.locator(".attachment")).toHaveCount(0);
    await other.reload();
    await expectLive(other);
    await expect(other.locator(".attachment-note")).toBeHidden();
  });

  test("that a reload loses are spoken of, in a draft and in a message that waits", async ({
    page,
    server,
  }) => {
    await keepNothing(page);
    await demo(page, server, "looking");
    await page.getByLabel("Images to add").setInputFiles(picture);
    await message(page).fill("a draft");
    await page.reload();
    await expect(page.locator(".attachment-note")).toContainText("An image of this draft went with a reload");
    await expect(message(page)).toHaveValue("a draft");
    const gate = { isOpen: false };
    await page.routeWebSocket(/\/ws$/, (socket) => {
      if (gate.isOpen) socket.connectToServer();
      else void socket.close();
    });
    await page.reload();
    await expect(page.locator(".connection")).toContainText("Offline");
    await page.getByLabel("Images to add").setInputFiles(picture);
    await send(page).click();
    await expect(page.locator(".waiting-message")).toContainText("Waiting for the connection");
    await page.reload();
    await expect(page.locator(".waiting-message")).toContainText("A reload lost its images");
    gate.isOpen = true;
    await expectLive(page);
    await expect(page.locator(".waiting-message")).toContainText("A reload lost its images");
    await page.locator(".waiting-message").hover();
    await page.getByRole("button", { name: "Go without them" }).click();
    await expect(page.locator('[data-origin="agent"]')).toContainText("0 images (): a draft");
  });

  test("that a reload lost on their way do not hold back what comes after, once the message is removed", async ({
    page,
    server,
  }) => {
    await keepNothing(page);
    await demo(page, server, "looking");
    await page.route("**/send", () => {});
    await page.getByLabel("Images to add").setInputFiles(picture);
    await message(page).fill("look");
    await send(page).click();
    await expect(page.locator(".waiting-message")).toContainText("Sending");
    await page.reload();
    await expectLive(page);
    await message(page).fill("and listen");
    await send(page).click();
    const waiting = page.locator(".waiting-message");
    await expect(waiting).toHaveText([/^look/, /^and listen/]);
    await waiting.first().hover();
    await waiting.first().getByRole("button", { name: "Remove" }).click();
    await expect(waiting).toHaveCount(0);
    await expect(prompts(page)).toHaveText([/and listen/]);
  });

  test.describe("of a message that is refused", () => {
    test.use({ refusals: /status of (401|400)/ });

    test("come back to its session, also while another one is open", async ({ page, server }) => {
      const first = await demo(page, server, "looking");
      const second = await server.createAgentSession("looking");
      let refuse = () => {};
      const slow = new Promise<void>((resolve) => {
        refuse = resolve;
      });
      await page.route("**/send", async (route) => {
        await slow;
        await route.fulfill({ status: 400, json: { code: "INVALID_REQUEST", message: "not these images" } });
      });
      await page.getByLabel("Images to add").setInputFiles(picture);
      await message(page).fill("look");
      await send(page).click();
      await openSession(page, second);
      refuse();
      await expect(page.locator(".problem")).toContainText("not these images");
      await expect(page.locator(".attachment")).toHaveCount(0);
      await openSession(page, first);
      await expect(message(page)).toHaveValue("look");
      await expect(page.getByRole("img", { name: "a.png" })).toHaveJSProperty("naturalWidth", 1);
      await expect(page.locator(".attachment-note")).toBeHidden();
      await page.unrouteAll();
      await send(page).click();
      await expect(page.locator('[data-origin="agent"]')).toContainText("1 images (image/png): look");
    });
  });

  test("do not let the next message overtake them", async ({ page, server }) => {
    await demo(page, server, "looking");
    let letGo = () => {};
    const slow = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    await page.route("**/send", async (route) => {
      await slow;
      await route.continue();
    });
    await page.getByLabel("Images to add").setInputFiles(picture);
    for (const text of ["look", "and listen"]) {
      await message(page).fill(text);
      await send(page).click();
    }
    await expect(page.locator(".waiting-message")).toHaveText([/^look/, /^and listen/]);
    await expect(prompts(page)).toHaveCount(0);
    letGo();
    await expect(prompts(page)).toHaveText([/look/, /and listen/]);
  });

  test("are refused before sending by an agent that takes none", async ({ page, server }) => {
    const known = page.waitForResponse("**/api/agents");
    await demo(page, server);
    await known;
    await expect(page.getByRole("button", { name: "Add image" })).toBeHidden();
    await page.getByLabel("Images to add").setInputFiles(picture);
    await expect(page.locator(".attachment-note")).toContainText("This agent takes no images");
  });
});
