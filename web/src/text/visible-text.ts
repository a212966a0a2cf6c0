/**
 * Makes what cannot be seen visible.
 *
 * Someone who allows a command must see all of it. Control characters, direction overrides and characters of no width
 * could hide a part or show it in another order, so they are written as JSON escapes. Those that make one picture of several
 * characters stay where they do so, as in a warning sign or a flag.
 */
const UNSEEN = "[\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}\\p{Default_Ignorable_Code_Point}]";
/** A character, or what may be a picture: looking for those everywhere would take long. */
const FOUND = new RegExp(
  `[\\p{Extended_Pictographic}\\p{RI}#*0-9][\\p{Extended_Pictographic}\\p{RI}\\p{Emoji_Modifier}\\ufe0f\\u200d\\u20e3\\u{e0020}-\\u{e007f}]+|${UNSEEN}`,
  "gu",
);
/** The pictures that are recommended for interchange, and what is left beside them. */
const IN_PICTURE = new RegExp(`\\p{RGI_Emoji}|${UNSEEN}`, "gv");
const IS_UNSEEN = new RegExp(`^${UNSEEN}$`, "u");

/** For text of several lines: line feeds and tabs stay. */
export function visibleText(text: string): string {
  return text.replace(FOUND, (found) => (found === "\n" || found === "\t" ? found : shown(found)));
}

/** For one line: line feeds and tabs are escaped too. */
export function visibleLine(text: string): string {
  return text.replace(FOUND, shown);
}

/** For a name that may come from a text: its lines and gaps are one space each. */
export function visibleName(text: string): string {
  return visibleLine(text.replace(/\s+/g, " ").trim());
}

/** A value as indented JSON. Line feeds inside of its strings are already escaped by JSON itself. */
export function visibleJson(value: unknown): string {
  return visibleText(JSON.stringify(value, null, 2) ?? "");
}

function shown(found: string): string {
  if (IS_UNSEEN.test(found)) return escaped(found);
  return found.replace(IN_PICTURE, (part) => (IS_UNSEEN.test(part) ? escaped(part) : part));
}

function escaped(character: string): string {
  return Array.from({ length: character.length }, (_, at) => unitEscape(character.charCodeAt(at))).join("");
}

function unitEscape(unit: number): string {
  return `\\u${unit.toString(16).padStart(4, "0")}`;
}
