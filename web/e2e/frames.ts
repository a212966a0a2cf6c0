/** What goes over the page's sockets, for tests that ask how something was told. */
import type { Page } from "@playwright/test";
import type { ServerFrame, UpsertObject } from "../src/contract";

/** What the page hears from now on. A page that is reloaded hears it on a new socket. */
export function heard(page: Page): ServerFrame[] {
  const frames: ServerFrame[] = [];
  page.on("websocket", (socket) =>
    socket.on("framereceived", ({ payload }) => frames.push(JSON.parse(String(payload)))),
  );
  return frames;
}

/** What the page says from now on, on sockets that it opens from now on. */
export function told(page: Page): { type: string }[] {
  const frames: { type: string }[] = [];
  page.on("websocket", (socket) =>
    socket.on("framesent", ({ payload }) => frames.push(JSON.parse(String(payload)))),
  );
  return frames;
}

export function upserts(frames: readonly ServerFrame[]): UpsertObject[] {
  return frames.flatMap((frame) => (frame.type === "session:upsert" ? [frame.payload] : []));
}

/** The text of a message after each change of it, told whole or by what is added. */
export function textsTold(frames: readonly ServerFrame[], itemId: string): string[] {
  let text = "";
  return frames.flatMap((frame) => {
    if (frame.type === "session:delta" && frame.itemId === itemId) {
      text = text.slice(0, frame.offset) + frame.append;
      return [text];
    }
    if (frame.type !== "session:upsert" || frame.payload.itemId !== itemId) return [];
    if (frame.payload.type === "message") text = frame.payload.content;
    return [text];
  });
}

/** Where an upsert of one item stands between two of another. */
export function isInterleaved(sequence: readonly UpsertObject[]): boolean {
  const ids = sequence.map(({ itemId }) => itemId);
  return ids.some((id, at) => ids[at + 1] !== id && ids.indexOf(id, at + 1) > at);
}
