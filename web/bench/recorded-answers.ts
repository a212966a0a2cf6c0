/** When answers began and when their first text came, read from what a server recorded of an agent. */

export type Answer = { startMs: number; firstTextMs: number };

type Entry = { ms: number; from: "host" | "agent" | "stderr"; line?: string };

export function answersIn(recording: string): Answer[] {
  const answers: Answer[] = [];
  let startMs: number | undefined;
  for (const { ms, from, line } of entries(recording)) {
    // What an agent says on standard error is no message.
    if (line === undefined || (from !== "host" && from !== "agent")) continue;
    const message = JSON.parse(line);
    if (from === "host" && isPrompt(message)) startMs = undefined;
    if (from === "agent" && isStart(message)) startMs ??= ms;
    if (from !== "agent" || startMs === undefined || !isText(message)) continue;
    if (!answers.some((answer) => answer.startMs === startMs)) answers.push({ startMs, firstTextMs: ms });
  }
  return answers;
}

function entries(recording: string): Entry[] {
  const lines = recording.split("\n").filter((line) => line !== "");
  return lines.slice(1).map((line) => JSON.parse(line) as Entry);
}

// biome-ignore lint/suspicious/noExplicitAny: what agents say is not ours to type
function isPrompt(message: any): boolean {
  return message.method === "session/prompt" || message.type === "user";
}

// biome-ignore lint/suspicious/noExplicitAny: what agents say is not ours to type
function isStart(message: any): boolean {
  return (
    message.event?.type === "message_start" || (message.method === "session/update" && isOfTurn(message))
  );
}

/** Updates that come without a turn: what the agent can do. */
// biome-ignore lint/suspicious/noExplicitAny: what agents say is not ours to type
function isOfTurn(message: any): boolean {
  return message.params?.update?.sessionUpdate !== "available_commands_update";
}

// biome-ignore lint/suspicious/noExplicitAny: what agents say is not ours to type
function isText(message: any): boolean {
  return (
    message.event?.delta?.type === "text_delta" ||
    message.params?.update?.sessionUpdate === "agent_message_chunk"
  );
}
