/** Keys that are pressed together, written as "Mod+Shift+K": Mod is Ctrl, and Command on a Mac. Pure. */

export type KeyPress = {
  key: string;
  /** Which key of the keyboard it is, as "KeyK". */
  code?: string;
  ctrlKey: boolean;
  metaKey: boolean;
  altKey: boolean;
  shiftKey: boolean;
  getModifierState?(key: string): boolean;
};

type Parts = { key: string; mod: boolean; alt: boolean; shift: boolean };

export function matches(chord: string, press: KeyPress): boolean {
  const wanted = partsOf(chord);
  const mod = press.ctrlKey || press.metaKey;
  if (wanted.mod !== mod || wanted.alt !== press.altKey) return false;
  if (isNamedBy(wanted, press)) return true;
  // Together with Option a Mac writes other characters, and so do keyboards of other scripts: then the place counts.
  const doesPlaceCount = (wanted.mod || wanted.alt) && !LATIN.test(press.key);
  return doesPlaceCount && wanted.shift === press.shiftKey && press.code === placeOf(wanted.key);
}

function isNamedBy({ key, alt, shift }: Parts, press: KeyPress): boolean {
  if (key.toLowerCase() !== press.key.toLowerCase()) return false;
  if (!isSymbol(key)) return shift === press.shiftKey;
  // Option writes symbols in other places: the "[" of a German Mac is Option+5, which is another chord.
  if (alt && press.code !== undefined && press.code !== placeOf(key)) return false;
  // Whether a symbol needs Shift is up to the keyboard: "?" is "?", however it is typed.
  return !shift || press.shiftKey;
}

function placeOf(key: string): string {
  if (key === "[") return "BracketLeft";
  if (key === "]") return "BracketRight";
  if (key === "-") return "Minus";
  if (key === "=") return "Equal";
  return /^\d$/.test(key) ? `Digit${key}` : `Key${key.toUpperCase()}`;
}

const LATIN = /^[a-z]$/i;

/** Whether the press writes something: then it belongs to whatever is being written in. */
export function isTyping(chord: string, press: KeyPress, isMac: boolean): boolean {
  const { key, mod, alt } = partsOf(chord);
  if (mod || !isCharacter(key)) return false;
  if (!alt) return true;
  // Option writes a character of its own, unless the press still is the one that is meant; AltGr does so everywhere.
  const isOther = press.key.toLowerCase() !== key.toLowerCase();
  return isOther && (isMac || press.getModifierState?.("AltGraph") === true);
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

function isSymbol(key: string): boolean {
  return isCharacter(key) && !/^[a-z\d]$/i.test(key);
}
