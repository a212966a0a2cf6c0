/** One line of the palette: the name with the letters that were typed, where it belongs, and its keys or how it stands. */
import { keysView } from "../commands/keys-view";
import { type Child, element } from "../dom/dom";
import { activityLabel } from "../sidebar/activity-label";
import { visibleLine } from "../text/visible-text";
import type { Shown } from "./entries";

/** `isMixed`: no heading says where it belongs. */
export function optionView({ entry, title, beside }: Shown, id: string, isMixed: boolean): HTMLElement {
  const root = element("div", "palette-option");
  root.id = id;
  root.role = "option";
  root.ariaSelected = "false";
  root.append(element("span", "palette-title", ...marked(entry.title, title)));
  // Under its heading only a session has more to say.
  if (isMixed || entry.session)
    root.append(element("span", "palette-beside", ...marked(entry.beside, beside)));
  if (entry.session) {
    const label = activityLabel();
    label.update(entry.session);
    root.append(label.root);
  } else if (entry.keys !== undefined) root.append(keysView(entry.keys));
  return root;
}

/** A text with the letters at these places marked, neighbours together. */
function marked(text: string, at: readonly number[]): Child[] {
  const parts: Child[] = [];
  let from = 0;
  for (let index = 0; index < at.length; ) {
    const begin = at[index] ?? 0;
    let end = begin + 1;
    index += 1;
    while (at[index] === end) {
      end += 1;
      index += 1;
    }
    parts.push(
      visibleLine(text.slice(from, begin)),
      element("mark", "", visibleLine(text.slice(begin, end))),
    );
    from = end;
  }
  parts.push(visibleLine(text.slice(from)));
  return parts.filter((part) => part !== "");
}
