/** What is completed while a message is written: files after an @, and the agent's commands after a / at the beginning. Pure. */
import type { SlashCommand } from "../contract";
import type { Choice } from "../dom/option-list";

export type Trigger = { kind: "file" | "command"; from: number; to: number; query: string };
export type Written = { text: string; caret: number };

/** What the caret stands behind, if it can be completed. */
export function triggerAt({ text, caret }: Written): Trigger | undefined {
  const before = text.slice(0, caret);
  const command = /^\/(\S*)$/.exec(before);
  if (command) return { kind: "command", from: 0, to: caret, query: command[1] ?? "" };
  const file = /(?:^|[\s([{"'`])@([^\s@]*)$/.exec(before);
  if (!file) return undefined;
  const query = file[1] ?? "";
  return { kind: "file", from: caret - query.length - 1, to: caret, query };
}

/** What is written after one was taken: with a space behind it, to write on. */
export function completed({ text }: Written, trigger: Trigger, value: string): Written {
  const sign = trigger.kind === "file" ? "@" : "/";
  const rest = text.slice(trigger.to);
  const put = `${sign}${value}${/^\s/.test(rest) ? "" : " "}`;
  const caret = trigger.from + put.length + (/^\s/.test(rest) ? 1 : 0);
  return { text: text.slice(0, trigger.from) + put + rest, caret };
}

/** Commands that begin so come before those that only have it in their name. */
export function commandChoices(commands: SlashCommand[], query: string): Choice[] {
  const wanted = query.toLowerCase();
  const rank = ({ name }: SlashCommand) => (name.toLowerCase().startsWith(wanted) ? 0 : 1);
  return commands
    .filter(({ name }) => name.toLowerCase().includes(wanted))
    .sort((a, b) => rank(a) - rank(b))
    .map(({ name, description, argumentHint }) => ({
      value: name,
      name: `/${name}`,
      ...(argumentHint && { hint: argumentHint }),
      detail: description,
    }));
}

/** The name of a file first, then where it is. */
export function fileChoices(files: string[]): Choice[] {
  return files.map((path) => {
    const at = path.lastIndexOf("/");
    return { value: path, name: path.slice(at + 1), ...(at > 0 && { detail: path.slice(0, at) }) };
  });
}

/** Which is marked: none where all of a name is written, so that Enter sends it. */
export function markedAt(choices: Choice[], { query }: Trigger): number {
  return choices.some(({ value }) => value === query) ? -1 : 0;
}
