/** Tool calls as envelopes, in the words of the tests. */
import type { EventPayload } from "../src/contract";

export const BEGIN: EventPayload = { type: "response_start", modelId: "model", providerId: "provider" };
export const END: EventPayload = { type: "response_done", status: "completed" };

/** The item of a call. */
export function itemOf(callId: string): string {
  return `c-${callId}`;
}

/** A call that runs: it has its arguments and no output yet. */
export function called(callId: string, name: string, args: Record<string, unknown>): EventPayload[] {
  const itemId = itemOf(callId);
  return [
    { type: "item_start", itemId, itemType: "function_call", name, callId },
    { type: "item_done", itemId, finalItem: { type: "function_call", name, callId, arguments: args } },
  ];
}

export function gave(callId: string, output: string, isError = false): EventPayload[] {
  const itemId = `o-${callId}`;
  return [
    { type: "item_start", itemId, itemType: "function_call_output", callId },
    { type: "item_done", itemId, finalItem: { type: "function_call_output", callId, output, isError } },
  ];
}

/** A call that is over. */
export function did(
  callId: string,
  name: string,
  args: Record<string, unknown>,
  output: string,
  isError = false,
): EventPayload[] {
  return [...called(callId, name, args), ...gave(callId, output, isError)];
}

export function said(
  itemId: string,
  content: string,
  origin: "agent" | "user" | "system" = "agent",
): EventPayload[] {
  return [
    { type: "item_start", itemId, itemType: "message" },
    { type: "item_done", itemId, finalItem: { type: "message", content, origin } },
  ];
}

export function thought(itemId: string, content: string): EventPayload[] {
  return [
    { type: "item_start", itemId, itemType: "reasoning" },
    { type: "item_done", itemId, finalItem: { type: "reasoning", content, providerId: "p" } },
  ];
}
