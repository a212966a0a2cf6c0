/** A thousand sessions in the list, and going from one to another. */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Page } from "@playwright/test";
import { test } from "../e2e/fixtures";
import { longSession } from "../e2e/long-session";
import type { Server } from "../e2e/server";
import { expectLive, listedSession, logIn } from "../e2e/transcript-page";
import type { SessionCreated, SessionId } from "../src/contract";
import { LongTasks } from "./long-tasks";
import { judge, median, p95, table, tell } from "./tell";

const [PROJECTS, EACH] = process.env.LIMINAL_BENCH_QUICK ? [4, 25] : [20, 50];
const ROUNDS = 10;
/** Longer than it takes to place all rows of a session that was opened. */
const SETTLE_MS = 1_500;

test("a thousand sessions in the list", async ({ page, server }) => {
  const few = [await longSession(server, 400, "First"), await longSession(server, 400, "Second")];
  for (let project = 0; project < PROJECTS; project += 1) await fill(server, `project-${project}`);
  await logIn(page, server.loginUrl);
  await page.goto("about:blank");
  await page.goto(server.origin);
  await expectLive(page);
  const tasks = await LongTasks.of(page);
  await page.waitForTimeout(500);
  // A long list is drawn over several frames.
  for (const sessionId of few) await listedSession(page, sessionId).waitFor({ state: "attached" });
  const [filtered, switched]: [number[], number[]] = [[], []];
  // The first time the sessions are fetched.
  await switchTabs(page, few);
  await page.waitForTimeout(SETTLE_MS);
  for (let round = 0; round < ROUNDS; round += 1) {
    await tasks.beginRound();
    filtered.push(...(await filterAndClear(page)));
    switched.push(...(await switchTabs(page, few)));
    await tasks.endRound();
  }
  const row = (what: string, times: number[]) => [what, median(times), p95(times)];
  tell(
    `### ${PROJECTS * EACH} sessions in the list\n\n${table(["", "median, ms", "P95, ms"], [row("a letter in the filter, or all letters gone", filtered), row("from one open session to another", switched)])}\n\nEach until the frame after the one that shows it. ${PROJECTS} projects; the sessions that are gone between have 400 items each. ${tasks.words}\n`,
  );
  const [name, atMost] = ["web_list", 100];
  judge({ name, text: "a change of the filter, P95", atMost, value: p95(filtered), unit: " ms" });
  judge({ name, text: "from one open session to another, P95", atMost, value: p95(switched), unit: " ms" });
  tasks.judge("with a long list");
});

async function fill(server: Server, name: string): Promise<void> {
  const projectDir = join(server.projectDirectory, name);
  await mkdir(projectDir, { recursive: true });
  for (let at = 0; at < EACH; at += 1) {
    const body = { cliType: "external", projectDir, title: `Work ${at} on ${name}` };
    await server.call<SessionCreated>("POST", "/api/session/create", body);
  }
}

async function filterAndClear(page: Page): Promise<number[]> {
  const times: number[] = [];
  for (const text of ["w", "wo", "work 1", ""]) {
    times.push(
      await page.evaluate(
        (written) =>
          new Promise<number>((resolve) => {
            const field = document.querySelector<HTMLInputElement>("nav.sidebar input");
            if (!field) throw new Error("there is no filter");
            const began = performance.now();
            field.value = written;
            field.dispatchEvent(new Event("input", { bubbles: true }));
            requestAnimationFrame(() => requestAnimationFrame(() => resolve(performance.now() - began)));
          }),
        text,
      ),
    );
    await page.waitForTimeout(60);
  }
  return times;
}

/** Both have been looked at before: as one goes to and fro between tabs. */
async function switchTabs(page: Page, sessions: SessionId[]): Promise<number[]> {
  const times: number[] = [];
  for (const sessionId of sessions) {
    times.push(await page.evaluate(timeSwitch, sessionId));
    await page.waitForTimeout(100);
  }
  return times;
}

/** What is looked at is looked up before: among so many elements that takes longer than a frame. */
function timeSwitch(sessionId: SessionId): Promise<number> {
  const link = document.querySelector(`[data-session-id="${sessionId}"] a`);
  if (!link) throw new Error("the session is not listed");
  const lists = document.querySelector(".transcripts")?.getElementsByClassName("rows") ?? [];
  const isShown = () =>
    [...lists].some((list) => list.closest('[data-kept="false"]') && list.getBoundingClientRect().height > 0);
  return new Promise((resolve) => {
    const began = performance.now();
    const look = () => {
      if (!isShown()) requestAnimationFrame(look);
      // The page draws within frames only, so that the next one is the one after that which shows it.
      else requestAnimationFrame(() => resolve(performance.now() - began));
    };
    const watch = new MutationObserver(() => {
      if (link.ariaCurrent !== "page") return;
      watch.disconnect();
      look();
    });
    watch.observe(link, { attributeFilter: ["aria-current"] });
    location.hash = `#/s/${sessionId}`;
  });
}
