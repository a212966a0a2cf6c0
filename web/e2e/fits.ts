/** Whether what is on a screen fits it. */
import { expect, type Locator, type Page } from "@playwright/test";
import { expectNoSidewaysScroll } from "./sidebar-page";

/** Nothing has to be scrolled sideways, nothing reaches out of the window, no text ends at an edge without a sign that it does. */
export async function expectFits(page: Page): Promise<void> {
  await expectNoSidewaysScroll(page);
  expect(await page.evaluate(outside)).toEqual([]);
  expect(await page.evaluate(cutOff)).toEqual([]);
}

/** Runs in the page: what is seen, stands outside of the window and cannot be scrolled to. */
function outside(): string[] {
  const isScrolled = (one: Element) =>
    /auto|scroll/.test(getComputedStyle(one).overflowX) && one.scrollWidth > one.clientWidth;
  const isShortened = (one: Element) => getComputedStyle(one).textOverflow === "ellipsis";
  const isFine = (one: Element | null): boolean =>
    one !== null && (isScrolled(one) || isShortened(one) || isFine(one.parentElement));
  return [...document.querySelectorAll<HTMLElement>("body *")]
    .filter((one) => one.checkVisibility({ visibilityProperty: true, opacityProperty: true }))
    .filter((one) => one.closest("[inert], .for-listeners, .skip, svg") === null)
    .filter((one) => {
      const { left, right, width, height } = one.getBoundingClientRect();
      return width > 1 && height > 1 && (left < -0.5 || right > innerWidth + 0.5);
    })
    .filter((one) => !isFine(one.parentElement))
    .map((one) => `${one.tagName} ${one.className} ${one.textContent?.slice(0, 40)}`);
}

/** Runs in the page: text that ends at the edge of its box, or of one around it, without a sign that it goes on. */
function cutOff(): string[] {
  // Where there is no room, how connection and session stand is told by a shape, and by its name to listeners.
  const DOTS = ".connection, .session-header .activity";
  const style = (one: Element) => getComputedStyle(one);
  const clips = (one: Element) => /hidden|clip/.test(style(one).overflowX);
  const reachesOut = (one: Element, around: Element | null): boolean => {
    if (around === null || /auto|scroll/.test(style(around).overflowX)) return false;
    if (style(around).textOverflow === "ellipsis") return false;
    const [inner, outer] = [one.getBoundingClientRect(), around.getBoundingClientRect()];
    const isOut = inner.right > outer.right + 1 || inner.left < outer.left - 1;
    return (clips(around) && isOut) || reachesOut(one, around.parentElement);
  };
  const isCut = (one: HTMLElement) =>
    clips(one) && style(one).textOverflow !== "ellipsis" && one.scrollWidth > one.clientWidth + 1;
  return [...document.querySelectorAll<HTMLElement>("body *")]
    .filter((one) => one.checkVisibility({ visibilityProperty: true, opacityProperty: true }))
    .filter((one) => one.closest(`[inert], .for-listeners, .skip, svg, ${DOTS}`) === null)
    .filter((one) =>
      [...one.childNodes].some((node) => node.nodeType === 3 && node.textContent?.trim() !== ""),
    )
    .filter((one) => one.getBoundingClientRect().width > 1)
    .filter((one) => isCut(one) || reachesOut(one, one.parentElement))
    .map((one) => `${one.tagName} ${one.className} ${one.textContent?.slice(0, 40)}`);
}

/** How many letters the fullest line of a text has. */
export async function longestLine(text: Locator): Promise<number> {
  return text.evaluate((root) => {
    const letters = new Map<number, number>();
    const range = document.createRange();
    const nodes = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
    for (let node = nodes.nextNode(); node; node = nodes.nextNode())
      for (let at = 0; at < (node.textContent?.length ?? 0); at += 1) {
        range.setStart(node, at);
        range.setEnd(node, at + 1);
        const line = Math.round(range.getBoundingClientRect().top);
        letters.set(line, (letters.get(line) ?? 0) + 1);
      }
    return Math.max(...letters.values());
  });
}
