/** One line of where the time went. It stays while its bar grows: a press that begins on it ends on it. */
import type { ItemId } from "../contract";
import { button, element, setText } from "../dom/dom";
import { timeText } from "./time-scale";
import type { TimeBar } from "./turn-times";

export class TimesRow {
  readonly root = element("li", "times-item");
  private readonly name = element("span", "times-name");
  private readonly duration = element("span", "times-duration");

  /** `show`: leads to what it is about, where that is an item. */
  constructor({ kind, itemId }: TimeBar, show: (itemId: ItemId) => void) {
    const line =
      itemId === undefined ? element("div", "times-row") : button("", "times-row", () => show(itemId));
    const track = element("span", "times-track", element("span", "times-bar"));
    line.append(this.name, track, this.duration);
    this.root.append(line);
    this.root.dataset.kind = kind;
  }

  update({ name, nested, from, to }: TimeBar, total: number): void {
    const [duration, share] = [timeText(to - from), (time: number) => (total > 0 ? time / total : 0)];
    setText(this.name, name);
    setText(this.duration, duration);
    this.root.dataset.nested = String(nested);
    this.root.title = `${name}: ${duration}, from ${timeText(from)} on`;
    this.root.style.setProperty("--from", String(share(from)));
    this.root.style.setProperty("--part", String(share(to - from)));
  }
}

/** What makes a bar the same one when it is looked at again: its item, or else where it begins. */
export function barKeys(bars: readonly TimeBar[]): string[] {
  const seen = new Map<string, number>();
  return bars.map(({ kind, itemId, from }) => {
    const key = `${kind} ${itemId ?? from}`;
    const earlier = seen.get(key) ?? 0;
    seen.set(key, earlier + 1);
    return `${key} ${earlier}`;
  });
}
