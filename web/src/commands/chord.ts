/** Keys that are pressed together, written as "Mod+Shift+K": Mod is Ctrl, and Command on a Mac. Pure. */

export type KeyPress = {
  key: string;
  /** Which key of the keyboard it is, as "KeyK". */
  code?: string;
  ctrlKey: boolean;
  metaKey: boolean;
  altKey: boolean;
  shiftKey: boolean;
};

type Parts = { key: string; mod: boolean; alt: boolean; shift: boolean };

export function matches(chord: string, press: KeyPress): boolean {
  const wanted = partsOf(chord);
  const mod = press.ctrlKey || press.metaKey;
  if (wanted.mod !== mod || wanted.alt !== press.altKey) return false;
  // A character that needs Shift on some keyboards is named by itself: "?" is "?", however it is typed.
  if (!isCharacter(wanted.key) || wanted.shift) if (wanted.shift !== press.shiftKey) return false;
  if (wanted.key.toLowerCase() === press.key.toLowerCase()) return true;
  // Together with Option a Mac writes other characters, and so do keyboards of other scripts: then the place counts.
  return (wanted.mod || wanted.alt) && !LATIN.test(press.key) && press.code === placeOf(wanted.key);
}

function placeOf(key: string): string {
  if (key === "[") return "BracketLeft";
  if (key === "]") return "BracketRight";
  return /^\d$/.test(key) ? `Digit${key}` : `Key${key.toUpperCase()}`;
}

const LATIN = /^[a-z]$/i;

/** Whether it is typed text: such keys belong to whatever is being written in. */
export function isTyping(chord: string): boolean {
  const { key, mod, alt } = partsOf(chord);
  return !mod && !alt && isCharacter(key);
}

/** The chord as it is shown, one name per key. */
export function keyNames(chord: string, isMac: boolean): string[] {
  return chord.split(/\+(?=.)/).map((part) => {
    if (isMac && part in MAC_NAMES) return MAC_NAMES[part] ?? part;
    if (part === "Mod") return "Ctrl";
    return NAMES[part] ?? (part.length === 1 ? part.toUpperCase() : part);
  });
}

const MAC_NAMES: Record<string, string> = { Mod: "⌘", Alt: "⌥", Shift: "⇧" };

const NAMES: Record<string, string> = {
  ArrowUp: "↑",
  ArrowDown: "↓",
  ArrowLeft: "←",
  ArrowRight: "→",
  Escape: "Esc",
};

function partsOf(chord: string): Parts {
  const parts = chord.split(/\+(?=.)/);
  const key = parts.at(-1) ?? "";
  const held = new Set(parts.slice(0, -1));
  return { key, mod: held.has("Mod"), alt: held.has("Alt"), shift: held.has("Shift") };
}

function isCharacter(key: string): boolean {
  return key.length === 1;
}
