/** The real agents with scripted models behind them: the settings of a server that runs them, for as long as a test needs it. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const PROGRAM =
  process.env.LIMINAL_REAL_AGENTS ??
  fileURLToPath(new URL("../../target/debug/real-agents", import.meta.url));

export type ClaudeVersion = "2.1.197" | "2.1.325";

export type RealAgents = { settings: string; stop(): Promise<void> };

/** What to prompt them with is told where the program is (`crates/testkit/src/bin/real-agents.rs`). */
export async function realAgents(version: ClaudeVersion): Promise<RealAgents> {
  const program = spawn(PROGRAM, [version], { stdio: ["pipe", "pipe", "inherit"] });
  const exited = once(program, "exit");
  const failed = exited.then(() => Promise.reject(new Error("the real agents did not start")));
  const [line] = (await Promise.race([once(createInterface(program.stdout), "line"), failed])) as [string];
  failed.catch(() => undefined);
  const stop = async () => {
    program.stdin.end();
    await exited;
  };
  return { settings: (JSON.parse(line) as { settings: string }).settings, stop };
}
