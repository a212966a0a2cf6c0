/** Asks axe about what is on the screen, in every theme. The page's own policy forbids to put it there: such tests bypass it. */
import { AxeBuilder } from "@axe-core/playwright";
import { expect, type Page } from "@playwright/test";

const RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];
/** Agents choose the levels of the headings in what they write. */
const NOT_OURS = /^heading-order: [^\n]*class="heading-\d/;
/**
 * Options are gone through by the arrows of their field, which keeps the focus. axe knows that of comboboxes; the field of a message
 * cannot be one, for it has lines.
 */
const OF_THE_MESSAGE = /^scrollable-region-focusable: [^\n]*aria-label="Files and commands"/;
/** What depends on how the page looks; the rest is the same in every theme. */
const LOOKS_RULES = ["color-contrast", "link-in-text-block"];
const LOOKS = [
  { theme: "light", contrast: "normal" },
  { theme: "dark", contrast: "normal" },
  { theme: "light", contrast: "high" },
  { theme: "dark", contrast: "high" },
];

export async function expectAccessible(page: Page, screen: string): Promise<void> {
  for (const [at, look] of LOOKS.entries()) {
    await page.evaluate((chosen) => Object.assign(document.documentElement.dataset, chosen), look);
    // The page has no frames: one pass in place is enough.
    const checker = new AxeBuilder({ page }).setLegacyMode(true);
    const asked = at === 0 ? checker.withTags(RULES) : checker.withRules(LOOKS_RULES);
    const { violations } = await asked.analyze();
    const found = violations
      .flatMap(({ id, help, nodes }) =>
        nodes.map(
          ({ target, html, failureSummary }) =>
            `${id}: ${help}: ${target.join(" ")} ${html.replaceAll("\n", " ")}\n${failureSummary}`,
        ),
      )
      .filter((one) => ![NOT_OURS, OF_THE_MESSAGE].some((known) => known.test(one)));
    expect.soft(found, `${screen}, ${look.theme}, ${look.contrast} contrast`).toEqual([]);
  }
}
