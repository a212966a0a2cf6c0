/** Runs commands by their keys, wherever the focus is. */
import { dialogs } from "../dialogs-later";
import { isDialogOpen } from "../dom/is-dialog-open";
import { isWriting } from "../dom/is-writing";
import type { Command, Commands } from "./commands";

/** Whoever waited longer for a key has gone on to something else. */
const LATE_MS = 2_000;

/** `before` any of them is looked for, the page is brought up to date with what the last one did. */
export function listenForKeys(commands: Commands, before: () => void): void {
  window.addEventListener("keydown", (event) => {
    // Whoever handled it already meant something by it, and an input method is not done with it.
    if (event.defaultPrevented || event.isComposing) return;
    before();
    const [writes, inDialog] = [isWriting(event.target), isDialogOpen()];
    const meant = () => commands.forKey(event, writes, inDialog);
    const command = meant();
    const isHeld = event.repeat;
    if (!command) return isHeld ? undefined : whenThere(meant);
    event.preventDefault();
    // Whoever holds Esc until a dialog is gone did not ask for anything else.
    if (!isHeld || command.repeats) command.run();
  });
}

/** Most commands come after the page: what is pressed until then means what it would mean with them. */
function whenThere(meant: () => Command | undefined): void {
  if (dialogs.isHere) return;
  const pressed = performance.now();
  dialogs.use(() => {
    if (performance.now() - pressed < LATE_MS) meant()?.run();
  });
}
