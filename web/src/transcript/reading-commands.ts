/** What a reader can do with the transcript by keys: go to prompts and ends, and copy a link to a message. */
import type { Command } from "../commands/commands";
import type { SessionId } from "../contract";
import { copyText } from "../dom/copyable";
import { itemLink } from "../route";
import type { Transcript } from "./transcript";

/** The transcript that is looked at; nothing when no session is open. */
export type Reading = { sessionId: SessionId; transcript: Transcript };

export function readingCommands(current: () => Reading | undefined): Command[] {
  const one = (id: string, title: string, key: string, run: (reading: Reading) => void): Command => ({
    id: `transcript.${id}`,
    title,
    group: "This session",
    keys: [key],
    repeats: id.endsWith("prompt"),
    isAvailable: () => current() !== undefined,
    run: () => {
      const reading = current();
      if (reading) run(reading);
    },
  });
  return [
    one("next-prompt", "Go to the next prompt", "Alt+J", ({ transcript: { reader } }) =>
      reader.toPrompt("after"),
    ),
    one("previous-prompt", "Go to the previous prompt", "Alt+K", ({ transcript: { reader } }) =>
      reader.toPrompt("before"),
    ),
    one("first", "Go to the beginning of the session", "Alt+Home", ({ transcript: { reader } }) =>
      reader.toFirst(),
    ),
    one("latest", "Go to the end of the session", "Alt+End", ({ transcript: { reader } }) =>
      reader.toLatest(),
    ),
    one("copy-link", "Copy link to this message", "Alt+L", (reading) => void copyLink(reading)),
  ];
}

async function copyLink({ sessionId, transcript: { reader } }: Reading): Promise<void> {
  const itemId = reader.current;
  if (itemId === undefined) return reader.say("There is no message to link to.");
  const link = itemLink(sessionId, itemId);
  const said = await copyText(link);
  reader.say(said === "Copied" ? "Link copied" : link);
}
