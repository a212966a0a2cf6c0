import { expect, test } from "vitest";
import { claudeCommands, externalCommands } from "../src/start/first-commands";

// That they work in a shell is shown in the browser tests, which run them.
test("the commands reach the server that shows them", () => {
  const origin = "http://127.0.0.1:4870";
  const claude = claudeCommands(origin).map(({ command }) => command);
  expect(claude[0]).toContain("--listen 127.0.0.1:4870");
  expect(claude[1]).toContain(`${origin}/api/session/create`);
  expect(claude[1]).toContain('"cliType":"claude-code"');
  expect(claude[2]).toContain(`${origin}/api/session/$SID/send`);
  const external = externalCommands(origin).map(({ command }) => command);
  expect(external[0]).toContain(`${origin}/api/session/create`);
  expect(external[1]).toContain(`${origin}/api/session/$SID/events`);
});
