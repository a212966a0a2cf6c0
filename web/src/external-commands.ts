/** Commands that feed a session from a shell, for someone who has no session yet. */
export type ExternalCommand = { title: string; command: string };

export function externalCommands(origin: string): ExternalCommand[] {
  return [
    { title: "Stop the server, and start it so that it prints a token", command: startCommand(origin) },
    { title: "In another shell, keep the token and create a session", command: createCommand(origin) },
    { title: "Send a turn into it, a word at a time", command: eventsCommand(origin) },
  ];
}

function startCommand(origin: string): string {
  return `cargo run --release -- --listen ${new URL(origin).host} --ready json`;
}

function createCommand(origin: string): string {
  return `TOKEN=paste-the-token-here
SID=$(curl -fsS ${origin}/api/session/create \\
  -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' \\
  -d '{"cliType":"external","title":"Hello from a shell","projectDir":"'"$HOME"'"}' \\
  | sed 's/.*"sessionId":"\\([^"]*\\)".*/\\1/'); echo "$SID"`;
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
} | curl -fsS -T - -X POST -H "Authorization: Bearer $TOKEN" \\
  ${origin}/api/session/$SID/events`;
}
