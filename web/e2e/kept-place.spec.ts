/** A reader who is not at the end stays where they are when the session is told anew, and nothing is lost or doubled by it. */
import type { Page, WebSocketRoute } from "@playwright/test";
import type { SessionId } from "../src/contract";
import { BEGIN, said } from "./calls";
import { expect, test } from "./fixtures";
import { itemName, longSession } from "./long-session";
import { ASKING_AGENT, type Server } from "./server";
import { itemById, logIn, openSession, textOf } from "./transcript-page";

const PAGE = 200;
const transcript = (page: Page) => page.locator('[data-kept="false"] .transcript');
const toLatest = (page: Page) => page.getByRole("button", { name: /^Jump to latest/ });

/** The connections of a page, which can be kept from it. */
class Sockets {
  /** How many histories it was told. */
  told = 0;
  private isCut = false;
  private readonly open = new Set<WebSocketRoute>();

  static async of(page: Page): Promise<Sockets> {
    const sockets = new Sockets();
    await page.routeWebSocket(/\/ws$/, (socket) => sockets.opened(socket));
    return sockets;
  }

  async cut(): Promise<void> {
    this.isCut = true;
    await Promise.all([...this.open].map((socket) => socket.close()));
    this.open.clear();
  }

  mend(): void {
    this.isCut = false;
  }

  private opened(socket: WebSocketRoute): void {
    if (this.isCut) return void socket.close();
    this.open.add(socket);
    const upstream = socket.connectToServer();
    upstream.onMessage((text) => {
      if (String(text).includes('"session:history"')) this.told += 1;
      socket.send(text);
    });
  }
}

/** Scrolls up over what a new connection would be told, and says what is seen first. */
async function goUp(page: Page): Promise<{ id: string; top: number }> {
  for (let pages = 0; pages < 3; pages += 1) {
    await transcript(page).evaluate((box) => box.scrollTo({ top: 0 }));
    await expect.poll(() => transcript(page).evaluate((box) => box.scrollTop)).toBeGreaterThan(500);
  }
  await transcript(page).evaluate((box) => box.scrollTo({ top: 700 }));
  await expect(toLatest(page)).toBeVisible();
  await expect.poll(() => isSettled(page)).toBe(true);
  return firstSeen(page);
}

/** Whether nothing moves from one frame to the next ones. */
async function isSettled(page: Page): Promise<boolean> {
  return transcript(page).evaluate(async (box) => {
    const [top, height] = [box.scrollTop, box.scrollHeight];
    for (let frame = 0; frame < 10; frame += 1) await new Promise(requestAnimationFrame);
    return top === box.scrollTop && height === box.scrollHeight;
  });
}

async function firstSeen(page: Page): Promise<{ id: string; top: number }> {
  return transcript(page).evaluate((box) => {
    const edge = box.getBoundingClientRect().top;
    const rows = [...box.querySelectorAll<HTMLElement>("[data-item-id]")];
    const seen = rows.find((row) => row.getBoundingClientRect().top >= edge);
    return { id: seen?.dataset.itemId ?? "", top: (seen?.getBoundingClientRect().top ?? 0) - edge };
  });
}

async function drift(page: Page, { id, top }: { id: string; top: number }): Promise<number> {
  return transcript(page).evaluate(
    (box, [id, top]) => {
      const row = box.querySelector(`[data-item-id="${id}"]`);
      return Math.abs(
        (row?.getBoundingClientRect().top ?? 1e6) - box.getBoundingClientRect().top - Number(top),
      );
    },
    [id, top] as const,
  );
}

/** Reads from here to the end, and tells all items in the order in which they stand. */
async function readToEnd(page: Page): Promise<string[]> {
  return transcript(page).evaluate(async (box) => {
    const read: string[] = [];
    const pause = async () => {
      for (let frame = 0; frame < 3; frame += 1) await new Promise(requestAnimationFrame);
    };
    const isOver = () =>
      box.scrollHeight - box.clientHeight - box.scrollTop < 2 &&
      !box.querySelector(".edge:last-child:not([hidden])");
    const note = () => {
      const shown = [...box.querySelectorAll<HTMLElement>(".rows [data-item-id]")].map(
        (row) => row.dataset.itemId ?? "",
      );
      if (new Set(shown).size !== shown.length) throw new Error("an item is there twice");
      const next = shown.indexOf(read.at(-1) ?? "") + 1;
      read.push(...shown.slice(next));
    };
    for (note(); !isOver(); note()) {
      box.scrollBy({ top: box.clientHeight });
      await pause();
    }
    return read;
  });
}

/** All items of the session, by their places. */
async function itemsOf(server: Server, sessionId: SessionId): Promise<string[]> {
  type Page = { entries: { itemId: string; position: number }[]; more: boolean };
  const all: Page["entries"] = [];
  for (let before = "", more = true; more; before = `&before=${all[0]?.position}`) {
    const page = await server.call<Page>("GET", `/api/session/${sessionId}/history?limit=500${before}`);
    all.unshift(...page.entries);
    more = page.more;
  }
  return all.map(({ itemId }) => itemId);
}

test.describe("a session is loaded by another client", () => {
  test.use({ settings: ASKING_AGENT });

  test("and who reads what came before stays there", { tag: "@desktop" }, async ({ page, server }) => {
    const sockets = await Sockets.of(page);
    await logIn(page, server.loginUrl);
    const sessionId = await server.createAgentSession("asking");
    for (let turn = 0; turn < 1.2 * PAGE; turn += 1) await server.talk(sessionId, `Turn ${turn}`);
    await openSession(page, sessionId);
    await expect(transcript(page).getByText(`Heard Turn ${1.2 * PAGE - 1}.`)).toBeVisible();
    const before = await goUp(page);
    const { told } = sockets;
    await server.call("POST", `/api/session/${sessionId}/load`);
    await expect.poll(() => sockets.told).toBeGreaterThan(told);
    await expect.poll(() => isSettled(page)).toBe(true);
    expect(await drift(page, before)).toBeLessThanOrEqual(1);
    await toLatest(page).click();
    await expect(transcript(page).getByText(`Heard Turn ${1.2 * PAGE - 1}.`)).toBeInViewport();
  });
});

for (const away of ["another session is looked at", "the connection is lost"]) {
  test(`much happens while ${away}, and the reader comes back to where they were`, {
    tag: "@desktop",
  }, async ({ page, server }) => {
    const sockets = await Sockets.of(page);
    const sessionId = await longSession(server, 600);
    const other = await server.createSession("Other");
    await server.postEvents(sessionId, "open", BEGIN, {
      type: "item_start",
      itemId: "open",
      itemType: "message",
    });
    await server.postEvents(sessionId, "open", { type: "item_delta", itemId: "open", deltaContent: "One. " });
    for (let at = 0; at < 30; at += 1)
      await server.postEvents(sessionId, "open", ...said(`after${at}`, `After ${at}`));
    await logIn(page, server.loginUrl);
    await openSession(page, sessionId);
    await expect(itemById(page, "after29")).toBeInViewport();
    await transcript(page).evaluate((box) => box.scrollBy({ top: -1_500 }));
    await expect(itemById(page, "open")).toBeAttached();
    await expect(toLatest(page)).toBeVisible();
    await expect.poll(() => isSettled(page)).toBe(true);
    const before = await firstSeen(page);
    if (away === "the connection is lost") await sockets.cut();
    else await openSession(page, other);
    await server.postEvents(sessionId, "open", { type: "item_delta", itemId: "open", deltaContent: "Two." });
    await server.postEvents(sessionId, "open", {
      type: "item_done",
      itemId: "open",
      finalItem: { type: "message", content: "One. Two.", origin: "agent" },
    });
    for (let at = 0; at < 1.5 * PAGE; at += 1)
      await server.postEvents(sessionId, "open", ...said(`missed${at}`, `Missed ${at}`));
    if (away === "the connection is lost") sockets.mend();
    else await openSession(page, sessionId);
    await expect(textOf(itemById(page, "open")), "what changed meanwhile is up to date").toHaveText(
      "One. Two.",
    );
    await expect.poll(() => isSettled(page)).toBe(true);
    expect(await drift(page, before)).toBeLessThanOrEqual(1);
    await server.postEvents(sessionId, "open", ...said("live", "Live again"));

    const all = await itemsOf(server, sessionId);
    const read = await readToEnd(page);
    expect(read).toEqual(all.slice(all.indexOf(read[0] ?? "")));
    expect(read).toContain(itemName(599));
    expect(read.at(-1)).toBe("live");
  });
}
