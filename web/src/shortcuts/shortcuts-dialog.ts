/** Shows which keys do what. */
import type { Commands } from "../commands/commands";
import { keysView } from "../commands/keys-view";
import { Dialog, dialogHead } from "../dom/dialog";
import { element } from "../dom/dom";
import { type Shortcut, type ShortcutGroup, shortcutGroups } from "./shortcut-groups";

const NAME = "Keyboard shortcuts";

export class ShortcutsDialog {
  private readonly columns = element("div", "shortcut-columns");
  private readonly body = element("div", "shortcuts-body", this.columns);
  private readonly dialog: Dialog;

  constructor(private readonly commands: Commands) {
    // It scrolls on small screens, which must not need a pointer.
    this.body.tabIndex = 0;
    this.body.role = "region";
    this.body.ariaLabel = NAME;
    this.dialog = new Dialog(
      NAME,
      "shortcuts",
      dialogHead(NAME, () => this.dialog.close()),
      this.body,
    );
  }

  toggle(): void {
    this.columns.replaceChildren(...shortcutGroups(this.commands.all()).map(groupView));
    this.dialog.toggle();
    this.body.focus({ focusVisible: false } as FocusOptions);
  }
}

function groupView({ group, note, shortcuts }: ShortcutGroup): HTMLElement {
  const list = element("dl", "shortcut-list", ...shortcuts.map(shortcutView));
  const heading = element("h3", "shortcut-heading", group);
  const notes = note === "" ? [] : [element("p", "shortcut-note", note)];
  return element("section", "shortcut-group", heading, ...notes, list);
}

function shortcutView({ title, keys }: Shortcut): HTMLElement {
  const chords = keys.flatMap((chord, at) => (at === 0 ? [keysView(chord)] : [" or ", keysView(chord)]));
  return element(
    "div",
    "shortcut",
    element("dt", "shortcut-title", title),
    element("dd", "shortcut-keys", ...chords),
  );
}
