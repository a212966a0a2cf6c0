/**
 * Makes what cannot be seen visible.
 *
 * Someone who allows a command must see all of it. Control characters, direction overrides and characters of no width
 * could hide a part or show it in another order, so they are written as JSON escapes.
 */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;
const LAYOUT = /[\n\t]/;

/** For text of several lines: line feeds and tabs stay. */
export function visibleText(text: string): string {
  return text.replace(INVISIBLE, (found) => (LAYOUT.test(found) ? found : escaped(found)));
}

/** For one line: line feeds and tabs are escaped too. */
export function visibleLine(text: string): string {
  return text.replace(INVISIBLE, escaped);
}

/** A value as indented JSON. Line feeds inside of its strings are already escaped by JSON itself. */
export function visibleJson(value: unknown): string {
  return visibleText(JSON.stringify(value, null, 2) ?? "");
}

function escaped(character: string): string {
  return Array.from({ length: character.length }, (_, at) => unitEscape(character.charCodeAt(at))).join("");
}

function unitEscape(unit: number): string {
  return `\\u${unit.toString(16).padStart(4, "0")}`;
}
