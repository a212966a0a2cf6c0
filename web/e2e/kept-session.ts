/** A session that Claude Code kept by itself, for the server to find. */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Server } from "./server";

export async function keepClaudeSession(
  server: Server,
  content: string,
  sessionId = "aaaaaaaa-1111-4111-8111-aaaaaaaaaaaa",
): Promise<void> {
  const slug = server.projectDirectory.replace(/[^a-zA-Z0-9]/g, "-");
  const kept = join(server.agentHome, "claude/projects", slug);
  await mkdir(kept, { recursive: true });
  const line = {
    sessionId,
    cwd: server.projectDirectory,
    version: "2.1.197",
    isSidechain: false,
    userType: "external",
    timestamp: "2026-11-01T10:00:00.000Z",
    type: "user",
    uuid: "u1",
    parentUuid: null,
    message: { role: "user", content },
  };
  await writeFile(join(kept, `${sessionId}.jsonl`), `${JSON.stringify(line)}\n`);
}
