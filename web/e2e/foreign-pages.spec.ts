/** Pages of others in the same browser: what they try fails, whatever name they have. */
import { expect, test } from "./fixtures";
import { logIn } from "./transcript-page";

/** What a page gets that asks us for something, and for a socket. */
type Heard = { status: number; text: string; socket: "opened" | "refused" };

/** Runs in the foreign page. */
async function tryEverything(origin: string): Promise<Heard> {
  const answer = await fetch(`${origin}/api/projects`, { credentials: "include" })
    .then(async (response) => ({ status: response.status, text: await response.text() }))
    .catch(() => ({ status: 0, text: "" }));
  const socket = await new Promise<Heard["socket"]>((resolve) => {
    const attempt = new WebSocket(`${origin.replace("http", "ws")}/ws`);
    attempt.onopen = () => resolve("opened");
    attempt.onerror = () => resolve("refused");
  });
  return { ...answer, socket };
}

const PAGE = { contentType: "text/html", body: "<!doctype html><title>Foreign</title>" };

test("S-07 a name that was made to lead to us is not ours", async ({ playwright, launchOptions, server }) => {
  const { port } = new URL(server.origin);
  const rebound = [...(launchOptions.args ?? []), "--host-resolver-rules=MAP rebind.test 127.0.0.1"];
  const browser = await playwright.chromium.launch({ ...launchOptions, args: rebound });
  const page = await browser.newPage();
  // Refused already, and yet a page of that origin: what it asks for is refused as well.
  const refused = await page.goto(`http://rebind.test:${port}/`);
  expect(refused?.status()).toBe(403);
  const heard = await page.evaluate(tryEverything, `http://rebind.test:${port}`);
  expect(heard).toMatchObject({ status: 403, socket: "refused" });
  expect(heard.text).toContain("FORBIDDEN_HOST");
  await browser.close();
});

test.describe(() => {
  test.use({ refusals: /.*/ });

  test("S-08 a page on another port of this machine gets nothing", async ({ browser, server }) => {
    const context = await browser.newContext();
    const ours = await context.newPage();
    await logIn(ours, server.loginUrl);
    const page = await context.newPage();
    await page.route("**/attack", (route) => route.fulfill(PAGE));
    await page.goto("http://127.0.0.1:45873/attack");
    const heard = await page.evaluate(tryEverything, server.origin);
    expect(heard, "the answer cannot even be read").toEqual({ status: 0, text: "", socket: "refused" });
    await page.evaluate((origin) => {
      const frame = document.createElement("iframe");
      frame.src = origin;
      document.body.append(frame);
      return new Promise((resolve) => {
        frame.onload = resolve;
      });
    }, server.origin);
    const frame = page.frames().find((candidate) => candidate !== page.mainFrame());
    expect(frame?.url(), "nor be framed").toContain("chrome-error:");
    await context.close();
  });
});
