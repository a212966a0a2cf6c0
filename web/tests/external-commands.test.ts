import { expect, test } from "vitest";
import { externalCommands } from "../src/external-commands";

// That they work in a shell is shown in the browser tests, which run them.
test("the commands reach the server that shows them", () => {
  const commands = externalCommands("http://127.0.0.1:4870").map(({ command }) => command);
  expect(commands[0]).toContain("--listen 127.0.0.1:4870");
  expect(commands[1]).toContain("http://127.0.0.1:4870/api/session/create");
  expect(commands[2]).toContain("http://127.0.0.1:4870/api/session/$SID/events");
});
