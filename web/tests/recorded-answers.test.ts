import { expect, test } from "vitest";
import { answersIn } from "../bench/recorded-answers";

const UPDATE = (sessionUpdate: string) =>
  JSON.stringify({ method: "session/update", params: { update: { sessionUpdate } } });

function recording(...entries: object[]): string {
  return [{ recording: 1 }, ...entries].map((entry) => `${JSON.stringify(entry)}\n`).join("");
}

test("an answer begins with the first update of its turn and has text with the first chunk of a message", () => {
  const answers = answersIn(
    recording(
      { ms: 1, from: "agent", line: UPDATE("available_commands_update") },
      { ms: 2, from: "host", line: '{"method":"session/prompt"}' },
      { ms: 5, from: "agent", line: UPDATE("usage_update") },
      { ms: 9, from: "agent", line: UPDATE("agent_message_chunk") },
      { ms: 12, from: "agent", line: UPDATE("agent_message_chunk") },
      { ms: 20, from: "agent", event: "eof" },
    ),
  );
  expect(answers).toEqual([{ startMs: 5, firstTextMs: 9 }]);
});

test("what an agent says on standard error is no message", () => {
  const answers = answersIn(
    recording(
      { ms: 1, from: "stderr", line: "\u001b[2m2026-11-18\u001b[0m WARN slow" },
      { ms: 2, from: "agent", line: '{"event":{"type":"message_start"}}' },
      { ms: 3, from: "stderr", line: "half a line" },
      { ms: 4, from: "agent", line: '{"event":{"delta":{"type":"text_delta"}}}' },
    ),
  );
  expect(answers).toEqual([{ startMs: 2, firstTextMs: 4 }]);
});
