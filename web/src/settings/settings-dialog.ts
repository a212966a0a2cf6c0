/** How the page looks and tells: every change is seen at once and kept. */
import { Dialog, dialogHead } from "../dom/dialog";
import { element } from "../dom/dom";
import { askForNotifications, canNotify, notificationNote } from "../notify/system-notifications";
import type { PreferenceName, PreferenceStore, Preferences } from "../preferences/preferences";
import { type ChoiceRow, choiceRow, switchRow } from "./controls";

type ChoiceName = "theme" | "contrast" | "textSize" | "density" | "motion";

const CHOICE_LABELS: { [Name in ChoiceName]: { label: string; words: Record<string, string> } } = {
  theme: { label: "Theme", words: { system: "System", light: "Light", dark: "Dark" } },
  contrast: { label: "Contrast", words: { normal: "Normal", high: "High" } },
  textSize: { label: "Text size", words: { small: "Small", normal: "Normal", large: "Large" } },
  density: { label: "Density", words: { comfortable: "Comfortable", compact: "Compact" } },
  motion: { label: "Motion", words: { system: "System", reduced: "Reduced" } },
};

export type SettingsActions = {
  /** Lets someone hear what was turned on. */
  playSound(): void;
};

export class SettingsDialog {
  private readonly choices = (Object.keys(CHOICE_LABELS) as ChoiceName[]).map(
    (name) => [name, this.choiceOf(name)] as const,
  );
  private readonly enterSends = switchRow("enterSends", "Enter sends", (on) => this.set("enterSends", on));
  private readonly notifications = switchRow("notifications", "Notifications", (on) => void this.notify(on));
  private readonly sound = switchRow("sound", "Sound", (on) => {
    this.set("sound", on);
    if (on) this.actions.playSound();
  });
  private readonly saysTools = switchRow("saysTools", "Say tool calls", (on) => this.set("saysTools", on));
  private readonly dialog: Dialog;

  constructor(
    private readonly preferences: PreferenceStore,
    private readonly actions: SettingsActions,
  ) {
    const body = element(
      "div",
      "settings-body",
      section("Appearance", ...this.choices.map(([, { root }]) => root)),
      section("Writing", this.enterSends.root),
      section("When something happens", this.notifications.root, this.sound.root, this.saysTools.root),
    );
    this.dialog = new Dialog(
      "Settings",
      "settings",
      dialogHead("Settings", () => this.dialog.close()),
      body,
    );
    preferences.follow((now) => this.show(now));
  }

  toggle(): void {
    this.show(this.preferences.all);
    this.dialog.toggle();
    this.dialog.root.querySelector<HTMLInputElement>("input:checked")?.focus();
  }

  /** Opens it where notifications are turned on: the browser asks only after a click there. */
  openNotifications(): void {
    this.show(this.preferences.all);
    this.dialog.open();
    this.notifications.root.querySelector("input")?.focus();
  }

  private choiceOf(name: ChoiceName): ChoiceRow {
    const { label, words } = CHOICE_LABELS[name];
    const choices = Object.entries(words).map(([value, word]) => ({ value, label: word }));
    return choiceRow(name, label, choices, (value) => this.set(name, value));
  }

  private set(name: PreferenceName, value: string | boolean): void {
    this.preferences.set({ [name]: value } as Partial<Preferences>);
  }

  private async notify(on: boolean): Promise<void> {
    const may = on && (await askForNotifications());
    this.set("notifications", may);
  }

  private show(now: Preferences): void {
    for (const [name, row] of this.choices) row.show(now[name]);
    this.enterSends.show(
      now.enterSends,
      now.enterSends ? "Shift+Enter starts a new line" : "Shift+Enter or Ctrl+Enter sends",
    );
    this.notifications.show(now.notifications && canNotify(), notificationNote(), canNotify());
    this.sound.show(now.sound, "Two soft notes, while you look at something else");
    this.saysTools.show(now.saysTools, "Screen readers hear of each that has finished, not only of messages");
  }
}

function section(title: string, ...rows: HTMLElement[]): HTMLElement {
  return element("section", "settings-section", element("h3", "settings-heading", title), ...rows);
}
