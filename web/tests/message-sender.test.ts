import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { TextStore } from "../src/compose/kept-text";
import { MessageSender } from "../src/server/message-sender";
import { Outbox, type Outgoing } from "../src/server/outbox";
import { twoWindows } from "./two-windows";

const forgetful: TextStore = {
  length: 0,
  key: () => null,
  getItem: () => null,
  setItem: () => {},
  removeItem: () => {},
};

/** A request that was made, to be answered. */
type Asked = {
  path: string;
  body: { content: string; clientMessageId: string };
  answer(answer: Response): void;
};

let asked: Asked[] = [];

beforeEach(() => {
  asked = [];
  vi.useFakeTimers();
  vi.stubGlobal("fetch", (path: string, { body }: { body: string }) => {
    return new Promise<Response>((answer) => asked.push({ path, body: JSON.parse(body), answer }));
  });
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

function written(clientMessageId: string, content = clientMessageId, sessionId = "s"): Outgoing {
  return { sessionId, clientMessageId, content, writtenAt: 1 };
}

/** A sender with a connection, and what it did. */
function page(outbox = new Outbox(forgetful)) {
  const sent: string[] = [];
  const refusals: [string, string][] = [];
  const sender = new MessageSender(outbox, {
    isLive: () => true,
    bySocket: ({ clientMessageId }) => {
      sent.push(clientMessageId);
      return true;
    },
    refused: (clientMessageId, reason) => {
      refusals.push([clientMessageId, reason]);
      outbox.take(clientMessageId);
    },
    changed: () => {},
  });
  const say = (message: Outgoing, images: File[] = []) => {
    outbox.add(
      images.length > 0 ? { ...message, imageNames: images.map(({ name }) => name) } : message,
      images,
    );
    sender.sendNew();
  };
  return { outbox, sender, sent, refusals, say };
}

const settled = () => vi.advanceTimersByTimeAsync(0);
const taken = () => Response.json({ turnId: "t", state: "queued" }, { status: 202 });

test("a text that is too long for the socket goes by HTTP", async () => {
  const { say, sent, outbox } = page();
  say(written("short"));
  outbox.take("short");
  say(written("long", "x".repeat(800 * 1024)));
  await settled();
  expect(sent).toEqual(["short"]);
  expect(asked).toMatchObject([{ path: "/api/session/s/send", body: { clientMessageId: "long" } }]);
  asked[0]?.answer(taken());
  await settled();
  expect(outbox.all()).toEqual([]);
});

test("how long a text is counts as it is written on the wire", async () => {
  const { say, sent } = page();
  say(written("wide", "ä".repeat(400 * 1024)));
  say(written("escaped", "\u0001".repeat(140 * 1024), "t"));
  await settled();
  expect(sent).toEqual([]);
  expect(asked).toHaveLength(2);
});

test("a text that the server finds too long comes back with the reason", async () => {
  const { say, refusals, outbox } = page();
  say(written("long", "x".repeat(2 * 1024 * 1024)));
  await settled();
  asked[0]?.answer(
    Response.json({ code: "PAYLOAD_TOO_LARGE", message: "content: too long" }, { status: 413 }),
  );
  await settled();
  expect(refusals).toEqual([["long", "content: too long"]]);
  expect(outbox.all()).toEqual([]);
});

test("a message whose answer is cut off is sent again under its id, and not given back", async () => {
  const { say, refusals, outbox } = page();
  say(written("long", "x".repeat(800 * 1024)));
  await settled();
  asked[0]?.answer(new Response('{"turnId":', { status: 202 }));
  await settled();
  expect(refusals).toEqual([]);
  expect(outbox.all()).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(3_000);
  expect(asked.map(({ body }) => body.clientMessageId)).toEqual(["long", "long"]);
});

const picture = { name: "a.png" } as File;

/** Reads every file as nothing. */
class NoReader {
  result = "data:image/png;base64,";
  onload = () => {};
  readAsDataURL(): void {
    queueMicrotask(() => this.onload());
  }
}

test("what is written after a message with images waits until that one arrived, in its session", async () => {
  vi.stubGlobal("FileReader", NoReader);
  const { say, sent, outbox } = page();
  say(written("picture"), [picture]);
  say(written("next"));
  say(written("after next"));
  say(written("elsewhere", "x", "t"));
  await settled();
  expect(sent).toEqual(["elsewhere"]);
  asked[0]?.answer(taken());
  await settled();
  expect(sent).toEqual(["elsewhere", "next", "after next"]);
  expect(outbox.of("s").map(({ clientMessageId }) => clientMessageId)).toEqual(["next", "after next"]);
});

test("a message with images waits until what was sent before it is confirmed", async () => {
  vi.stubGlobal("FileReader", NoReader);
  const { say, sent, sender } = page();
  say(written("first"));
  say(written("picture"), [picture]);
  await settled();
  expect(sent).toEqual(["first"]);
  expect(asked).toEqual([]);
  sender.confirmed("first");
  await settled();
  expect(asked).toMatchObject([{ body: { clientMessageId: "picture" } }]);
});

test("one that is refused lets the next one go, and one that is lost does not", async () => {
  vi.stubGlobal("FileReader", NoReader);
  const { say, sent, refusals } = page();
  say(written("picture"), [picture]);
  say(written("next"));
  await settled();
  asked[0]?.answer(new Response("{", { status: 202 }));
  await vi.advanceTimersByTimeAsync(2_900);
  expect(sent).toEqual([]);
  await vi.advanceTimersByTimeAsync(200);
  asked[1]?.answer(Response.json({ code: "INVALID_REQUEST", message: "no images" }, { status: 400 }));
  await settled();
  expect(refusals).toEqual([["picture", "no images"]]);
  expect(sent).toEqual(["next"]);
});

test("after a reconnect everything is handed over again, but a request that is under way is not made twice", async () => {
  vi.stubGlobal("FileReader", NoReader);
  const { say, sent, sender } = page();
  say(written("elsewhere", "x", "t"));
  say(written("picture"), [picture]);
  await settled();
  sender.sendAll();
  await settled();
  expect(sent).toEqual(["elsewhere", "elsewhere"]);
  expect(asked).toHaveLength(1);
});

test("what a window leaves unsent is sent by another one, after a while", async () => {
  const [a, b] = twoWindows();
  const left = new Outbox(a.store, a.events);
  const { sent, sender, outbox } = page(new Outbox(b.store, b.events));
  left.follow(() => {});
  left.add(written("left"));
  left.add(written("arrived"));
  left.take("arrived");
  await vi.advanceTimersByTimeAsync(2_900);
  left.add(written("late"));
  sender.sendNew();
  expect(sent, "the other window may be at it").toEqual([]);
  await vi.advanceTimersByTimeAsync(3_100);
  expect(sent).toEqual(["left", "late"]);
  sender.confirmed("left");
  expect(left.all()).toMatchObject([{ clientMessageId: "late" }]);
  expect(outbox.all()).toMatchObject([{ clientMessageId: "late" }]);
});

test("a message of someone who is logged out is no refused one: it waits for the next login", async () => {
  const { say, refusals, outbox } = page();
  say(written("long", "x".repeat(800 * 1024)));
  await settled();
  asked[0]?.answer(Response.json({ code: "UNAUTHORIZED", message: "log in" }, { status: 401 }));
  await vi.advanceTimersByTimeAsync(10_000);
  expect(refusals).toEqual([]);
  expect(outbox.all()).toHaveLength(1);
  expect(asked, "nobody knocks on a closed door").toHaveLength(1);
});
