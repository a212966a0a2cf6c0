/** Shows the times of the turn that is looked at. */
import type { Command } from "../commands/commands";
import type { TurnId } from "../contract";
import type { Timed } from "./times-dialog";

export function timesCommands(
  show: (timed: Timed, turnId: TurnId) => void,
  current: () => Timed | undefined,
): Command[] {
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
        if (timed && turnId !== undefined) show(timed, turnId);
      },
    },
  ];
}
