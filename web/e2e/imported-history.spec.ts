/** Sessions that agents kept by themselves, shown as if they had been held here. */
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "./fixtures";
import type { Server } from "./server";
import { itemsOfType, logIn, openSession, textOf } from "./transcript-page";

const CRATES = fileURLToPath(new URL("../../crates/", import.meta.url));
/** Where the recorded conversations took place. */
const RECORDED_AT = "/home/dev/project";

/** Puts a recorded transcript where the agent would have kept it, as one of this project. */
async function keep(server: Server, recorded: string, kept: string): Promise<void> {
  const text = await readFile(join(CRATES, recorded), "utf8");
  const path = join(server.agentHome, kept);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text.replaceAll(RECORDED_AT, server.projectDirectory));
}

test("TC-7.3a the history of a Claude session is shown", async ({ page, server }) => {
  const slug = server.projectDirectory.replace(/[^a-zA-Z0-9]/g, "-");
  const id = "aaaaaaaa-1111-4111-8111-aaaaaaaaaaaa";
  const recorded = "claude/tests/recordings/2.1.197/transcript_chain.jsonl";
  await keep(server, recorded, `claude/projects/${slug}/${id}.jsonl`);
  const sessionId = await server.importSession("claude-code");
  await logIn(page, server.loginUrl);
  await openSession(page, sessionId);
  await expect(textOf(itemsOfType(page, "message").first())).toHaveText("KCHAIN hello");
  await expectWhole(page.locator("[data-item-id]"));
});

test("TC-7.3b the history of a Codex session is shown", async ({ page, server }) => {
  const id = "01a1e273-afbc-70c3-9873-746c52ccd873";
  const name = `rollout-2026-11-16T03-43-14-${id}.jsonl`;
  await keep(server, "acp/tests/rollouts/rollout_endings.jsonl", `codex/sessions/2026/11/16/${name}`);
  const sessionId = await server.importSession("codex");
  await logIn(page, server.loginUrl);
  await openSession(page, sessionId);
  await expect(itemsOfType(page, "message").first()).toBeVisible();
  await expectWhole(page.locator("[data-item-id]"));
});

/** Every item has a name of its own and is over. */
async function expectWhole(items: import("@playwright/test").Locator): Promise<void> {
  const states = await items.evaluateAll((found) =>
    found.map((item) => ({
      id: item.getAttribute("data-item-id") ?? "",
      status: item.getAttribute("data-status") ?? "",
    })),
  );
  expect(states.length).toBeGreaterThan(1);
  expect(new Set(states.map((state) => state.id)).size).toBe(states.length);
  expect(states.every((state) => state.id !== "" && /complete|error/.test(state.status))).toBe(true);
}
