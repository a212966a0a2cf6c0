import { afterEach, expect, test, vi } from "vitest";
import * as api from "../src/server/api";
import { addProject, importSession } from "../src/server/list-api";

afterEach(() => vi.unstubAllGlobals());

/** An answer whose connection is lost in the middle of its body. */
function cutOff(): Response {
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(new TextEncoder().encode('{"sessionId":'));
      controller.error(new TypeError("network error"));
    },
  });
  return new Response(body, { status: 200 });
}

const requests: [string, () => Promise<unknown>][] = [
  ["wholeItem", () => api.wholeItem("s", "i")],
  ["sendMessage", () => api.sendMessage("s", { content: "x", clientMessageId: "m" })],
  ["createSession", () => api.createSession({ cliType: "demo", projectDir: "/" })],
  ["login", () => api.login({ code: "c" })],
  ["setMode", () => api.setMode("s", "m")],
  ["setModel", () => api.setModel("s", "m")],
  ["addProject", () => addProject("/p")],
  ["importSession", () => importSession({ cliType: "demo", providerSessionId: "p", projectId: "q" })],
];

test.each(requests)("an answer that is cut off is as good as none: %s", async (_, request) => {
  vi.stubGlobal("fetch", async () => cutOff());
  const failure = await request().catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(api.ApiError);
  expect(failure).toMatchObject({ status: 0, code: "UNREACHABLE" });
});

test("a refusal keeps its status, also where it is cut off", async () => {
  vi.stubGlobal("fetch", async () => new Response("<html>", { status: 502 }));
  await expect(api.wholeItem("s", "i")).rejects.toMatchObject({ status: 502, code: "HTTP_502" });
});
