/** Every test gets a server of its own and fails on anything that the browser complains about. */
import { type BrowserContext, test as base, type ConsoleMessage, expect } from "@playwright/test";
import { Server } from "./server";

export { expect };

export const test = base.extend<{ server: Server }>({
  // biome-ignore lint/correctness/noEmptyPattern: the runner reads the fixtures that are needed from the pattern.
  server: async ({}, use) => {
    const server = await Server.start();
    await use(server);
    await server.stop();
  },
  context: async ({ context }, use) => {
    const complaints = await watched(context);
    await use(context);
    expect(complaints, "the browser had no complaints").toEqual([]);
  },
});

/** Collects what goes wrong in any page of a context. */
export async function watched(context: BrowserContext): Promise<string[]> {
  const complaints: string[] = [];
  context.on("console", (message) => {
    if (message.type() === "error" && !isExpected(message)) complaints.push(message.text());
  });
  context.on("weberror", (error) => complaints.push(String(error.error())));
  await context.addInitScript(() => {
    document.addEventListener("securitypolicyviolation", (violation) => {
      console.error(`security policy: ${violation.violatedDirective} ${violation.blockedURI}`);
    });
  });
  return complaints;
}

/** The browser logs each answer of 401 by itself; being asked to log in is no fault of the page. */
function isExpected(message: ConsoleMessage): boolean {
  return /the server responded with a status of 401/.test(message.text());
}
