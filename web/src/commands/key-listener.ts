/** Runs commands by their keys, wherever the focus is. */
import { isWriting } from "../dom/is-writing";
import { isDialogOpen } from "../dom/modal";
import type { Commands } from "./commands";

/** `before` any of them is looked for, the page is brought up to date with what the last one did. */
export function listenForKeys(commands: Commands, before: () => void): void {
  window.addEventListener("keydown", (event) => {
    // Whoever handled it already meant something by it, and an input method is not done with it.
    if (event.defaultPrevented || event.isComposing) return;
    before();
    const command = commands.forKey(event, isWriting(event.target), isDialogOpen());
    if (!command) return;
    event.preventDefault();
    command.run();
  });
}
