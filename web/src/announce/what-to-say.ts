/** What is said of the open session to those who do not see it. Pure. */
import type { PermissionId, PermissionRequest } from "../contract";
import { toolState } from "../items/tool-text";
import { toolWords } from "../items/tool-words";
import { visibleLine } from "../text/visible-text";
import type { Item, Timeline, Update } from "../timeline/timeline";

const MOST = 100;

/** `isLive`: it happens now; `saysTools`: someone wants to hear of tool calls, too. */
export type Occasion = { isLive: boolean; saysTools: boolean };

/** What a change brought to its end. Of what is history only that is new which was seen unfinished before. */
export function whatToSay(
  before: Timeline,
  { timeline, items, turns }: Update,
  { isLive, saysTools }: Occasion,
): string[] {
  const finished = items.flatMap((itemId) => {
    const item = timeline.items.get(itemId);
    const known = before.items.get(itemId);
    const isNews = known ? !isFinished(known) : isLive;
    return item && isNews && isFinished(item) ? endOf(item, saysTools) : [];
  });
  const failures = turns.flatMap((turnId) => {
    const ended = timeline.turns.get(turnId)?.ended;
    const known = before.turns.get(turnId);
    const isNews = known ? known.ended === undefined : isLive;
    return ended?.type === "turn_error" && isNews ? [`Failed: ${shortened(ended.errorMessage)}`] : [];
  });
  return [...finished, ...failures];
}

function isFinished(item: Item): boolean {
  return item.type === "tool_call" ? toolState(item) !== "running" : item.status === "complete";
}

/** One line for an item that has ended; nothing for what a person wrote and for thoughts. */
function endOf(item: Item, saysTools: boolean): string[] {
  if (item.type === "message")
    return item.origin === "agent" ? [`Agent finished: ${shortened(item.content)}`] : [];
  if (item.type !== "tool_call" || !saysTools) return [];
  const state = toolState(item);
  const { verb, object } = toolWords(item, state);
  return [`Tool ${state}: ${shortened(`${verb} ${object}`)}`];
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
