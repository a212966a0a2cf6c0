/** What real connections were told, written down by the server's own tests, ends as the history says. */
import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import type { HistoryPage, ItemId, ServerFrame, UpsertObject } from "../src/contract";
import {
  applyDelta,
  applyHistory,
  applyTurn,
  applyUpsert,
  applyWholeItem,
  emptyTimeline,
  type Item,
  leavesGap,
  type Timeline,
  type Update,
} from "../src/timeline/timeline";

type Transcript = { frames: ServerFrame[]; items: Record<ItemId, UpsertObject>; history: HistoryPage };

const DIRECTORY = new URL("transcripts/", import.meta.url);
const transcripts = readdirSync(DIRECTORY).map((name) => [name.replace(".json", ""), read(name)] as const);

/** Long texts of one letter are written down as their length. */
function read(name: string): Transcript {
  return JSON.parse(readFileSync(new URL(name, DIRECTORY), "utf8"), (_, value) => {
    return typeof value?.repeated === "string" ? value.repeated.repeat(value.times) : value;
  });
}

function received(timeline: Timeline, frame: ServerFrame): Update {
  switch (frame.type) {
    case "session:upsert":
      return applyUpsert(timeline, frame.seq, frame.payload);
    case "session:delta":
      return applyDelta(timeline, frame);
    case "session:turn":
      return applyTurn(timeline, frame.seq, frame.payload);
    case "session:history":
      expect(leavesGap(frame)).toBe(false);
      return applyHistory(timeline, frame);
    default:
      throw new Error(`a transcript has no ${frame.type}`);
  }
}

/** Replays frames; what is missing is fetched as it is at the end. */
function replayed({ items }: Transcript, frames: ServerFrame[]): { timeline: Timeline; fetched: ItemId[] } {
  let timeline = emptyTimeline;
  const fetched: ItemId[] = [];
  for (const frame of frames) {
    const update = received(timeline, frame);
    timeline = update.timeline;
    for (const itemId of update.missing) {
      const whole = items[itemId];
      if (!whole) continue;
      fetched.push(itemId);
      timeline = applyWholeItem(timeline, whole).timeline;
    }
  }
  return { timeline, fetched };
}

function inOrder(timeline: Timeline): Item[] {
  return [...timeline.items.values()].sort((a, b) => a.position - b.position);
}

/** The events of turns in the order in which they happened. */
function turnsOf(timeline: Timeline): unknown[] {
  const events = [...timeline.turns.values()].flatMap((turn) => [turn.started, turn.ended]);
  return events.filter((event) => event !== undefined).sort((a, b) => (a.seq ?? 0) - (b.seq ?? 0));
}

function expectTheHistory(timeline: Timeline, { history }: Transcript): void {
  expect(inOrder(timeline)).toEqual(history.entries);
  expect(turnsOf(timeline)).toEqual(history.turns);
  expect(timeline).toMatchObject({ epoch: history.epoch, seq: history.seq });
  expect(timeline.awaited.size).toBe(0);
}

/** A history may tell every item. */
function tells(frame: ServerFrame, itemId: ItemId): boolean {
  if (frame.type === "session:upsert") return frame.payload.itemId === itemId;
  return frame.type === "session:history" || (frame.type === "session:delta" && frame.itemId === itemId);
}

describe.each(transcripts)("the transcript %s", (_, transcript) => {
  test("ends as the history says, with nothing fetched", () => {
    const { timeline, fetched } = replayed(transcript, transcript.frames);
    expect(fetched).toEqual([]);
    expectTheHistory(timeline, transcript);
  });

  test("ends so with every message told twice", () => {
    const twice = transcript.frames.flatMap((frame) => [frame, frame]);
    expectTheHistory(replayed(transcript, twice).timeline, transcript);
  });

  test("has the same texts with any growth lost that is followed by other growth", () => {
    const { frames } = transcript;
    for (const [at, lost] of frames.entries()) {
      if (lost.type !== "session:delta") continue;
      const next = frames.slice(at + 1).find((frame) => tells(frame, lost.itemId));
      if (next?.type !== "session:delta") continue;
      const { timeline, fetched } = replayed(
        transcript,
        frames.filter((frame) => frame !== lost),
      );
      expect(fetched).toContain(lost.itemId);
      expectTheHistory(timeline, transcript);
    }
  });
});

test("the transcripts tell what they are there for", () => {
  const told = (name: string) => transcripts.find(([one]) => one === name)?.[1].frames ?? [];
  const has = (name: string, part: object) =>
    expect(told(name)).toContainEqual(expect.objectContaining(part));
  has("growing-text", { type: "session:delta", append: "\u{1f469}\u{200d}\u{1f4bb}" });
  has("tool-calls", { type: "session:delta", append: "line 2\n" });
  has("long-item", { payload: expect.objectContaining({ truncated: { bytes: 400 * 1024 } }) });
  has("subagent", { payload: expect.objectContaining({ parentItemId: "task" }) });
  has("lost-connection", { mode: "since" });
  has("resync", { resync: true });
  has("reset", { mode: "reset" });
});
