/** An hour of an agent's work in a few events. */
import type { EventPayload, ToolArguments } from "../src/contract";

export const ANSWER = "The test was racing the redirect";

const TEXT = `${ANSWER}, not the login itself. \`expect_logged_in\` read the page before the cookie was set, which a busy machine made likely.

| run | before | after |
|---|---:|---:|
| 200 times, idle | 3 failures | **0** |
| 200 times, busy | 41 failures | **0** |

1. The helper waits for the answer that sets the cookie, then reads the page.
2. The five-second sleep beside it is gone, so the suite is 40 s faster.

\`\`\`rust
let answer = page.wait_for_response("/api/login").await?;
assert_eq!(answer.status(), 204);
\`\`\`
`;

const OUTPUT = [
  "\u001b[1m\u001b[32m   Compiling\u001b[0m login v0.3.1",
  "\u001b[1m\u001b[32m    Finished\u001b[0m `test` profile in 2.41s",
  "running 200 tests",
  "test login::redirects ... \u001b[32mok\u001b[0m",
  "test result: \u001b[32mok\u001b[0m. 200 passed; 0 failed; finished in 8.12s",
].join("\n");

export function work(): EventPayload[] {
  return [
    { type: "response_start", modelId: "opus", providerId: "external" },
    ...call("read", "Read", { file_path: "tests/login.rs" }, "fn expect_logged_in(page: &Page) {\n    …\n}"),
    ...call(
      "search",
      "Grep",
      { pattern: "sleep(", path: "tests" },
      "tests/login.rs:41: sleep(Duration::from_secs(5));",
    ),
    ...call(
      "run",
      "Bash",
      { command: "cargo test login -- --repeat 200", description: "Runs the test 200 times" },
      OUTPUT,
    ),
    { type: "item_start", itemId: "answer", itemType: "message" },
    { type: "item_done", itemId: "answer", finalItem: { type: "message", content: TEXT, origin: "agent" } },
    {
      type: "response_done",
      status: "completed",
      usage: { inputTokens: 18_240, outputTokens: 1_312, costUsd: 0.21 },
    },
  ];
}

function call(id: string, name: string, args: ToolArguments, output: string): EventPayload[] {
  const callId = `call-${id}`;
  return [
    { type: "item_start", itemId: id, itemType: "function_call", name, callId },
    { type: "item_done", itemId: id, finalItem: { type: "function_call", name, callId, arguments: args } },
    { type: "item_start", itemId: `${id}-output`, itemType: "function_call_output", callId },
    {
      type: "item_done",
      itemId: `${id}-output`,
      finalItem: { type: "function_call_output", callId, output, isError: false },
    },
  ];
}
