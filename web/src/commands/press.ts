/**
 * Commands that press a button which is in sight. What a button does, and whether it may be pressed, its view knows; the command
 * gives it a name and a key.
 */
import { isInSight } from "../dom/in-sight";
import type { Command } from "./commands";

export type Press = Pick<Command, "id" | "title" | "group" | "keys" | "overDialogs" | "repeats"> & {
  /** The button, as a selector. */
  press: string;
};

/** One button of the page. */
export function pressCommand({ press, ...command }: Press): Command {
  const target = () => pressable(document, press)[0];
  return { ...command, isAvailable: () => target() !== undefined, run: () => target()?.click() };
}

/** Things of one kind, each with its own buttons, as the messages that wait. */
export type Thing = {
  thing: string;
  /** Where the focus has to be for the keys; absent: on the thing. */
  within?: string;
};

/**
 * Means the thing that has the focus, or the only one. Where it is not clear which one is meant, the first gets the focus, and
 * nothing else happens.
 */
export function thingCommand({ thing, within = thing }: Thing, { press, ...command }: Press): Command {
  const focused = () => document.activeElement?.closest<HTMLElement>(thing) ?? undefined;
  const targets = () => pressable(focused() ?? document, focused() ? press : inEach(thing, press));
  return {
    ...command,
    isAvailable: () => targets().length > 0,
    keysWhen: () => document.activeElement?.closest(within) != null,
    run: () => {
      const [first, ...others] = targets();
      if (others.length > 0 && !focused()) first?.focus();
      else first?.click();
    },
  };
}

/** Means what is nearest to the focus, else the last that is seen of what is read. */
export function readCommand({ press, ...command }: Press): Command {
  const target = () => nearFocus(press) ?? pressable(document, inEach(ROWS, press)).findLast(isOnScreen);
  return {
    ...command,
    isAvailable: () => target() !== undefined,
    keysWhen: () => isNowhere() || document.activeElement?.closest(".transcript") != null,
    run: () => target()?.click(),
  };
}

const ROWS = ".transcript .rows";
const PART = ".fence, .diff, .tool-part, .tool, [data-item-id]";

function nearFocus(press: string): HTMLElement | undefined {
  let near = document.activeElement?.closest(ROWS) ? document.activeElement : null;
  while (near && !near.matches(ROWS)) {
    const [found] = pressable(near, press);
    if (found) return found;
    near = near.parentElement;
  }
  return undefined;
}

/** Judged by the part that it belongs to: the button of a long one may be further up. */
function isOnScreen(button: HTMLElement): boolean {
  const seen = button.closest(".transcript")?.getBoundingClientRect();
  const part = (button.closest(PART) ?? button).getBoundingClientRect();
  return seen !== undefined && part.bottom > seen.top && part.top < seen.bottom;
}

function pressable(root: ParentNode, press: string): HTMLElement[] {
  const found = [...root.querySelectorAll<HTMLElement>(press)];
  return found.filter((one) => !one.matches(":disabled") && isInSight(one));
}

function inEach(root: string, press: string): string {
  return press
    .split(", ")
    .map((one) => `${root} ${one}`)
    .join(", ");
}

function isNowhere(): boolean {
  return document.activeElement === null || document.activeElement === document.body;
}
