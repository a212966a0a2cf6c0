/** From the first sign of an answer in the agent's output to its first text on the screen: real agents, scripted models. */
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test as base, expect, type Page } from "@playwright/test";
import { type ClaudeVersion, realAgents } from "../e2e/real-agents";
import { EVERY_AGENT } from "../e2e/real-agents-page";
import { Server } from "../e2e/server";
import { logIn, openSession } from "../e2e/transcript-page";
import type { SessionId } from "../src/contract";
import { type Answer, answersIn } from "./recorded-answers";
import { judge, median, p95, table, tell } from "./tell";

const ROUNDS = process.env.LIMINAL_BENCH_QUICK ? 3 : 20;
/** Further apart than what is told together, so that what is told first is the first word and the clock starts with its line. */
const PROMPT = "words 12 80";
const FIRST_WORD = "word1";
/** What the page and we may take. */
const BOUND_MS = 200;

type Told = { content: string; sourceTimestamp: string };
type Measured = { called: string; gaps: number[]; added: number[] };

base("the first visible token", async ({ page }) => {
  await noteFirstTold(page);
  const all: Measured[] = [];
  for (const { agent, version, called } of EVERY_AGENT)
    all.push({ called, ...(await measure(page, agent.cliType, version)) });
  tell(
    `### The first visible token\n\n${table(
      ["agent", "its own gap, median, ms", "P95", "beyond it, median, ms", "P95"],
      all.map(({ called, gaps, added }) => [called, median(gaps), p95(gaps), median(added), p95(added)]),
    )}\n\n${ROUNDS} answers of each of the real agents, whose models are scripted. *Its own gap*: from the first sign of an answer that the agent writes (\`message_start\`, or the first update) to the line with its first text. *Beyond it*: from that line, which has one word, until the frame after the one that shows it.\n`,
  );
  for (const { called, added } of all)
    for (const [text, value] of [
      ["median", median(added)],
      ["P95", p95(added)],
    ] as const)
      judge({
        name: "nfr_first_visible_token",
        text: `${called}: response start to the screen beyond the agent's own gap, ${text}`,
        atMost: BOUND_MS,
        value,
        unit: " ms",
      });
});

/** One agent of one version, with a server of its own. */
async function measure(
  page: Page,
  cliType: string,
  version: ClaudeVersion,
): Promise<Omit<Measured, "called">> {
  const recordings = await mkdtemp(join(tmpdir(), "liminal-bench-recordings-"));
  const agents = await realAgents(version);
  const server = await Server.start(agents.settings, ["--record", recordings]);
  try {
    await logIn(page, server.loginUrl);
    const sessionId = await server.createAgentSession(cliType);
    await openSession(page, sessionId);
    const added = await lags(page, server, sessionId);
    const gaps = (await answers(recordings, sessionId)).map(
      ({ firstTextMs, startMs }) => firstTextMs - startMs,
    );
    return { gaps, added };
  } finally {
    await server.stop();
    await agents.stop();
    await rm(recordings, { recursive: true, force: true });
  }
}

/** How long the first text of each answer took from the agent's line to the screen. */
async function lags(page: Page, server: Server, sessionId: SessionId): Promise<number[]> {
  const added: number[] = [];
  for (let round = 0; round <= ROUNDS; round += 1) {
    const painted = firstPaint(page);
    await server.send(sessionId, PROMPT);
    const { lag, content } = await painted;
    expect(content.trim(), "what is told first is the first word alone").toBe(FIRST_WORD);
    // The first round pays for what runs for the first time.
    if (round > 0) added.push(lag);
    await server.call("GET", `/api/session/${sessionId}/wait?timeoutMs=20000`);
  }
  return added;
}

/** Keeps, for each item, what was told of its text first, and when the agent's line that told it had been read. */
async function noteFirstTold(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const [Native, told] = [window.WebSocket, new Map<string, Told>()];
    Object.assign(window, { told });
    window.WebSocket = class extends Native {
      constructor(url: string | URL, protocols?: string | string[]) {
        super(url, protocols);
        this.addEventListener("message", ({ data }) => {
          const { payload } = JSON.parse(String(data));
          if (payload?.type === "message" && payload.content !== "" && !told.has(payload.itemId))
            told.set(payload.itemId, payload);
        });
      }
    };
  });
}

/** How long the next answer's first text takes from the agent's line to the screen, and what that text is. */
async function firstPaint(page: Page): Promise<{ lag: number; content: string }> {
  return page.evaluate(
    (word) =>
      new Promise<{ lag: number; content: string }>((resolve) => {
        const known = new Set([...document.querySelectorAll("[data-item-id]")]);
        const watch = new MutationObserver(() => {
          const fresh = [
            ...document.querySelectorAll<HTMLElement>('[data-type="message"][data-origin="agent"]'),
          ].find((item) => !known.has(item) && item.textContent?.includes(word));
          if (!fresh) return;
          watch.disconnect();
          const told = (window as unknown as { told: Map<string, Told> }).told;
          const { content = "", sourceTimestamp = "" } = told.get(fresh.dataset.itemId ?? "") ?? {};
          const shown = () => performance.timeOrigin + performance.now() - Date.parse(sourceTimestamp);
          // The page draws within frames only, so that the next one is the one after that which shows it.
          requestAnimationFrame(() => resolve({ lag: shown(), content }));
        });
        watch.observe(document.body, { subtree: true, childList: true, characterData: true });
      }),
    FIRST_WORD,
  );
}

async function answers(directory: string, sessionId: string): Promise<Answer[]> {
  const names = (await readdir(directory)).filter((name) => name.startsWith(sessionId));
  expect(names).toHaveLength(1);
  return answersIn(await readFile(join(directory, names[0] ?? ""), "utf8"));
}
