/** Which key presses send what is being written. Pure but for the reader's choice. */
import { preferences } from "../preferences/preferences";

type Press = Pick<KeyboardEvent, "key" | "shiftKey" | "ctrlKey" | "metaKey" | "altKey" | "isComposing">;

/** Enter sends unless Shift is held, or the other way round; with Ctrl or Command it always does. With all of them it is a command of
 * its own, which sends now. */
export function isSendKey(press: Press, doesEnterSend = preferences.enterSends): boolean {
  // Enter also ends the input of a character by an input method; that one is not meant for us.
  if (press.key !== "Enter" || press.isComposing || press.altKey) return false;
  if (press.ctrlKey || press.metaKey) return !press.shiftKey;
  return doesEnterSend !== press.shiftKey;
}

/** What is said below the field. */
export function sendKeyWords(doesEnterSend = preferences.enterSends): string {
  return doesEnterSend
    ? "Enter sends, Shift+Enter starts a new line"
    : "Ctrl+Enter sends, Enter starts a new line";
}
