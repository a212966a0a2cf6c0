/** Commands that feed a session from a shell, for someone who has no session yet. */
import type { EventPayload, StreamEventEnvelope } from "./contract";

export type ExternalCommand = { title: string; command: string };

export function externalCommands(origin: string): ExternalCommand[] {
  return [
    { title: "Start the server so that it prints its token, and keep the token", command: tokenCommand },
    { title: "Create a session for the current directory", command: createCommand(origin) },
    { title: "Send events into it", command: eventsCommand(origin) },
  ];
}

const tokenCommand = `liminal --ready json   # prints a line with "token"
export TOKEN=paste-the-token-here`;

function createCommand(origin: string): string {
  return `SID=$(curl -s ${origin}/api/session/create \\
  -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' \\
  -d '{"cliType":"external","title":"Hello from a shell","projectDir":"'"$PWD"'"}' \\
  | sed 's/.*"sessionId":"\\([^"]*\\)".*/\\1/'); echo "$SID"`;
}

function eventsCommand(origin: string): string {
  const lines = exampleEvents().map((event) => JSON.stringify(event));
  return `curl -s ${origin}/api/session/$SID/events \\
  -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/x-ndjson' \\
  --data-binary @- <<EOF
${lines.join("\n")}
EOF`;
}

/** A whole turn. The shell puts the session in where it says `$SID`. */
function exampleEvents(): StreamEventEnvelope[] {
  const content = "Hello from a shell.";
  const payloads: EventPayload[] = [
    { type: "response_start", modelId: "none", providerId: "shell" },
    { type: "item_start", itemId: "m1", itemType: "message" },
    { type: "item_done", itemId: "m1", finalItem: { type: "message", content, origin: "agent" } },
    { type: "response_done", status: "completed" },
  ];
  return payloads.map((payload, at) => ({
    eventId: `e${at + 1}`,
    timestamp: "2026-01-01T00:00:00.000Z",
    turnId: "t1",
    sessionId: "$SID",
    type: payload.type,
    payload,
  }));
}
