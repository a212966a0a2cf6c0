/** Finding words by keys. The browser's own search would miss the rows that are not on the page. */
import type { Command } from "../commands/commands";

export function searchCommands(find: () => void, searchAll: () => void, isOpen: () => boolean): Command[] {
  return [
    {
      id: "session.search",
      title: "Search all sessions",
      group: "Sessions",
      keys: ["Mod+Shift+F"],
      run: searchAll,
    },
    {
      id: "transcript.find",
      title: "Find in this session",
      group: "This session",
      keys: ["Mod+F"],
      isAvailable: isOpen,
      run: find,
    },
  ];
}
