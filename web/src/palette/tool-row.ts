/** The way to palette, settings and shortcuts for those who do not know their keys yet, or have none. */
import type { Commands } from "../commands/commands";
import { keysView } from "../commands/keys-view";
import { button, element } from "../dom/dom";

export function toolRow(commands: Commands): HTMLElement {
  const search = button("", "quiet tool-search", () => commands.run("palette.open"));
  search.append(element("span", "tool-search-name", "Search"), keysView("Mod+K"));
  search.ariaLabel = "Search commands and sessions";
  const settings = button("Settings", "quiet", () => commands.run("settings.open"));
  const shortcuts = button("?", "quiet tool-keys", () => commands.run("shortcuts.open"));
  shortcuts.ariaLabel = "Keyboard shortcuts";
  return element("div", "tool-row", search, settings, shortcuts);
}
