/** Titled code with a button that copies it. */
import { button, element, setText } from "./dom";

const SAID_MS = 1_500;

export function copyable(title: string, text: string): HTMLElement {
  const code = element("pre", "code", text);
  code.tabIndex = 0;
  code.setAttribute("aria-label", title);
  const copy = button("Copy", "quiet", () => void copyText(text).then((said) => say(copy, said)));
  copy.setAttribute("aria-label", `Copy: ${title}`);
  return element("div", "copyable", element("div", "copyable-head", element("p", "", title), copy), code);
}

/** The clipboard is absent on plain HTTP to another machine; then the text is still there to select. */
export async function copyText(text: string | Promise<string>): Promise<string> {
  if (typeof text === "string") return written(() => navigator.clipboard.writeText(text));
  // Handed over before it is there: later the browser would not take it for what someone asked for.
  const later = text.then((fetched) => new Blob([fetched], { type: "text/plain" }));
  const said = written(() => navigator.clipboard.write([new ClipboardItem({ "text/plain": later })]));
  return later.then(
    () => said,
    () => "Not loaded. Try again",
  );
}

async function written(write: () => Promise<void>): Promise<string> {
  try {
    await write();
    return "Copied";
  } catch {
    return "Select and copy";
  }
}

/** A small button that copies what is there when it is pressed. */
export function copyButton(
  label: string,
  text: () => string | Promise<string>,
  word = "Copy",
): HTMLButtonElement {
  const copy = button(
    word,
    "quiet bare copy",
    () => void copyText(text()).then((said) => say(copy, said, word)),
  );
  copy.setAttribute("aria-label", label);
  return copy;
}

export function say(copy: HTMLButtonElement, said: string, word = "Copy"): void {
  setText(copy, said);
  // It may be out of sight until it is pointed at, and pressed by a key.
  copy.dataset.said = "true";
  setTimeout(() => {
    setText(copy, word);
    delete copy.dataset.said;
  }, SAID_MS);
}
