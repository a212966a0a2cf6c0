/** An agent of the Agent Client Protocol that takes images, and answers with how many it was shown and what was said. */
import { createInterface } from "node:readline";

const say = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
const results = {
  initialize: { protocolVersion: 1, agentCapabilities: { promptCapabilities: { image: true } } },
  "session/new": { sessionId: "s" },
};

for await (const line of createInterface({ input: process.stdin })) {
  const message = JSON.parse(line);
  if (message.method === "session/prompt") {
    const { prompt } = message.params;
    const images = prompt.filter(({ type }) => type === "image").map(({ mimeType }) => mimeType);
    const words = prompt.find(({ type }) => type === "text")?.text ?? "";
    const content = { type: "text", text: `${images.length} images (${images.join()}): ${words}` };
    const update = { sessionUpdate: "agent_message_chunk", content };
    say({ method: "session/update", params: { sessionId: "s", update } });
    say({ id: message.id, result: { stopReason: "end_turn" } });
  } else if (message.method in results) {
    say({ id: message.id, result: results[message.method] });
  }
}
