/** Runs commands by their keys, wherever the focus is. */
import { isWriting } from "../dom/is-writing";
import { isDialogOpen } from "../dom/modal";
import type { Commands } from "./commands";

export function listenForKeys(commands: Commands): void {
  window.addEventListener("keydown", (event) => {
    // Whoever handled it already meant something by it, and an input method is not done with it.
    if (event.defaultPrevented || event.isComposing) return;
    const command = commands.forKey(event, isWriting(event.target), isDialogOpen());
    if (!command) return;
    event.preventDefault();
    command.run();
  });
}
