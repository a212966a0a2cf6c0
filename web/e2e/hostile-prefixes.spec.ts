/** Every beginning of every hostile text is drawn, one after the other, and nothing of it runs or is fetched. */
import { answersFor, BareServer } from "./bare-server";
import { expect, test } from "./fixtures";
import { HOSTILE } from "./hostile-payloads";
import { itemsOfType } from "./transcript-page";

const SESSION = "s1";
/** Drawn side by side. */
const AT_ONCE = 100;

test("S-16 every prefix of every hostile text is drawn without harm", { tag: "@desktop" }, async ({
  page,
  server,
}) => {
  test.slow();
  const foreign: string[] = [];
  const bare = await BareServer.start(server.origin, answersFor(SESSION));
  page.on("request", (request) => {
    if (new URL(request.url()).origin !== bare.origin) foreign.push(request.url());
  });
  await page.goto(`${bare.origin}/#/s/${SESSION}`);
  await expect.poll(() => bare.isOpen).toBe(true);
  bare.open(SESSION);
  const drawn = new Drawn(bare);
  for (let from = 0; from < HOSTILE.length; from += AT_ONCE) {
    const group = HOSTILE.slice(from, from + AT_ONCE);
    const longest = Math.max(...group.map((text) => text.length));
    for (let length = 1; length <= longest; length += 1) {
      drawn.tell(from, group, length);
      // What is drawn next must not hide this prefix: it waits until this one is on the screen.
      await page.evaluate(() => new Promise((drawn) => requestAnimationFrame(() => setTimeout(drawn))));
    }
  }
  await expect(itemsOfType(page, "message").last()).toHaveAttribute("data-status", "complete");
  expect(await page.evaluate(() => "__pwned" in window)).toBe(false);
  expect(foreign).toEqual([]);
  bare.stop();
});

class Drawn {
  private seq = 0;

  constructor(private readonly bare: BareServer) {}

  /** Tells the beginnings of these texts; those that are told already are left out. */
  tell(from: number, texts: string[], length: number): void {
    for (const [at, text] of texts.entries()) {
      if (text.length < length) continue;
      this.seq += 1;
      const now = new Date().toISOString();
      this.bare.say({
        type: "session:upsert",
        sessionId: SESSION,
        seq: this.seq,
        payload: {
          turnId: "t1",
          sessionId: SESSION,
          itemId: `i${from + at}`,
          type: "message",
          origin: "agent",
          content: text.slice(0, length),
          status: length === text.length ? "complete" : length === 1 ? "create" : "update",
          sourceTimestamp: now,
          emittedAt: now,
          seq: this.seq,
          position: from + at + 1,
        },
      });
    }
  }
}
