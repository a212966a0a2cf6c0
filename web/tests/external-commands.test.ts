import { expect, test } from "vitest";
import type { StreamEventEnvelope } from "../src/contract";
import { externalCommands } from "../src/external-commands";

const commands = externalCommands("http://127.0.0.1:4870").map(({ command }) => command);
const eventLines = commands.join("\n").match(/^\{"eventId".*$/gm) ?? [];

test("the commands reach the server that shows them", () => {
  expect(commands.join("\n")).toContain("http://127.0.0.1:4870/api/session/create");
  expect(commands.join("\n")).toContain("http://127.0.0.1:4870/api/session/$SID/events");
});

test("the events are envelopes of one whole turn", () => {
  const events = eventLines.map((line) => JSON.parse(line) as StreamEventEnvelope);
  expect(events.map(({ type }) => type)).toEqual([
    "response_start",
    "item_start",
    "item_done",
    "response_done",
  ]);
  for (const event of events) expect(event.payload.type).toBe(event.type);
});

test("the shell puts nothing but the session into the events", () => {
  for (const line of eventLines) expect(line.replaceAll("$SID", "")).not.toMatch(/[$`\\]/);
});
