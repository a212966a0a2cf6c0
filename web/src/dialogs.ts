/** What opens above the page when it is asked for: one file that is fetched after everything else. */
import "./dialogs.css";

export { buttonCommands } from "./commands/button-commands";
export { Palette } from "./palette/palette";
export { FindBar } from "./search/find-bar";
export { SearchPanel } from "./search/search-panel";
export { SettingsDialog } from "./settings/settings-dialog";
export { ShortcutsDialog } from "./shortcuts/shortcuts-dialog";
export { AddProjectSheet } from "./sidebar/add-project-sheet";
export { ImportSheet } from "./sidebar/import-sheet";
export { TimesDialog } from "./turn-times/times-dialog";
