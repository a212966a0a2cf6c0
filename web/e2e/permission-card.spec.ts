/** A request is shown whole, answered on purpose, and never lost. */
import { askingSession, cards, give, letSettle, runs, THREE_OPTIONS, waiting } from "./asking-page";
import { expect, test } from "./fixtures";
import { ASKING_AGENT } from "./server";
import { expectLive, logIn, logInForKeys, openSession, runFromPalette } from "./transcript-page";

test.use({ settings: ASKING_AGENT });

test("every option is there in the agent's order, with what will run", async ({ page, server }) => {
  await logIn(page, server.loginUrl);
  const call = runs("make\n  all", { options: THREE_OPTIONS });
  const rawInput = { command: "make\n  all", timeout: 5, env: { DEBUG: ["1"] } };
  const sessionId = await askingSession(server, { ...call, rawInput });
  await openSession(page, sessionId);
  const card = cards(page);
  await expect(card.locator(".permission-options [data-kind]")).toHaveText([
    /^Yes, run it/,
    /^Yes, and for all of make/,
    /^No/,
  ]);
  await expect(card.getByLabel("Command")).toHaveText("make\n  all", { useInnerText: true });
  await expect(card.locator(".permission-facts")).toContainText("timeout5");
  await expect(card.getByLabel("Other arguments")).toContainText('"DEBUG"');
});

test("an edit is shown as the change that it makes", async ({ page, server }) => {
  await logIn(page, server.loginUrl);
  const rawInput = { file_path: "/a.ts", old_string: "one\ntwo", new_string: "one\n2\u202e" };
  const sessionId = await askingSession(server, { title: "Edit a.ts", kind: "edit", rawInput });
  await openSession(page, sessionId);
  await expect(cards(page).locator(".diff-line[data-kind='removed']")).toContainText("two");
  await expect(cards(page).locator(".diff-line[data-kind='added']")).toContainText("2\\u202e");
});

test("a long change is there to its last line, in a box that scrolls, with its size", async ({
  page,
  server,
}) => {
  await logIn(page, server.loginUrl);
  const fresh = Array.from({ length: 300 }, (_, at) => `line ${at}`);
  const edits = [{ old_string: "old", new_string: fresh.join("\n"), replace_all: true }];
  const rawInput = { file_path: "/etc/a", path: "/tmp/b", edits };
  const sessionId = await askingSession(server, { title: "Edit a", kind: "edit", rawInput });
  await openSession(page, sessionId);
  const lines = cards(page).locator(".diff-line");
  await expect(lines).toHaveCount(301);
  await expect(lines.last()).toContainText("line 299");
  await expect(lines.last().locator(".diff-number").first()).toBeEmpty();
  await expect(cards(page)).toContainText("Changes: 301 lines, 2,293 characters");
  await expect(cards(page).getByRole("button", { name: "Copy patch" })).toHaveCount(0);
  // What the change does not show stands beside it.
  await expect(cards(page).locator(".permission-facts")).toContainText("path/tmp/b");
  await expect(cards(page).getByLabel("Other arguments")).toContainText('"replace_all": true');
  const { height } = (await cards(page).locator(".diff-lines").boundingBox()) ?? { height: 0 };
  expect(height).toBeLessThan(300);
});

test("what the agent itself says of a change is shown, also without arguments", async ({ page, server }) => {
  await logIn(page, server.loginUrl);
  const content = [{ type: "diff", path: "/b.ts", oldText: "a\n", newText: "b\n" }];
  const sessionId = await askingSession(server, { title: "Edit b.ts", kind: "edit", content });
  await openSession(page, sessionId);
  await expect(cards(page).locator(".diff-path")).toHaveText("/b.ts");
  await expect(cards(page).locator(".diff-line[data-kind='added']")).toContainText("b");
});

test("keys answer the card that has the focus, and only that", { tag: "@desktop" }, async ({
  page,
  server,
}) => {
  await logInForKeys(page, server.loginUrl);
  const sessionId = await askingSession(
    server,
    runs("first", { options: THREE_OPTIONS }),
    runs("second", { options: THREE_OPTIONS }),
    runs("third", { options: THREE_OPTIONS }),
  );
  await openSession(page, sessionId);
  await expect(cards(page)).toHaveCount(3);
  await page.keyboard.press("y");
  await page.keyboard.press("Alt+y");
  await expect(cards(page).last()).toBeFocused();
  await letSettle(page);
  await page.keyboard.press("n");
  await expect(cards(page)).toHaveCount(2);
  await expect(cards(page).last()).toBeFocused();
  await letSettle(page);
  await page.keyboard.press("a");
  await expect(cards(page)).toHaveCount(1);
  await letSettle(page);
  await page.keyboard.press("y");
  await expect(cards(page)).toHaveCount(0);
  await expect(page.locator('[data-type="message"]').last()).toContainText("Heard no. Heard all. Heard yes.");
});

test("an answer that is not the first of its kind has a key: the digit of its place", {
  tag: "@desktop",
}, async ({ page, server }) => {
  const never = { optionId: "never", name: "Never run make", kind: "reject_always" };
  const options = [...THREE_OPTIONS, never];
  await logInForKeys(page, server.loginUrl);
  const sessionId = await askingSession(server, runs("one", { options }), runs("two", { options }));
  await openSession(page, sessionId);
  await expect(cards(page).first().locator("[data-kind] kbd")).toHaveText(["y", "a", "n", "4"]);
  await letSettle(page);
  await cards(page).first().focus();
  await page.keyboard.press("5");
  await expect(cards(page).first()).toContainText("The agent does not offer that many answers.");
  await page.keyboard.press("4");
  await expect(page.locator(".permission-past")).toContainText("You rejected always (Never run make).");
  await letSettle(page);
  await runFromPalette(page, "Give answer 1");
  await expect(page.locator(".permission-past").last()).toContainText("You allowed once.");
  const chosen = await server.call<{ optionId: string }[]>("GET", "/api/decisions");
  expect(chosen.map(({ optionId }) => optionId).toSorted()).toEqual(["never", "yes"]);
});

test("what comes too soon for a card is ignored and says so", { tag: "@desktop" }, async ({
  page,
  server,
}) => {
  await logIn(page, server.loginUrl);
  const sessionId = await server.createAgentSession("asking");
  await openSession(page, sessionId);
  // In the page itself, so that it comes as soon as a card does.
  await page.evaluate(() => {
    const pressed = new Set();
    new MutationObserver(() => {
      for (const card of document.querySelectorAll(".permission")) {
        if (pressed.has(card)) continue;
        pressed.add(card);
        (card.querySelector("[data-kind=allow_once]") as HTMLButtonElement).click();
      }
    }).observe(document.body, { childList: true, subtree: true });
  });
  await server.send(sessionId, JSON.stringify([runs("first"), runs("second")]));
  await expect(cards(page)).toContainText([/nothing was sent/, /nothing was sent/]);
  expect(await waiting(server)).toHaveLength(2);
  // Nor is a key that was pressed twice an answer to the card that the focus comes to.
  await page.evaluate(() => {
    document.addEventListener("focusin", ({ target }) => {
      if (!(target as Element).matches(".permission")) return;
      target?.dispatchEvent(new KeyboardEvent("keydown", { key: "n", bubbles: true }));
    });
  });
  await letSettle(page);
  await cards(page).first().focus();
  await expect(cards(page)).toHaveCount(1);
  await expect(cards(page)).toBeFocused();
  await expect(cards(page)).toContainText("nothing was sent");
  expect(await waiting(server)).toHaveLength(1);
  await letSettle(page);
  await page.getByRole("button", { name: "Allow", exact: true }).click();
  await expect(page.locator(".permission-past").last()).toContainText("You allowed once.");
});

test("a card keeps its place while it is pointed at, and what moves under the pointer is not pressed", {
  tag: "@desktop",
}, async ({ page, server }) => {
  await logIn(page, server.loginUrl);
  const sessionId = await askingSession(server, runs("first"), runs("second"));
  await openSession(page, sessionId);
  await letSettle(page);
  const second = page.locator(".permission", { hasText: "second" });
  const before = await second.boundingBox();
  await cards(page).last().getByRole("button", { name: "Reject", exact: true }).click();
  await expect(page.locator(".permission-past")).toContainText("You rejected.");
  expect((await second.boundingBox())?.y).toBeCloseTo(before?.y ?? 0, 0);
  // Pressing again where the answered one stood hits nothing.
  await page.mouse.down();
  await page.mouse.up();
  expect(await waiting(server)).toHaveLength(1);
  const height = async () => (await page.locator(".permission-past").boundingBox())?.height ?? 0;
  const kept = await height();
  await page.mouse.move(0, 0);
  await expect.poll(height).toBeLessThan(kept);
});

test("an option that moves under a pointer which is in its card already is not pressed", {
  tag: "@desktop",
}, async ({ page, server }) => {
  await logIn(page, server.loginUrl);
  const sessionId = await askingSession(server, runs("make\n".repeat(9)));
  await openSession(page, sessionId);
  const allow = cards(page).getByRole("button", { name: "Allow", exact: true });
  const place = async () => (await allow.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
  const input = page.getByRole("textbox", { name: "Message" });
  const before = await place();
  await input.fill("\n\n\n\n\n");
  const after = await place();
  expect(before.y - after.y).toBeGreaterThan(before.height);
  await input.fill("");
  await expect.poll(async () => (await place()).y).toBe(before.y);
  // Where the button is going to be, and where it is not yet.
  const [x, y] = [after.x + after.width / 2, after.y + after.height / 2];
  await page.mouse.move(x, y);
  await letSettle(page);
  // In the page itself, so that the press comes at once.
  const pressed = await page.evaluate(
    ({ x, y }) => {
      const field = document.querySelector(".composer-input") as HTMLTextAreaElement;
      field.value = "\n\n\n\n\n";
      field.dispatchEvent(new InputEvent("input", { bubbles: true }));
      const under = document.elementFromPoint(x, y)?.closest("button");
      under?.dispatchEvent(new PointerEvent("pointerdown", { bubbles: true }));
      under?.dispatchEvent(new MouseEvent("click", { bubbles: true, detail: 1 }));
      return under?.dataset.kind;
    },
    { x, y },
  );
  expect(pressed).toBe("allow_once");
  await expect(cards(page)).toContainText("It had just moved: nothing was sent.");
  expect(await waiting(server)).toHaveLength(1);
  // A little later it is where it is.
  await letSettle(page);
  await page.mouse.click(x, y);
  await expect(page.locator(".permission-past")).toContainText("You allowed once.");
});

test("a refusal goes with a reason, which such an agent gets as the next message", async ({
  page,
  server,
}) => {
  await logIn(page, server.loginUrl);
  const sessionId = await askingSession(server, runs("npm test"));
  await openSession(page, sessionId);
  await letSettle(page);
  await give(page.getByRole("button", { name: "Reject with a reason" }));
  const submit = page.getByRole("button", { name: "Reject and say this" });
  await expect(submit).toBeDisabled();
  await page.getByLabel("What the agent should do instead").fill("use pnpm");
  await submit.click();
  await expect(page.locator('[data-type="message"][data-origin="user"]').last()).toContainText("use pnpm");
  await expect(page.locator('[data-type="message"]').last()).toContainText("Heard use pnpm");
});

test("a reason waits for its refusal: one that is not taken sends nothing", async ({ page, server }) => {
  const sent: string[] = [];
  await page.routeWebSocket(/\/ws$/, (socket) => {
    const upstream = socket.connectToServer();
    socket.onMessage((text) => {
      const frame = JSON.parse(String(text));
      sent.push(frame.type);
      if (frame.type !== "permission:answer") return upstream.send(text);
      socket.send(JSON.stringify({ type: "error", message: "Not now.", requestId: frame.requestId }));
    });
  });
  await logIn(page, server.loginUrl);
  const sessionId = await askingSession(server, runs("npm test"));
  await openSession(page, sessionId);
  await letSettle(page);
  await give(page.getByRole("button", { name: "Reject with a reason" }));
  await page.getByLabel("What the agent should do instead").fill("use pnpm");
  await page.getByRole("button", { name: "Reject and say this" }).click();
  await expect(cards(page)).toContainText("Not now.");
  expect(sent).not.toContain("session:send");
  await expect(page.getByLabel("What the agent should do instead")).toHaveValue("use pnpm");
  expect(await waiting(server)).toHaveLength(1);
});

test("half-written words stay with their request when another session is opened", async ({
  page,
  server,
}) => {
  await logIn(page, server.loginUrl);
  const [first, other] = [await askingSession(server, runs("a")), await askingSession(server, runs("b"))];
  await openSession(page, first);
  await give(page.getByRole("button", { name: "Reject with a reason" }));
  const words = page.getByLabel("What the agent should do instead");
  await words.fill("rather");
  await openSession(page, other);
  await expect(cards(page).getByLabel("Command")).toHaveText("b");
  await expect(words).toBeHidden();
  await openSession(page, first);
  await expect(cards(page)).toHaveCount(1);
  await expect(words).toHaveValue("rather");
});

test("a request can be denied with the whole turn", async ({ page, server }) => {
  await logIn(page, server.loginUrl);
  const sessionId = await askingSession(server, runs("make"));
  await openSession(page, sessionId);
  await letSettle(page);
  await give(page.getByRole("button", { name: "Deny and stop" }));
  await expect(page.locator(".permission-past")).toContainText("You denied and stopped.");
  await expect(page.locator(".session-header .activity")).not.toHaveText("Needs your answer");
});

test("what was decided can be read at its item, also after a reload and by whoever was not there", async ({
  page,
  context,
  server,
}) => {
  await logIn(page, server.loginUrl);
  const sessionId = await askingSession(server, runs("make", { options: THREE_OPTIONS }));
  await openSession(page, sessionId);
  await letSettle(page);
  await give(page.getByRole("button", { name: "Yes, and for all of make" }));
  const line = page.locator('[data-type="tool_call"] .decision-line');
  await expect(line).toContainText("Allowed always");
  await page.reload();
  await expectLive(page);
  await expect(line).toContainText("Yes, and for all of make");
  const other = await context.newPage();
  await other.goto(`${server.origin}/#/s/${sessionId}`);
  await expect(other.locator('[data-type="tool_call"] .decision-line')).toContainText("Allowed always");
});

test("an answer from the terminal says so", async ({ page, server }) => {
  await logIn(page, server.loginUrl);
  const sessionId = await askingSession(server, runs("make"));
  await openSession(page, sessionId);
  const [request] = await waiting(server);
  await expect(cards(page)).toBeVisible();
  await server.call("POST", `/api/session/${sessionId}/permission/${request?.permissionId}`, {
    optionId: "yes",
  });
  await expect(page.locator(".permission-past")).toContainText("Allowed once by a program.");
});

test("an answer that was given while this page was away is told when it is back", async ({
  page,
  server,
}) => {
  await page.routeWebSocket(/\/ws$/, (socket) => {
    sockets.push(socket);
    socket.connectToServer();
  });
  const sockets: import("@playwright/test").WebSocketRoute[] = [];
  await logIn(page, server.loginUrl);
  const sessionId = await askingSession(server, runs("make"));
  await openSession(page, sessionId);
  await expect(cards(page)).toBeVisible();
  const [request] = await waiting(server);
  await page.unrouteAll();
  await page.routeWebSocket(/\/ws$/, (socket) => socket.close());
  await sockets.at(-1)?.close();
  await server.call("POST", `/api/session/${sessionId}/permission/${request?.permissionId}`, {
    optionId: "no",
  });
  await page.unrouteAll();
  await page.routeWebSocket(/\/ws$/, (socket) => {
    socket.connectToServer();
  });
  await expect(page.locator(".permission-past")).toContainText("Rejected by a program.");
  await expect(cards(page)).toHaveCount(0);
});

test("a request survives a reload, and ends with the server that asked it", async ({ page, server }) => {
  await logIn(page, server.loginUrl);
  const sessionId = await askingSession(server, runs("first"), runs("second"));
  await openSession(page, sessionId);
  await expect(cards(page)).toHaveCount(2);
  await page.reload();
  await expectLive(page);
  await expect(cards(page)).toHaveCount(2);
  await expect(cards(page).last().getByLabel("Command")).toHaveText("first");
  await server.kill();
  await server.restart();
  // The agent went with the server: nobody waits for an answer any more, and the page says so.
  await expect(page.locator(".permission-past").last()).toContainText(
    "Its turn ended before it was answered.",
  );
  await expect(cards(page)).toHaveCount(0);
});

test("a hundred kilobytes of arguments are shown to their end", async ({ page, server }) => {
  await logIn(page, server.loginUrl);
  const noise = "\u001b[2J\u001b[31mred\u001b[0m \u202eevil\u2066 ";
  const rawInput = { script: `${noise.repeat(5000)}THE END`, n: 1 };
  const sessionId = await askingSession(server, { title: "Evaluate", rawInput });
  await openSession(page, sessionId);
  const box = cards(page).getByLabel("Arguments");
  const text = (await box.textContent()) ?? "";
  expect(text).toContain("THE END");
  expect(text.length).toBeGreaterThan(100_000);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: that none is left is what is tested
  expect(text).not.toMatch(/[\u001b\u202e\u2066]/);
  const { height } = (await cards(page).boundingBox()) ?? { height: 0 };
  expect(height).toBeLessThan(700);
  await letSettle(page);
  await give(cards(page).getByRole("button", { name: "Reject", exact: true }));
  await expect(page.locator(".permission-past")).toContainText("You rejected.");
});
