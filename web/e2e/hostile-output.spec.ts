/** What agents say is text, whatever it looks like: nothing of it runs, and nothing of it is fetched. */
import type { BrowserContext, Page } from "@playwright/test";
import { visibleJson, visibleLine, visibleText } from "../src/text/visible-text";
import { give } from "./asking-page";
import { expect, test } from "./fixtures";
import { HOSTILE } from "./hostile-payloads";
import { ASKING_AGENT, type Server } from "./server";
import { expectLive, itemById, itemsOfType, logIn, openSession, turnLine } from "./transcript-page";

const TURN = "t1";

/** Everything that any page of the context asks for elsewhere. */
function foreignRequests(context: BrowserContext, server: Server): string[] {
  const asked: string[] = [];
  context.on("request", (request) => {
    const url = new URL(request.url());
    if (url.origin !== server.origin && url.protocol !== "data:") asked.push(request.url());
  });
  return asked;
}

async function expectUnharmed(page: Page, foreign: string[]): Promise<void> {
  // What runs late, such as a handler of a failed picture, has had its time.
  await page.waitForTimeout(300);
  expect(await page.evaluate(() => "__pwned" in window)).toBe(false);
  expect(foreign).toEqual([]);
  await expectLive(page);
}

test("the corpus is as large as is promised", () => {
  expect(new Set(HOSTILE).size).toBeGreaterThanOrEqual(200);
});

test("S-16 nothing that an agent says runs or is fetched, half-said, said, or told again", async ({
  page,
  context,
  server,
}) => {
  const foreign = foreignRequests(context, server);
  await logIn(page, server.loginUrl);
  const sessionId = await server.createSession(`<img src=x onerror="window.__pwned=1">`);
  await openSession(page, sessionId);
  await server.postEvents(sessionId, TURN, {
    type: "response_start",
    modelId: HOSTILE[0] ?? "",
    providerId: HOSTILE[1] ?? "",
  });
  const all = HOSTILE.join("\n\n");
  for (const itemType of ["message", "reasoning"] as const) {
    await server.postEvents(sessionId, TURN, { type: "item_start", itemId: itemType, itemType });
    // In pieces that end anywhere, so that the page draws many a half of them.
    for (let at = 0; at < all.length; at += 997) {
      const deltaContent = all.slice(at, at + 997);
      await server.postEvents(sessionId, TURN, { type: "item_delta", itemId: itemType, deltaContent });
    }
  }
  await server.postEvents(
    sessionId,
    TURN,
    {
      type: "item_done",
      itemId: "message",
      finalItem: { type: "message", content: all, origin: "agent" },
    },
    {
      type: "item_done",
      itemId: "reasoning",
      finalItem: { type: "reasoning", content: all, providerId: "p" },
    },
    ...toolCalls(),
    { type: "response_done", status: "completed" },
  );
  await expect(turnLine(page, TURN)).toHaveAttribute("data-state", "completed");
  await expectUnharmed(page, foreign);
  for (const fold of await page.locator("details").all()) {
    await fold.evaluate((details) => details.setAttribute("open", ""));
  }
  await expectUnharmed(page, foreign);

  await page.reload();
  await expect(itemsOfType(page, "message")).toHaveCount(1);
  await expect(itemsOfType(page, "message")).toHaveAttribute("data-status", "complete");
  await expectUnharmed(page, foreign);
});

test("S-16 each prefix of what is hostile is drawn, and nothing of it runs or is fetched", async ({
  page,
  context,
  server,
}) => {
  const foreign = foreignRequests(context, server);
  await logIn(page, server.loginUrl);
  const sessionId = await server.createSession("Letter by letter");
  await openSession(page, sessionId);
  await server.postEvents(sessionId, TURN, { type: "response_start", modelId: "m", providerId: "p" });
  const links: string[] = [];
  // Each is a message of its own and grows in pieces of a few letters, many of them in one request.
  for (let at = 0; at < HOSTILE.length; at += 8) {
    const group = HOSTILE.slice(at, at + 8);
    const ids = group.map((_, n) => `h${at + n}`);
    await server.postEvents(
      sessionId,
      TURN,
      ...ids.map((itemId) => ({ type: "item_start", itemId, itemType: "message" }) as const),
    );
    const longest = Math.max(...group.map((text) => text.length));
    const pieces = Array.from({ length: Math.ceil(longest / 3) }, (_, n) =>
      group.flatMap((text, which) => {
        const deltaContent = text.slice(n * 3, n * 3 + 3);
        return deltaContent === ""
          ? []
          : [{ type: "item_delta", itemId: ids[which] ?? "", deltaContent } as const];
      }),
    );
    for (const piece of pieces) await server.postEvents(sessionId, TURN, ...piece);
    // Those that are far above are let go.
    for (const itemId of ids) await expect(itemById(page, itemId)).toHaveCount(1);
    const inGroup = page.locator(".prose a");
    links.push(...(await inGroup.evaluateAll((all) => all.map((one) => (one as HTMLAnchorElement).href))));
  }
  await expectUnharmed(page, foreign);
  expect(links.length).toBeGreaterThan(0);
  expect(links.filter((href) => !/^(https?:\/\/|mailto:)/.test(href))).toEqual([]);
});

/** Each piece of a tool call that is somebody else's words. */
function toolCalls() {
  const words = HOSTILE.slice(0, 40);
  return words.flatMap((text, at) => {
    const [callId, callItem, outputItem] = [`call-${at}`, `c${at}`, `o${at}`];
    const call = { type: "function_call", name: text, callId, arguments: { [text]: text } } as const;
    const output = { type: "function_call_output", callId, output: text, isError: at % 2 === 0 } as const;
    return [
      { type: "item_start", itemId: callItem, itemType: "function_call", name: text, callId },
      { type: "item_done", itemId: callItem, finalItem: call },
      { type: "item_start", itemId: outputItem, itemType: "function_call_output", callId },
      { type: "item_done", itemId: outputItem, finalItem: output },
    ] as const;
  });
}

test("S-19 an address tells the page neither a server nor a credential nor where to go", async ({
  page,
  context,
  server,
}) => {
  const foreign = foreignRequests(context, server);
  const sockets: string[] = [];
  page.on("websocket", (socket) => sockets.push(socket.url()));
  await logIn(page, server.loginUrl);
  const evil = "canary.invalid";
  for (const address of [
    `/?gatewayUrl=ws://${evil}/&token=t&next=//${evil}&url=http://${evil}&server=${evil}&api=http://${evil}`,
    `/?redirect=http://${evil}/&return=//${evil}&code=c&login=c`,
    `/#/s/..%2f..%2f${evil}`,
    `/#//${evil}/`,
    `/#gatewayUrl=ws://${evil}/`,
    `/#/s/javascript:window.__pwned=1`,
  ]) {
    await page.goto(server.origin + address);
    await page.reload();
    await expect(page.locator(".connection")).toBeVisible();
    expect(new URL(page.url()).origin).toBe(server.origin);
    await page.waitForTimeout(200);
  }
  expect(await page.evaluate(() => "__pwned" in window)).toBe(false);
  expect(foreign).toEqual([]);
  const ours = server.origin.replace("http", "ws");
  expect(sockets.filter((url) => !url.startsWith(`${ours}/`))).toEqual([]);
});

test.describe(() => {
  test.use({ settings: ASKING_AGENT });

  test("S-29 all of what is to be allowed is shown, however long and however hidden", async ({
    page,
    server,
  }) => {
    await logIn(page, server.loginUrl);
    const command = `ls${" ".repeat(2000)}${"\n".repeat(500)}; rm -rf /\u202eecho\u200b ${"x".repeat(64 * 1024)} tail`;
    const title = "ls\u202e; rm\u0007\n -rf";
    const sessionId = await server.createAgentSession("asking");
    await server.send(sessionId, JSON.stringify({ title, rawInput: { command } }));
    await openSession(page, sessionId);
    const card = page.locator(".permission");
    await expect(card).toBeVisible();
    expect(await card.locator(".permission-title").textContent()).toBe(visibleLine(title));
    // What will run, as it is; and all arguments as they were told.
    const shown = await card.getByLabel("Command").textContent();
    expect(shown).toBe(visibleText(command));
    expect(shown).not.toMatch(/[\u202e\u200b]/);
    expect(await card.getByLabel("Arguments").textContent()).toBe(visibleJson({ command }));
    await expect(card).toContainText("501 lines");
    // Its end can be reached.
    await card.getByLabel("Command").evaluate((code) => code.scrollTo(0, code.scrollHeight));
    await give(card.getByRole("button", { name: "Reject", exact: true }));
    await expect(card).toBeHidden();
  });
});
