/** What can be done with all cards and all code at once. */
import type { Command } from "../commands/commands";
import type { SessionId } from "../contract";
import { toggleWrap } from "../markdown/wrap";
import type { Reading } from "../transcript/reading-commands";
import { canSplit, toggleSplit } from "./diff-layout";
import { openState } from "./open-state";

/** `current`: the one transcript that is looked at; others are kept beside it as they were left. */
export function itemCommands(current: () => Reading | undefined): Command[] {
  const isAvailable = () => current() !== undefined;
  const toggleTools = () => {
    const reading = current();
    if (reading) toggleAll(reading.transcript.root, reading.sessionId);
  };
  return [
    {
      id: "tools.toggle",
      title: "Open or close all tool calls",
      group: "View",
      keys: ["Alt+O"],
      isAvailable,
      run: toggleTools,
    },
    { id: "code.wrap", title: "Wrap long lines of code", group: "View", keys: ["Alt+Z"], run: toggleWrap },
    {
      id: "diff.split",
      title: "Show changes side by side",
      group: "View",
      keys: ["Alt+Shift+Z"],
      isAvailable: canSplit,
      run: toggleSplit,
    },
  ];
}

/** Opens all if one is closed, else closes all; those that come later too. */
function toggleAll(root: HTMLElement, sessionId: SessionId): void {
  const folds = [...root.querySelectorAll<HTMLDetailsElement>("details.tool-fold")];
  const isOpen = folds.some((fold) => !fold.open);
  openState.chooseAll(sessionId, isOpen);
  for (const fold of folds) fold.open = isOpen;
}
