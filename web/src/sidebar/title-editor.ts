/** Renames a session in its row: Enter or leaving keeps what was written, Esc does not. */
import { element } from "../dom/dom";

export type TitleEditorActions = { save(title: string): void; close(): void };

export function titleEditor(title: string, actions: TitleEditorActions): HTMLInputElement {
  const input = element("input", "title-editor");
  input.value = title;
  input.maxLength = 200;
  input.spellcheck = false;
  input.setAttribute("aria-label", "Title");
  let isOver = false;
  const end = (wanted: string) => {
    if (isOver) return;
    isOver = true;
    const next = wanted.trim();
    if (next !== "" && next !== title) actions.save(next);
    actions.close();
  };
  input.addEventListener("keydown", (event) => {
    if (event.isComposing || (event.key !== "Enter" && event.key !== "Escape")) return;
    event.preventDefault();
    event.stopPropagation();
    end(event.key === "Enter" ? input.value : "");
  });
  input.addEventListener("blur", () => end(input.value));
  return input;
}
