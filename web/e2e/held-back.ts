/** Parts of the page that come late. */
import type { Page } from "@playwright/test";

/** Files of this kind do not arrive before they are let go. */
export async function holdBack(page: Page, files: string): Promise<() => void> {
  let letGo = () => {};
  const released = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  await page.route(files, async (route) => {
    await released;
    await route.continue();
  });
  return () => letGo();
}
