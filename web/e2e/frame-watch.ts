/** What a reader saw in each single frame, so that nothing can go wrong in between. */
import type { Page } from "@playwright/test";

export type SeenRow = { id: string; top: number; bottom: number };
export type SeenFrame = {
  rows: SeenRow[];
  /** Of the box that they are seen through. */
  top: number;
  bottom: number;
  /** How far below is the end. */
  toEnd: number;
  /** Elements that stand for a row which had another one before. */
  remade: string[];
};

declare global {
  interface Window {
    seenFrames: SeenFrame[];
  }
}

/** Looks after each frame has been drawn: what is changed in a frame and put right in the same one, nobody sees. */
export async function watchFrames(page: Page): Promise<void> {
  await page.evaluate(() => {
    window.seenFrames = [];
    const elements = new Map<string, Element>();
    const box = document.querySelector('section[aria-label="Transcript"]');
    const idOf = ({ dataset }: HTMLElement, inner: HTMLElement | null) =>
      dataset.itemId ?? (dataset.group ? `group ${dataset.group}` : `turn ${inner?.dataset.turnId}`);
    const look = () => {
      if (!box) return;
      const edge = box.getBoundingClientRect();
      const remade: string[] = [];
      const rows = [...box.querySelectorAll<HTMLElement>(".rows > *")].flatMap((row) => {
        const { top, bottom } = row.getBoundingClientRect();
        if (bottom <= edge.top || top >= edge.bottom || top === bottom) return [];
        const id = idOf(row, row.querySelector<HTMLElement>("[data-turn-id]"));
        if ((elements.get(id) ?? row) !== row) remade.push(id);
        elements.set(id, row);
        return [{ id, top, bottom }];
      });
      const toEnd = box.scrollHeight - box.clientHeight - box.scrollTop;
      window.seenFrames.push({ rows, top: edge.top, bottom: edge.bottom, toEnd, remade });
    };
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = look;
    const next = () => {
      port2.postMessage(undefined);
      requestAnimationFrame(next);
    };
    requestAnimationFrame(next);
  });
}

export async function seenFrames(page: Page): Promise<SeenFrame[]> {
  return page.evaluate(() => window.seenFrames);
}
