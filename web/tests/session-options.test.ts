import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { OpenOptions } from "../src/agent/session-options";

let isOnline = true;

beforeEach(() => {
  isOnline = true;
  vi.stubGlobal("fetch", async (path: string) => {
    if (!isOnline) throw new TypeError("offline");
    const sessionId = path.split("/")[3];
    const commands = [{ name: `of-${sessionId}`, description: "" }];
    return Response.json({ models: [], modes: [{ modeId: sessionId, name: "Mode" }], commands });
  });
});

afterEach(() => vi.unstubAllGlobals());

async function followed(): Promise<OpenOptions> {
  const options = new OpenOptions(() => {});
  options.follow("a", "live");
  await vi.waitFor(() => expect(options.of("a").modes).toHaveLength(1));
  return options;
}

test("what the agent of one session offers is not shown with another one", async () => {
  const options = await followed();
  isOnline = false;
  expect(options.of("b").modes).toEqual([]);
  expect(await options.commands("b")).toEqual([]);
  isOnline = true;
  expect(await options.commands("b")).toMatchObject([{ name: "of-b" }]);
});

test("commands are those of the session that asks, whichever is followed", async () => {
  const options = await followed();
  expect(await options.commands("a")).toMatchObject([{ name: "of-a" }]);
  expect(await options.commands("b")).toMatchObject([{ name: "of-b" }]);
  expect(options.of("b").modes).toMatchObject([{ modeId: "b" }]);
});
