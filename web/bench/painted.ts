/** When marked texts are on the screen. */
import type { Page } from "@playwright/test";

/** Stands before and after the number of a text. */
const MARK = "@";

export function marked(number: number, text: string): string {
  return `${MARK}${number}${MARK} ${text}`;
}

/** The number of a marked text. */
export function numberOf(text: string): number {
  return Number(text.split(MARK)[1]);
}

/**
 * Notes when each marked text was on the screen: when the frame after the one that it was drawn in begins, for then it has been
 * shown. The page draws within frames only (src/dom/next-frame.ts), so that the next one asked for is that frame.
 */
export async function watchPaint(page: Page): Promise<void> {
  await page.evaluate((mark) => {
    const painted = new Map<number, number>();
    const known = new Set<string>();
    Object.assign(window, { painted });
    const look = (root: Node) => {
      const found = root.textContent?.split(mark)[1];
      if (found === undefined || known.has(found) || Number.isNaN(Number(found))) return;
      known.add(found);
      requestAnimationFrame(() => painted.set(Number(found), performance.timeOrigin + performance.now()));
    };
    const rows = document.querySelector(".transcripts") ?? document.body;
    new MutationObserver((changes) => {
      for (const change of changes) {
        change.addedNodes.forEach(look);
        if (change.type === "characterData") look(change.target);
      }
    }).observe(rows, { subtree: true, childList: true, characterData: true });
  }, MARK);
}

/** By number, in milliseconds since 1970. */
export async function paintedAt(page: Page): Promise<Map<number, number>> {
  const painted = await page.evaluate(() => [
    ...(window as unknown as { painted: Map<number, number> }).painted,
  ]);
  return new Map(painted);
}
