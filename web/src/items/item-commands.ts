/** What can be done with all cards and all code at once. */
import type { Command } from "../commands/commands";
import type { SessionId } from "../contract";
import { toggleWrap } from "../markdown/wrap";
import { canSplit, toggleSplit } from "./diff-layout";
import { openState } from "./open-state";

/** `open`: the session that is open; `root`: where its cards are. */
export function itemCommands(root: HTMLElement, open: () => SessionId | undefined): Command[] {
  const isAvailable = () => open() !== undefined;
  const toggleTools = () => {
    const sessionId = open();
    if (sessionId !== undefined) toggleAll(root, sessionId);
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
