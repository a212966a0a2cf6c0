/** The rows of the settings: a choice among a few, or something that is on or off. */
import { element, setText } from "../dom/dom";

export type Choice = { value: string; label: string };
export type ChoiceRow = { root: HTMLElement; show(value: string): void };
export type SwitchRow = { root: HTMLElement; show(on: boolean, note: string, isPossible?: boolean): void };

export function choiceRow(
  name: string,
  label: string,
  choices: readonly Choice[],
  chosen: (value: string) => void,
): ChoiceRow {
  const inputs = choices.map(({ value }) => radio(`setting-${name}`, value));
  const options = choices.map((choice, at) =>
    element("label", "segment", inputs[at] ?? "", element("span", "segment-label", choice.label)),
  );
  const legend = element("legend", "setting-label", label);
  const root = element("fieldset", "setting", legend, element("div", "segments", ...options));
  root.dataset.setting = name;
  root.addEventListener("change", (event) => chosen((event.target as HTMLInputElement).value));
  const show = (value: string) => {
    for (const input of inputs) input.checked = input.value === value;
  };
  return { root, show };
}

function radio(name: string, value: string): HTMLInputElement {
  const input = element("input", "segment-input");
  Object.assign(input, { type: "radio", name, value });
  return input;
}

/** `note` says what it does, or why it cannot be done. */
export function switchRow(name: string, label: string, changed: (on: boolean) => void): SwitchRow {
  const input = element("input", "switch");
  const noteLine = element("span", "setting-note");
  input.type = "checkbox";
  input.role = "switch";
  noteLine.id = `setting-${name}-note`;
  input.setAttribute("aria-describedby", noteLine.id);
  const words = element("span", "setting-words", element("span", "setting-label", label));
  const root = element("div", "setting", element("label", "setting-switch", words, input), noteLine);
  root.dataset.setting = name;
  input.addEventListener("change", () => changed(input.checked));
  const show = (on: boolean, note: string, isPossible = true) => {
    input.checked = on;
    input.disabled = !isPossible;
    setText(noteLine, note);
  };
  return { root, show };
}
