/** The parts of the page, in the order in which F6 goes round. */
import { isInSight } from "../dom/in-sight";

type Region = {
  /** Found anew each time: parts come and go. */
  root: string;
  /** What gets the focus in it, the first that is there. */
  targets: readonly string[];
};

const REGIONS: readonly Region[] = [
  { root: ".sidebar", targets: ['[aria-current="page"]', "a[href]", "button"] },
  { root: "main.page", targets: ["main button:enabled, main input:enabled, main a[href]", "button"] },
  { root: ".empty", targets: ["select", "input", "button"] },
  { root: ".transcript", targets: [":scope"] },
  { root: ".permissions", targets: ["input:enabled", "button:enabled"] },
  { root: ".composer", targets: ["textarea", "input"] },
];

/** Which region comes next; `current` is -1 when the focus is in none of them. */
export function nextRegion(current: number, count: number, step: 1 | -1): number {
  if (current < 0) return step === 1 ? 0 : count - 1;
  return (current + step + count) % count;
}

/** Moves the focus to the next part of the page that can take it. */
export function goToRegion(step: 1 | -1): void {
  const there = REGIONS.flatMap(({ root, targets }) => {
    // Of several, as transcripts that were left, one is in sight.
    const roots = [...document.querySelectorAll<HTMLElement>(root)].filter(isInSight);
    return roots.flatMap((one) => {
      const target = targetIn(one, targets);
      return target ? [{ root: one, target }] : [];
    });
  });
  const current = there.findIndex(({ root }) => root.contains(document.activeElement));
  there[nextRegion(current, there.length, step)]?.target.focus();
}

function targetIn(root: HTMLElement, targets: readonly string[]): HTMLElement | undefined {
  for (const target of targets) {
    const all = target === ":scope" ? [root] : [...root.querySelectorAll<HTMLElement>(target)];
    const found = all.find(isInSight);
    if (found) return found;
  }
  return undefined;
}
