import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { TextStore } from "../src/compose/kept-text";
import { MessageSender } from "../src/server/message-sender";
import { Outbox, type Outgoing } from "../src/server/outbox";

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
function page() {
  const outbox = new Outbox(forgetful);
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
    sender.send(message);
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
