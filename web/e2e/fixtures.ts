/** Every test gets a server of its own and fails on anything that the browser complains about. */
import { type BrowserContext, test as base, type ConsoleMessage, expect } from "@playwright/test";
import { Server } from "./server";
import { makeUneven } from "./uneven-network";

export { expect };

/** What the browser logs by itself. */
const NETWORK = /the server responded with a status of|net::ERR_|^WebSocket connection to/;

/** What it logs of a server that a test has ended; how soon a page asks again is a matter of chance. */
const NOBODY_THERE =
  /ERR_(CONNECTION_(REFUSED|RESET|CLOSED)|EMPTY_RESPONSE|INCOMPLETE_CHUNKED_ENCODING)|^WebSocket connection to/;

export const test = base.extend<{ server: Server; refusals: RegExp; settings: string }>({
  /** Answers that the page is meant to get, which the browser logs by itself. */
  refusals: [/status of 401/, { option: true }],
  /** Of the server, besides the usual ones. */
  settings: ["", { option: true }],
  server: async ({ settings }, use) => {
    const server = await Server.start(settings);
    await use(server);
    await server.stop();
  },
  // Named so that the server outlives the context: what a page says of a server that stops is not asked.
  context: async ({ context, refusals, server }, use) => {
    const complaints = await watched(context, refusals, server);
    await makeUneven(context);
    await use(context);
    expect(complaints, "the browser had no complaints").toEqual([]);
  },
});

/** Collects what goes wrong in any page of a context. */
export async function watched(
  context: BrowserContext,
  refusals = /status of 401/,
  server?: Server,
): Promise<string[]> {
  const complaints: string[] = [];
  context.on("console", (message) => {
    const isMeant = isRefusal(message, refusals) || (server?.wasAway && isRefusal(message, NOBODY_THERE));
    if (message.type() === "error" && !isMeant) complaints.push(message.text());
  });
  context.on("weberror", (error) => complaints.push(String(error.error())));
  await context.addInitScript(() => {
    document.addEventListener("securitypolicyviolation", (violation) => {
      console.error(`security policy: ${violation.violatedDirective} ${violation.blockedURI}`);
    });
  });
  return complaints;
}

/** Being refused, such as being asked to log in, is no fault of the page. */
function isRefusal(message: ConsoleMessage, refusals: RegExp): boolean {
  return NETWORK.test(message.text()) && refusals.test(message.text());
}
