/** What opens above the page when it is asked for, and most of what can be asked for: one file that is fetched after everything else. */
import "./dialogs.css";

export { buttonCommands } from "./commands/button-commands";
export { ConfirmSheet } from "./dom/confirm-sheet";
export { Sheet } from "./dom/sheet";
export { itemCommands } from "./items/item-commands";
export { playSoftSound } from "./notify/soft-sound";
export { mayNotify } from "./notify/system-notifications";
export { Teller } from "./notify/teller";
export { overviewCommands } from "./overview/overview-commands";
export { entriesOf } from "./palette/entries";
export { Palette } from "./palette/palette";
export { Recent } from "./palette/recent";
export { preferenceCommands } from "./preferences/preference-commands";
export { FindBar } from "./search/find-bar";
export { SearchPanel } from "./search/search-panel";
export { talkCommands } from "./session/talk-commands";
export { SettingsDialog } from "./settings/settings-dialog";
export { shellCommands } from "./shell/shell-commands";
export { startTurning } from "./shell/turning";
export { ShortcutsDialog } from "./shortcuts/shortcuts-dialog";
export { ActionMenu } from "./sidebar/action-menu";
export { AddProjectSheet } from "./sidebar/add-project-sheet";
export { ImportSheet } from "./sidebar/import-sheet";
export { readingCommands } from "./transcript/reading-commands";
export { timesCommands } from "./turn-times/times-commands";
export { TimesDialog } from "./turn-times/times-dialog";
