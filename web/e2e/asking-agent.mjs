/** An agent of the Agent Client Protocol that asks for whatever its prompt says: the JSON of a permission request's tool call. */
import { createInterface } from "node:readline";

const say = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
const results = {
  initialize: { protocolVersion: 1, agentCapabilities: {} },
  "session/new": { sessionId: "s" },
};
let prompt;

for await (const line of createInterface({ input: process.stdin })) {
  const message = JSON.parse(line);
  if (message.method === "session/prompt") {
    prompt = message.id;
    const toolCall = { toolCallId: "c", ...JSON.parse(message.params.prompt[0].text) };
    const options = [
      { optionId: "yes", name: "Allow", kind: "allow_once" },
      { optionId: "no", name: "Reject", kind: "reject_once" },
    ];
    say({ id: "ask", method: "session/request_permission", params: { sessionId: "s", toolCall, options } });
  } else if (message.id === "ask") {
    say({ id: prompt, result: { stopReason: "end_turn" } });
  } else if (message.method in results) {
    say({ id: message.id, result: results[message.method] });
  }
}
