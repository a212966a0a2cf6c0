/** S-05: where a reader goes from the page is not told where the reader came from. */
import { once } from "node:events";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "./fixtures";
import { logIn, openSession } from "./transcript-page";

test("S-05 a link that leads out tells neither the page nor the login", async ({ page, server }) => {
  const heard: IncomingHttpHeaders[] = [];
  const outside = createServer((request, response) => {
    if (request.url === "/out") heard.push(request.headers);
    response.setHeader("Content-Type", "text/html").end("<!doctype html><title>Outside</title>");
  });
  outside.listen(0, "127.0.0.1");
  await once(outside, "listening");
  // Another name than ours, so that no cookie of ours is meant for it.
  const address = `http://localhost:${(outside.address() as AddressInfo).port}/out`;
  await logIn(page, server.loginUrl);
  const sessionId = await server.createSession("Links");
  await openSession(page, sessionId);
  const content = `See [the docs](${address}).`;
  await server.postEvents(
    sessionId,
    "t1",
    { type: "response_start", modelId: "model", providerId: "provider" },
    { type: "item_start", itemId: "m1", itemType: "message" },
    { type: "item_done", itemId: "m1", finalItem: { type: "message", content, origin: "agent" } },
    { type: "response_done", status: "completed" },
  );
  const opened = page.context().waitForEvent("page");
  await page.getByRole("link", { name: "the docs" }).click();
  const tab = await opened;
  await expect(tab).toHaveTitle("Outside");
  expect(await tab.evaluate(() => [document.referrer, window.opener === null])).toEqual(["", true]);
  expect(heard).toHaveLength(1);
  const told = JSON.stringify(heard);
  expect(heard[0]?.referer).toBeUndefined();
  expect(told).not.toContain("login");
  expect(told).not.toContain(new URL(server.loginUrl).hash.slice("#login=".length));
  outside.close();
});
