/** Pages of others in the same browser: what they try fails, whatever name they have. */
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, test } from "./fixtures";
import type { Server } from "./server";
import { expectLive, logIn } from "./transcript-page";

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

type Target = { origin: string; paths: string[]; body: string };

/** Runs in the foreign page: everything that it may send without asking us first. Tells how many changes it asked for. */
async function sendEverything({ origin, paths, body }: Target): Promise<number> {
  const TYPES = ["application/x-www-form-urlencoded", "multipart/form-data", "text/plain"];
  let asked = 0;
  const submit = (action: string, enctype: string) => {
    const frame = document.createElement("iframe");
    frame.name = `frame${asked}`;
    const form = document.createElement("form");
    Object.assign(form, { method: "post", action, enctype, target: frame.name });
    const field = document.createElement("input");
    // What stands between name and value ends up in a string of its own.
    Object.assign(field, { name: body.replace(/}$/, ',"x":"'), value: '"}' });
    form.append(field);
    document.body.append(frame, form);
    form.submit();
  };
  for (const path of paths) {
    const action = origin + path;
    for (const type of TYPES) {
      submit(action, type);
      navigator.sendBeacon(action, new Blob([body], { type }));
      const request = { method: "POST", mode: "no-cors", credentials: "include" } as const;
      await fetch(action, { ...request, body: new Blob([body], { type }) }).catch(() => {});
      asked += 3;
    }
    // Without a type at all, as only a script can send it.
    navigator.sendBeacon(action, new Blob([body]));
    const image = new Image();
    const looked = new Promise((resolve) => {
      image.onload = image.onerror = resolve;
    });
    image.src = action;
    await looked;
    asked += 2;
  }
  return asked;
}

/** All that a change would show in. */
async function state(server: Server, session: string): Promise<unknown> {
  const { data } = Reflect.get(server, "directories") as { data: string };
  const routes = ["status", "queue", "history"].map((route) => `/api/session/${session}/${route}`);
  const told = await Promise.all(["/api/projects", ...routes].map((path) => server.call("GET", path)));
  const projects = told[0] as { id: string }[];
  const lists = projects.map(({ id }) => server.call("GET", `/api/session/list?projectId=${id}&state=all`));
  return { told, lists: await Promise.all(lists), audit: await readFile(join(data, "audit.jsonl"), "utf8") };
}

/** How many requests were refused for the page that they came from. */
async function refused(server: Server): Promise<number> {
  const headers = { Authorization: `Bearer ${server.token}` };
  const text = await (await fetch(`${server.origin}/metrics`, { headers })).text();
  return Number(/liminal_errors_total{code="FORBIDDEN_ORIGIN"} (\d+)/.exec(text)?.[1] ?? 0);
}

/** A foreign page that a server of this machine serves: what comes from elsewhere Chromium does not let near us at all. */
async function served(serving: (port: number) => Promise<void>): Promise<void> {
  const pages = createServer((_, answer) => {
    answer.setHeader("Content-Type", "text/html").end("<!doctype html><title>Foreign</title>");
  });
  await once(pages.listen(0, "127.0.0.1"), "listening");
  await serving((pages.address() as AddressInfo).port);
  pages.closeAllConnections();
  pages.close();
}

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
    await served(async (port) => {
      await page.goto(`http://127.0.0.1:${port}/`);
      const known = await refused(server);
      const heard = await page.evaluate(tryEverything, server.origin);
      expect(heard, "the answer cannot even be read").toEqual({ status: 0, text: "", socket: "refused" });
      expect(await refused(server), "by us, not by the browser").toBe(known + 2);
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
    });
    await context.close();
  });

  test("S-09 forms, beacons, images and requests of foreign pages change nothing", async ({
    playwright,
    launchOptions,
    server,
  }) => {
    const named = [...(launchOptions.args ?? []), "--host-resolver-rules=MAP evil.example 127.0.0.1"];
    const browser = await playwright.chromium.launch({ ...launchOptions, args: named });
    const session = await server.createSession("Mine");
    await server.postEvents(session, "t", { type: "response_start", modelId: "m", providerId: "p" });
    const context = await browser.newContext();
    const ours = await context.newPage();
    await logIn(ours, server.loginUrl);
    const before = await state(server, session);
    const routes = ["kill", "archive", "cancel", "load", "send", "title", "events", "queue/resume"];
    const paths = routes.map((route) => `/api/session/${session}/${route}`);
    paths.push("/api/logout", "/api/projects", "/api/session/create");
    const wishes = { content: "owned", title: "owned", path: "/", cliType: "external" };
    const body = JSON.stringify({ ...wishes, projectDir: server.projectDirectory });
    // The cookie is sent for the first page, since ports are no part of a site, and not for the second.
    for (const host of ["127.0.0.1", "evil.example"])
      await served(async (port) => {
        const page = await context.newPage();
        await page.goto(`http://${host}:${port}/`);
        const known = await refused(server);
        const asked = await page.evaluate(sendEverything, { origin: server.origin, paths, body });
        await expect.poll(() => refused(server), "all of it arrived").toBe(known + asked);
        await page.close();
        expect(await state(server, session)).toEqual(before);
      });
    await ours.reload();
    await expectLive(ours);
    await browser.close();
  });
});
