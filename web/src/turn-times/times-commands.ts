/** Shows the times of the turn that is looked at. */
import type { Command } from "../commands/commands";
import type { Timed, TimesDialog } from "./times-dialog";

export function timesCommands(dialog: TimesDialog, current: () => Timed | undefined): Command[] {
  return [
    {
      id: "turn.times",
      title: "Show where the time of this turn went",
      group: "This session",
      keys: ["Alt+I"],
      isAvailable: () => current() !== undefined,
      run: () => {
        const timed = current();
        const turnId = timed?.transcript.currentTurn;
        if (timed && turnId !== undefined) void dialog.open(timed, turnId);
      },
    },
  ];
}
