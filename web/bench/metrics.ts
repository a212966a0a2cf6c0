/** What the browser says of itself. */
import type { CDPSession, Page } from "@playwright/test";

export class Metrics {
  private constructor(private readonly browser: CDPSession) {}

  static async of(page: Page): Promise<Metrics> {
    const browser = await page.context().newCDPSession(page);
    await browser
      .send("Performance.enable", { timeDomain: "threadTicks" })
      .catch(() => browser.send("Performance.enable"));
    return new Metrics(browser);
  }

  /** Makes the page's processor so many times slower. */
  async slowDown(times: number): Promise<void> {
    await this.browser.send("Emulation.setCPUThrottlingRate", { rate: times });
  }

  /** Seconds that scripts ran. */
  async script(): Promise<number> {
    return this.value("ScriptDuration");
  }

  /** Megabytes in use after everything unused was given back. */
  async heap(): Promise<number> {
    await this.giveBack();
    return (await this.value("JSHeapUsedSize")) / 1e6;
  }

  /** Nodes of the document and whatever else is held on to, after everything unused was given back. */
  async nodes(): Promise<number> {
    await this.giveBack();
    return this.value("Nodes");
  }

  private async giveBack(): Promise<void> {
    for (let round = 0; round < 3; round += 1) await this.browser.send("HeapProfiler.collectGarbage");
  }

  private async value(wanted: string): Promise<number> {
    const { metrics } = await this.browser.send("Performance.getMetrics");
    const found = metrics.find(({ name }) => name === wanted);
    if (!found) throw new Error(`the browser does not tell ${wanted}`);
    return found.value;
  }
}
