/** Finding words by keys. The browser's own search would miss the rows that are not on the page. */
import type { Command } from "../commands/commands";
import { typeAhead } from "../commands/type-ahead";
import type { MadeLater } from "../dom/later";
import type { FindBar } from "./find-bar";
import type { SearchPanel } from "./search-panel";

type Searches = { find: FindBar; search: SearchPanel };

export function searchCommands(searches: MadeLater<Searches>, isOpen: () => boolean): Command[] {
  const open = (which: keyof Searches) => () => {
    const typed = typeAhead();
    searches.use((made) => made[which].open(typed.take()), typed.take);
  };
  return [
    {
      id: "session.search",
      title: "Search all sessions",
      group: "Sessions",
      keys: ["Mod+Shift+F"],
      run: open("search"),
    },
    {
      id: "transcript.find",
      title: "Find in this session",
      group: "This session",
      keys: ["Mod+F"],
      isAvailable: isOpen,
      run: open("find"),
    },
  ];
}
