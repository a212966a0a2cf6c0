/** Beginning a session, and writing to the one that is open. */
import type { Command } from "../commands/commands";
import { NEW_SESSION } from "../route";

export function openCommands(isOpen: () => boolean, write: () => void): Command[] {
  return [
    {
      id: "session.new",
      title: "New session",
      group: "Sessions",
      keys: ["Alt+N"],
      run: () => {
        location.hash = NEW_SESSION;
      },
    },
    {
      id: "composer.focus",
      title: "Write a message",
      group: "Messages",
      keys: ["Alt+M"],
      isAvailable: isOpen,
      run: write,
    },
  ];
}
