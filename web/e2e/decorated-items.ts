/**
 * Facts that envelopes cannot carry: kinds, places, changes, parents, times and usage.
 *
 * They are added to what the server tells a page, by the call they belong to or by the words of a message, so that the page gets
 * exactly what it would get from an agent that tells them.
 */
import type { Page } from "@playwright/test";
import type { ServerFrame, ToolCall, UpsertObject, Usage } from "../src/contract";
import { itemOf } from "./calls";

export type Facts = Partial<ToolCall & Pick<UpsertObject, "startedAt" | "emittedAt">> & {
  /** The call that the item belongs to, as `calls.ts` names it. */
  parent?: string;
};

export type Decorations = {
  /** By call, or by what a message or a thought begins with. */
  items: Record<string, Facts>;
  /** Of the session as it stands. */
  usage?: Usage;
};

/** To be called before the page is opened. */
export async function decorate(page: Page, { items, usage }: Decorations): Promise<void> {
  const decorated = (upsert: UpsertObject): UpsertObject => {
    const facts = factsOf(items, upsert);
    if (!facts) return upsert;
    const { parent, ...others } = facts;
    return {
      ...upsert,
      ...others,
      ...(parent !== undefined && { parentItemId: itemOf(parent) }),
    } as UpsertObject;
  };
  await page.routeWebSocket(/\/ws$/, (socket) => {
    const server = socket.connectToServer();
    server.onMessage((message) =>
      socket.send(JSON.stringify(changed(JSON.parse(String(message)), decorated, usage))),
    );
  });
}

function changed(
  frame: ServerFrame,
  decorated: (upsert: UpsertObject) => UpsertObject,
  usage: Usage | undefined,
): ServerFrame {
  switch (frame.type) {
    case "session:upsert":
      return { ...frame, payload: decorated(frame.payload) };
    case "session:history":
      return { ...frame, entries: frame.entries.map(decorated) };
    case "session:status":
      return usage === undefined ? frame : { ...frame, usage };
    default:
      return frame;
  }
}

function factsOf(items: Record<string, Facts>, upsert: UpsertObject): Facts | undefined {
  if (upsert.type === "tool_call") return items[upsert.callId];
  const begin = Object.keys(items).find((words) => upsert.content.startsWith(words));
  return begin === undefined ? undefined : items[begin];
}
