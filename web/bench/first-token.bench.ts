/** From the first sign of an answer in the agent's output to its first text on the screen: real agents, scripted models. */
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test as base, expect, type Page } from "@playwright/test";
import { realAgents } from "../e2e/real-agents";
import { Server } from "../e2e/server";
import { logIn, openSession } from "../e2e/transcript-page";
import { type Answer, answersIn } from "./recorded-answers";
import { judge, median, p95, table, tell } from "./tell";

const ROUNDS = process.env.LIMINAL_BENCH_QUICK ? 3 : 20;
const VERSION = "2.1.325";
const AGENTS = ["claude-code", "codex"];
/** What the page and we may take. */
const BOUND_MS = 200;

base("the first visible token", async ({ page }) => {
  const recordings = await mkdtemp(join(tmpdir(), "liminal-bench-recordings-"));
  const agents = await realAgents(VERSION);
  const server = await Server.start(agents.settings, ["--record", recordings]);
  await noteSources(page);
  await logIn(page, server.loginUrl);
  const rows: (string | number)[][] = [];
  const beyond: Record<string, number[]> = {};
  for (const agent of AGENTS) {
    const sessionId = await server.createAgentSession(agent);
    await openSession(page, sessionId);
    const added: number[] = [];
    for (let round = 0; round <= ROUNDS; round += 1) {
      const painted = firstPaint(page);
      await server.send(sessionId, "words 12 30");
      // The first round pays for what runs for the first time.
      if (round > 0) added.push(await painted);
      else await painted;
      await server.call("GET", `/api/session/${sessionId}/wait?timeoutMs=20000`);
    }
    const gaps = (await answers(recordings, sessionId)).map(
      ({ firstTextMs, startMs }) => firstTextMs - startMs,
    );
    beyond[agent] = added;
    rows.push([agent, median(gaps), p95(gaps), median(added), p95(added)]);
  }
  await server.stop();
  await agents.stop();
  await rm(recordings, { recursive: true, force: true });
  tell(
    `### The first visible token\n\n${table(
      ["agent", "its own gap, median, ms", "P95", "beyond it, median, ms", "P95"],
      rows,
    )}\n\n${ROUNDS} answers of the real agents, Claude Code ${VERSION} and codex-acp, whose models are scripted. *Its own gap*: from the first sign of an answer that the agent writes (\`message_start\`, or the first update) to the line with its first text. *Beyond it*: from that line until the frame after the one that shows the text.\n`,
  );
  for (const agent of AGENTS) {
    const values = beyond[agent] ?? [];
    for (const [text, value] of [
      ["median", median(values)],
      ["P95", p95(values)],
    ] as const)
      judge({
        name: "nfr_first_visible_token",
        text: `${agent}: response start to the screen beyond the agent's own gap, ${text}`,
        atMost: BOUND_MS,
        value,
        unit: " ms",
      });
  }
});

/** Keeps, for each item, when the agent's line that first told of its text had been read. */
async function noteSources(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const [Native, told] = [window.WebSocket, new Map<string, string>()];
    Object.assign(window, { told });
    window.WebSocket = class extends Native {
      constructor(url: string | URL, protocols?: string | string[]) {
        super(url, protocols);
        this.addEventListener("message", ({ data }) => {
          const { payload } = JSON.parse(String(data));
          if (payload?.type === "message" && payload.content !== "" && !told.has(payload.itemId))
            told.set(payload.itemId, payload.sourceTimestamp);
        });
      }
    };
  });
}

/** How long the next answer's first text takes from the agent's line to the screen. */
async function firstPaint(page: Page): Promise<number> {
  const lag = page.evaluate(
    () =>
      new Promise<number>((resolve) => {
        const known = new Set([...document.querySelectorAll("[data-item-id]")]);
        const watch = new MutationObserver(() => {
          const fresh = [
            ...document.querySelectorAll<HTMLElement>('[data-type="message"][data-origin="agent"]'),
          ].find((item) => !known.has(item) && item.textContent?.includes("word1"));
          if (!fresh) return;
          watch.disconnect();
          const told = (window as unknown as { told: Map<string, string> }).told;
          const source = Date.parse(told.get(fresh.dataset.itemId ?? "") ?? "");
          requestAnimationFrame(() =>
            requestAnimationFrame(() => resolve(performance.timeOrigin + performance.now() - source)),
          );
        });
        watch.observe(document.body, { subtree: true, childList: true, characterData: true });
      }),
  );
  return lag;
}

async function answers(directory: string, sessionId: string): Promise<Answer[]> {
  const names = (await readdir(directory)).filter((name) => name.startsWith(sessionId));
  expect(names).toHaveLength(1);
  return answersIn(await readFile(join(directory, names[0] ?? ""), "utf8"));
}
