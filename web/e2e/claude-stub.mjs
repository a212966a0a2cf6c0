/**
 * Stands in for Claude Code: speaks its lines, and asks for whatever its prompt says (`{tool_name, input}` as JSON).
 *
 * What it hears as an answer it says, so that tests can see it.
 */
import { createInterface } from "node:readline";

if (process.argv.includes("--version")) {
  process.stdout.write("2.1.0 (Claude Code)\n");
  process.exit(0);
}

const say = (line) => process.stdout.write(`${JSON.stringify(line)}\n`);
const success = (request_id, response) =>
  say({ type: "control_response", response: { subtype: "success", request_id, response } });
let asked = 0;

function prompted({ uuid, message }) {
  const text = typeof message.content === "string" ? message.content : message.content[0].text;
  say({
    type: "system",
    subtype: "init",
    session_id: "stub",
    model: "stub",
    permissionMode: "default",
    capabilities: ["msg_lifecycle_v1"],
    user_message_uuids: [uuid],
  });
  asked += 1;
  const { tool_name, input } = JSON.parse(text);
  const content = [{ type: "tool_use", id: `toolu-${asked}`, name: tool_name, input }];
  say({ type: "assistant", message: { id: `m${asked}`, model: "stub", content } });
  const request = { subtype: "can_use_tool", tool_name, input, tool_use_id: `toolu-${asked}` };
  say({ type: "control_request", request_id: `ask-${asked}`, request });
}

function answered({ behavior, message, updatedInput }) {
  const text = `Heard ${behavior}: ${message ?? JSON.stringify(updatedInput.answers ?? {})}`;
  const content = [{ type: "text", text }];
  say({ type: "assistant", message: { id: `a${asked}`, model: "stub", content } });
  say({ type: "result", subtype: "success", is_error: false, num_turns: 1 });
}

for await (const line of createInterface({ input: process.stdin })) {
  const told = JSON.parse(line);
  if (told.type === "user") prompted(told);
  else if (told.type === "control_request") success(told.request_id, { commands: [], models: [] });
  else if (told.type === "control_response") answered(told.response.response);
}
