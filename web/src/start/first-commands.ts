/** Commands for someone who has no session yet: with Claude Code, and without any agent. */
export type Command = { title: string; command: string };

export function claudeCommands(origin: string): Command[] {
  return [
    {
      title: "If the server printed no token, stop it and start it like this",
      command: startCommand(origin),
    },
    {
      title: "In another shell, keep the token and start Claude Code in a directory",
      command: createCommand(origin, '{"cliType":"claude-code","projectDir":"\'"$PWD"\'"}'),
    },
    { title: "Say something to it", command: sendCommand(origin) },
  ];
}

export function externalCommands(origin: string): Command[] {
  const session = '{"cliType":"external","title":"Hello from a shell","projectDir":"\'"$HOME"\'"}';
  return [
    { title: "Keep the token and create a session", command: createCommand(origin, session) },
    { title: "Send a turn into it, a word at a time", command: eventsCommand(origin) },
  ];
}

function startCommand(origin: string): string {
  return `cargo run --release -- --listen ${new URL(origin).host} --ready json`;
}

/** A refusal is printed in place of the id. */
function createCommand(origin: string, session: string): string {
  return `TOKEN=paste-the-token-here
SID=$(curl --fail-with-body -sS ${origin}/api/session/create \\
  -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' \\
  -d '${session}' \\
  | sed 's/.*"sessionId":"\\([^"]*\\)".*/\\1/'); echo "$SID"`;
}

function sendCommand(origin: string): string {
  return `curl --fail-with-body -sS -w '\\n' ${origin}/api/session/$SID/send \\
  -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' \\
  -d '{"content":"What is in this directory?"}'`;
}

/** A whole turn. The shell makes an envelope of each payload and names the turn after the time. */
function eventsCommand(origin: string): string {
  return `TURN=t$(date +%s)
event() { printf '{"eventId":"e","timestamp":"%s","turnId":"%s","sessionId":"%s","type":"%s","payload":%s}\\n' \\
  "$(date -u +%FT%TZ)" "$TURN" "$SID" "$1" "$2"; }
{ event response_start '{"type":"response_start","modelId":"none","providerId":"shell"}'
  event item_start '{"type":"item_start","itemId":"'$TURN'","itemType":"message"}'
  for n in $(seq 1 120); do
    sleep 0.05
    event item_delta '{"type":"item_delta","itemId":"'$TURN'","deltaContent":"word '$n' "}'
  done
  event response_done '{"type":"response_done","status":"completed"}'
} | curl --fail-with-body -sS -w '\\n' -T - -X POST -H "Authorization: Bearer $TOKEN" \\
  ${origin}/api/session/$SID/events`;
}
