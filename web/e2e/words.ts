/** Text in words that are counted, so that every part of it is different. */
import type { EventPayload, ItemId } from "../src/contract";

export function words(from: number, to: number): string {
  return Array.from({ length: to - from }, (_, at) => `word${from + at} `).join("");
}

/** The same text as one delta per word. */
export function wordDeltas(itemId: ItemId, from: number, to: number): EventPayload[] {
  return Array.from({ length: to - from }, (_, at): EventPayload => {
    return { type: "item_delta", itemId, deltaContent: words(from + at, from + at + 1) };
  });
}
