/** Time that passes for the page alone. */
import type { Page } from "@playwright/test";

/** In steps, so that the server's answers to pings come within the time that the page gives them. */
export async function letPass(page: Page, seconds: number): Promise<void> {
  for (let passed = 0; passed < seconds; passed += 3) {
    await page.clock.runFor(3_000);
    await new Promise((done) => setTimeout(done, 100));
  }
}
