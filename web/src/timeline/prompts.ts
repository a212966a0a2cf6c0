/** What was said in a session, and how its last turn ended. Pure. */
import type { Timeline, TurnEnded } from "./timeline";

/** What people said, the oldest first. */
export function promptsOf({ items }: Timeline): string[] {
  const said = [...items.values()].filter((item) => item.type === "message" && item.origin === "user");
  return said
    .sort((a, b) => a.position - b.position)
    .map((item) => (item.type === "message" ? item.content : ""));
}

export function lastEndOf({ turns }: Timeline): TurnEnded | undefined {
  let last: TurnEnded | undefined;
  for (const { ended } of turns.values()) if (ended && (ended.seq ?? 0) >= (last?.seq ?? 0)) last = ended;
  return last;
}
