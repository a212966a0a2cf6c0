/**
 * Text without control characters: nothing that steers a terminal gets to the page, and from there by way of the clipboard into one.
 *
 * Each becomes a picture of itself, one for one, so that every place in the text stays where it is. Lines and tabs stay.
 */
const CONTROLS = /(?![\n\r\t])\p{Cc}/gu;
/** The pictures of the first 32 stand in their order. */
const FIRST_PICTURE = 0x2400;
const [DELETE, ITS_PICTURE, UNKNOWN] = ["\u007f", "\u2421", "\ufffd"];

export function inertText(text: string): string {
  return text.replace(CONTROLS, picture);
}

function picture(control: string): string {
  if (control === DELETE) return ITS_PICTURE;
  const code = control.charCodeAt(0);
  return code < 0x20 ? String.fromCharCode(FIRST_PICTURE + code) : UNKNOWN;
}
