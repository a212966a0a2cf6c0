/** What is said of the open session to those who do not see it. Pure. */
import type { PermissionId, PermissionRequest } from "../contract";
import { visibleLine } from "../text/visible-text";
import type { Item, Timeline, Update } from "../timeline/timeline";

const MOST = 100;

/**
 * What a change brought to its end. `isLive`: it happens now; otherwise it is history, of which only that is new which was
 * seen unfinished before.
 */
export function whatToSay(before: Timeline, { timeline, items, turns }: Update, isLive: boolean): string[] {
  const messages = items.flatMap((itemId) => {
    const item = timeline.items.get(itemId);
    const known = before.items.get(itemId);
    const isNews = known ? !isFinished(known) : isLive;
    return item && isNews && isFinished(item) ? [`Agent finished: ${shortened(item.content)}`] : [];
  });
  const failures = turns.flatMap((turnId) => {
    const ended = timeline.turns.get(turnId)?.ended;
    const known = before.turns.get(turnId);
    const isNews = known ? known.ended === undefined : isLive;
    return ended?.type === "turn_error" && isNews ? [`Failed: ${shortened(ended.errorMessage)}`] : [];
  });
  return [...messages, ...failures];
}

type AgentMessage = Extract<Item, { type: "message" }>;

function isFinished(item: Item): item is AgentMessage {
  return item.type === "message" && item.origin === "agent" && item.status === "complete";
}

/** As much of a text as is worth hearing; marks of Markdown are not. */
function shortened(text: string): string {
  const line = text
    .replace(/[`*_#>|]+/g, "")
    .replace(/\s+/g, " ")
    .trim();
  const short = line.length > MOST ? `${line.slice(0, MOST)}…` : line;
  return visibleLine(short);
}

/** Requests that were not there before, each as something to say. */
export function questionsToAsk(
  requests: readonly PermissionRequest[],
  asked: ReadonlySet<PermissionId>,
): string[] {
  return requests
    .filter(({ permissionId }) => !asked.has(permissionId))
    .map(({ title, options }) => {
      const choices = options.map(({ name }) => visibleLine(name)).join(", ");
      return `The agent asks: ${visibleLine(title)}. Press F6 to go to the answers: ${choices}.`;
    });
}
