/** When text that carries its own time is on the screen. */
import type { Page } from "@playwright/test";

/** Stands before and after the time in a text. */
const MARK = "@";

/** A text that tells when it was written, in milliseconds since 1970. */
export function stamped(text: string): string {
  return `${MARK}${(performance.timeOrigin + performance.now()).toFixed(3)}${MARK} ${text}`;
}

/**
 * Notes how long each stamped text took to the screen: until the frame after the one that it was drawn in begins, for then it
 * has been shown.
 */
export async function watchPaint(page: Page): Promise<void> {
  await page.evaluate((mark) => {
    const [lags, known] = [[] as number[], new Set<string>()];
    Object.assign(window, { lags });
    const look = (root: Node) => {
      const found = root.textContent?.split(mark)[1];
      if (found === undefined || known.has(found) || Number.isNaN(Number(found))) return;
      known.add(found);
      requestAnimationFrame(() =>
        requestAnimationFrame(() => lags.push(performance.timeOrigin + performance.now() - Number(found))),
      );
    };
    new MutationObserver((changes) => {
      for (const change of changes) {
        change.addedNodes.forEach(look);
        if (change.type === "characterData") look(change.target);
      }
    }).observe(document.body, { subtree: true, childList: true, characterData: true });
  }, MARK);
}

export async function paintLags(page: Page): Promise<number[]> {
  return page.evaluate(() => (window as unknown as { lags: number[] }).lags);
}
