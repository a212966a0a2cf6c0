/** A session of many items, made in a few requests. */
import type { EventPayload, SessionId } from "../src/contract";
import type { Server } from "./server";

/** Items of one turn: a prompt, calls with their output, and text between. */
const PER_TURN = 100;

export async function longSession(server: Server, items: number, title = "Long"): Promise<SessionId> {
  const sessionId = await server.createSession(title);
  for (let from = 0; from < items; from += PER_TURN) {
    const turn = Array.from({ length: PER_TURN }, (_, at) => itemEvents(from + at)).flat();
    await server.postEvents(
      sessionId,
      `t${from / PER_TURN}`,
      { type: "response_start", modelId: "model", providerId: "provider" },
      ...turn,
      { type: "response_done", status: "completed" },
    );
  }
  return sessionId;
}

export function itemName(at: number): string {
  return `i${at}`;
}

function itemEvents(at: number): EventPayload[] {
  const itemId = itemName(at);
  if (at % PER_TURN === 0) return message(itemId, `Prompt ${at}`, "user");
  if (at % 3 === 0) return call(itemId, at);
  return message(itemId, textOf(at), "agent");
}

function textOf(at: number): string {
  return `Item ${at}\n\n${"Some words of an answer. ".repeat(1 + (at % 7))}`;
}

function message(itemId: string, content: string, origin: "user" | "agent"): EventPayload[] {
  return [
    { type: "item_start", itemId, itemType: "message" },
    { type: "item_done", itemId, finalItem: { type: "message", content, origin } },
  ];
}

function call(itemId: string, at: number): EventPayload[] {
  const callId = `call-${at}`;
  return [
    { type: "item_start", itemId, itemType: "function_call", name: "read_file", callId },
    {
      type: "item_done",
      itemId,
      finalItem: { type: "function_call", name: "read_file", callId, arguments: { path: `file${at}.txt` } },
    },
  ];
}
