/** A server that comes back with another page than the one that is open. */
import type { Page } from "@playwright/test";
import type { Server } from "./server";

export async function serveNewerVersion(
  page: Page,
  server: Server,
  whileAway = async (): Promise<void> => {},
): Promise<void> {
  await page.route(`${server.origin}/`, async (route) => {
    const response = await route.fetch();
    const body = (await response.text()).replace(/assets\/index-[^.]+\.js/, "assets/index-newer.js");
    await route.fulfill({ response, body });
  });
  await server.kill();
  await whileAway();
  await server.restart();
}
