/**
 * An agent of the Agent Client Protocol that asks for whatever its prompt says: the JSON of a permission request's tool call.
 *
 * An array asks for all of it at once; `options` of a call take the place of the usual ones, and one with `waitsFor` is asked
 * when there is such a file. What it hears as an answer it says, so that tests can see it. Asked for a "Plan", it makes one and
 * leaves it half done.
 */
import { existsSync } from "node:fs";
import { createInterface } from "node:readline";

const say = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
const results = {
  initialize: { protocolVersion: 1, agentCapabilities: {} },
  "session/new": { sessionId: "s" },
};
const USUAL = [
  { optionId: "yes", name: "Allow", kind: "allow_once" },
  { optionId: "no", name: "Reject", kind: "reject_once" },
];
let prompt;
let asked = 0;
const waiting = new Set();

function ask(call) {
  asked += 1;
  const { options = USUAL, waitsFor, ...rest } = call;
  const id = `ask-${asked}`;
  waiting.add(id);
  const toolCall = { toolCallId: `c${asked}`, ...rest };
  const params = { sessionId: "s", toolCall, options };
  whenThere(waitsFor, () => say({ id, method: "session/request_permission", params }));
}

function whenThere(file, work) {
  if (file === undefined || existsSync(file)) work();
  else setTimeout(() => whenThere(file, work), 20);
}

const tell = (update) => say({ method: "session/update", params: { sessionId: "s", update } });

function heard(id, outcome) {
  waiting.delete(id);
  const text = `Heard ${outcome.optionId ?? outcome.outcome}. `;
  tell({ sessionUpdate: "agent_message_chunk", content: { type: "text", text } });
  if (waiting.size === 0) say({ id: prompt, result: { stopReason: "end_turn" } });
}

const PLAN = ["completed", "in_progress", "pending", "pending"];

/** What is no JSON is only repeated: someone talks to it. */
function prompted(message) {
  prompt = message.id;
  const { text } = message.params.prompt[0];
  const entries = PLAN.map((status, at) => ({ content: `Step ${at + 1}`, priority: "medium", status }));
  if (text === "Plan") tell({ sessionUpdate: "plan", entries });
  try {
    for (const call of [JSON.parse(text)].flat()) ask(call);
  } catch {
    heard("nothing", { optionId: text });
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  const message = JSON.parse(line);
  if (message.method === "session/prompt") prompted(message);
  else if (waiting.has(message.id)) heard(message.id, message.result.outcome);
  else if (message.method in results) say({ id: message.id, result: results[message.method] });
}
