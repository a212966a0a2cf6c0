import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { HistoryPage, Seq, TextDelta, TurnEvent, UpsertObject } from "../src/contract";
import {
  applyDelta,
  applyHistory,
  applyTurn,
  applyUpsert,
  applyWholeItem,
  emptyTimeline,
  type Timeline,
} from "../src/timeline/timeline";
import { rows } from "../src/timeline/timeline-rows";
import {
  applyBeside,
  applyBounds,
  applyNewerPage,
  applyOlderPage,
  applyRefreshed,
  applyStretch,
  continuesBeside,
  newestRows,
} from "../src/timeline/timeline-window";
import { completed, history, message, started } from "./samples";

/** Items at 1 to 9. */
const items = Array.from({ length: 9 }, (_, at) => message(`m${at + 1}`, at + 1, at + 1, "one"));
const whole = applyHistory(emptyTimeline, history({ seq: 9, entries: items })).timeline;

function ids(timeline: Timeline): string[] {
  return rows(timeline).map(({ id }) => id);
}

function delta(itemId: string, seq: Seq): TextDelta {
  return { sessionId: "s", itemId, seq, offset: 3, append: " two", status: "update" };
}

describe("what is far from the reader", () => {
  const middle = applyBounds(whole, 4, 6);

  test("is let go and named as gone", () => {
    expect(ids(middle.timeline)).toEqual(["m4", "m5", "m6"]);
    expect(middle.items.sort()).toEqual(["m1", "m2", "m3", "m7", "m8", "m9"]);
    expect(middle.timeline).toMatchObject({ more: true, oldest: 4, newest: 6, seq: 9 });
  });

  test("is not brought back by what happens to it, and nothing of it is fetched", () => {
    const grown = applyDelta(middle.timeline, delta("m9", 10));
    expect(grown).toMatchObject({ items: [], missing: [], timeline: { seq: 10 } });
    const told = applyUpsert(grown.timeline, 11, message("m1", 11, 1, "anew"));
    expect(ids(told.timeline)).toEqual(["m4", "m5", "m6"]);
    expect(told.timeline.seq).toBe(11);
  });

  test("is counted when it is new", () => {
    const fresh = applyUpsert(middle.timeline, 10, message("m10", 10, 10)).timeline;
    expect(fresh.arrived - middle.timeline.arrived).toBe(1);
    const grown = applyUpsert(fresh, 11, message("m10", 11, 10)).timeline;
    expect(grown.arrived).toBe(fresh.arrived);
    expect(ids(grown)).toEqual(["m4", "m5", "m6"]);
  });

  test("comes back with its pages, newest state and all", () => {
    const older = applyOlderPage(middle.timeline, history({ entries: items.slice(0, 3) })).timeline;
    expect(older).toMatchObject({ more: false, oldest: 1 });
    const ahead = { ...history({ entries: items.slice(6, 8) }), oldest: 7, newest: 8 };
    const newer = applyNewerPage(older, ahead).timeline;
    expect(ids(newer)).toEqual(["m1", "m2", "m3", "m4", "m5", "m6", "m7", "m8"]);
    const rest = { ...history({ entries: [message("m9", 12, 9, "one two")] }), oldest: 9, newest: undefined };
    const end = applyNewerPage(newer, rest).timeline;
    expect(ids(end).at(-1)).toBe("m9");
    expect(ids(applyUpsert(end, 13, message("m10", 13, 13)).timeline).at(-1)).toBe("m10");
  });

  test("that is fetched because it grew is not taken in when it turns out to lie outside", () => {
    const grown = applyDelta(middle.timeline, delta("unknown", 10));
    expect(grown.missing).toEqual(["unknown"]);
    const fetched = applyWholeItem(grown.timeline, message("unknown", 10, 2, "one two"));
    expect(ids(fetched.timeline)).toEqual(["m4", "m5", "m6"]);
    expect(fetched.timeline.awaited.size).toBe(0);
    expect(applyDelta(fetched.timeline, delta("unknown", 12)).missing).toEqual([]);
  });
});

test("another stretch takes the place of this one and leaves the cursor alone", () => {
  const page = { ...history({ seq: 9, entries: items.slice(1, 3), more: true }), oldest: 2, newest: 3 };
  const update = applyStretch(applyBounds(whole, 7, undefined).timeline, page);
  expect(ids(update.timeline)).toEqual(["m2", "m3"]);
  expect(update.timeline).toMatchObject({ seq: 9, oldest: 2, newest: 3, more: true });
  expect(applyStretch(whole, { ...page, epoch: "other" }).timeline).toBe(whole);
});

test("a session that is opened shows its newest rows", () => {
  const opened = applyHistory(emptyTimeline, history({ seq: 9, entries: items }));
  expect(ids(newestRows(opened, 3).timeline)).toEqual(["m7", "m8", "m9"]);
  expect(newestRows(opened, 9)).toBe(opened);
});

test("lines of turns are there where they stand, and only there", () => {
  const turns: TurnEvent[] = [started("a", 1), completed("a", 4), started("b", 5), completed("b", 9)];
  const entries = [2, 3, 6, 7].map((at) => ({ ...message(`m${at}`, at, at), turnId: at < 5 ? "a" : "b" }));
  const { timeline } = applyHistory(emptyTimeline, history({ seq: 9, entries, turns }));
  expect(ids(applyBounds(timeline, 6, undefined).timeline)).toEqual(["m6", "m7", "b"]);
  expect(ids(applyBounds(timeline, undefined, 6).timeline)).toEqual(["m2", "m3", "a", "m6"]);
  const reading = applyBounds(timeline, undefined, 3).timeline;
  expect(ids(applyTurn(reading, 10, started("c", 10)).timeline)).toEqual(["m2", "m3"]);
});

test("a message that waited is not lost between two pages", () => {
  const prompt = { ...message("p", 2, 2), turnId: "b", origin: "user" } as UpsertObject;
  const entries = [message("m1", 1, 1), prompt, message("m3", 3, 3), { ...message("m6", 6, 6), turnId: "b" }];
  const { timeline } = applyHistory(emptyTimeline, history({ seq: 6, entries, turns: [started("b", 5)] }));
  expect(ids(timeline)).toEqual(["m1", "m3", "p", "m6", "b"]);
  const up = applyBounds(timeline, undefined, 3).timeline;
  expect(ids(up)).toEqual(["m1", "m3"]);
  const rest = {
    ...history({ entries: entries.slice(3), turns: [started("b", 5)] }),
    oldest: 6,
    newest: undefined,
  };
  expect(ids(applyNewerPage(up, rest).timeline)).toEqual(["m1", "m3", "p", "m6", "b"]);
});

test("a call stays as long as the work of its subagents", () => {
  const call = { type: "tool_call", toolName: "Task", toolArguments: {}, callId: "c" } as const;
  const task = { ...message("task", 2, 2), ...call } as UpsertObject;
  const step = { ...message("step", 4, 4), parentItemId: "task" } as UpsertObject;
  const entries = [message("m1", 1, 1), task, message("m3", 3, 3), step, message("m5", 5, 5)];
  const { timeline } = applyHistory(emptyTimeline, history({ seq: 5, entries }));
  expect(ids(timeline)).toEqual(["m1", "task", "m3", "m5"]);
  expect(ids(applyBounds(timeline, 3, undefined).timeline)).toEqual(["task", "m3", "m5"]);
  expect(ids(applyBounds(timeline, 5, undefined).timeline)).toEqual(["m5"]);
});

describe("the newest of the session, told to a reader who is elsewhere in it", () => {
  const later = Array.from({ length: 9 }, (_, at) => message(`m${at + 10}`, at + 10, at + 10, "one"));

  test("leaves the stretch as it is, and ends it where it was known to", () => {
    const missed = history({ seq: 18, entries: later.slice(6), more: true, mode: "reset" });
    const { timeline } = applyBeside(whole, missed);
    expect(ids(timeline)).toEqual(ids(whole));
    expect(timeline).toMatchObject({ seq: 18, newest: 9 });
    const rest = { ...history({ seq: 18, entries: later }), oldest: 10, newest: undefined };
    expect(ids(applyNewerPage(timeline, rest).timeline)).toHaveLength(18);
  });

  test("goes on from the stretch where it adjoins it", () => {
    const reached = history({ seq: 18, entries: later, more: true });
    expect(applyBeside(whole, reached).timeline.newest).toBeUndefined();
    expect(ids(applyBeside(whole, reached).timeline)).toHaveLength(18);
    const again = history({ seq: 9, entries: items.slice(6), more: true });
    expect(ids(applyBeside(whole, again).timeline)).toEqual(ids(whole));
  });

  test("does not bring the end to where the reader has let go of it", () => {
    const reading = applyBounds(whole, 2, 5).timeline;
    const told = applyBeside(reading, history({ seq: 9, entries: items.slice(4), more: true })).timeline;
    expect(ids(told)).toEqual(["m2", "m3", "m4", "m5"]);
    expect(told.newest).toBe(5);
  });

  test("keeps the line of a turn that ended after the last item, and what changed is brought by its page", () => {
    const ended = applyTurn(applyTurn(whole, 10, started("t", 10)).timeline, 11, completed("t", 11)).timeline;
    const missed = history({ seq: 30, entries: [message("m30", 30, 30)], more: true, mode: "reset" });
    const beside = applyBeside(ended, missed).timeline;
    expect(ids(beside)).toEqual(ids(ended));
    const page = history({ seq: 30, entries: [message("m3", 20, 3, "anew"), ...items.slice(3)] });
    const now = applyRefreshed(beside, page);
    expect(now.items).toEqual(["m3"]);
    expect(ids(now.timeline)).toEqual(ids(ended));
    expect(applyRefreshed(beside, { ...page, epoch: "other" }).timeline).toBe(beside);
  });

  test("cannot stand beside another numbering, or one that is behind", () => {
    expect(continuesBeside(whole, history({ seq: 9 }))).toBe(true);
    expect(continuesBeside(whole, history({ seq: 8 }))).toBe(false);
    expect(continuesBeside(whole, history({ seq: 9, epoch: "other" }))).toBe(false);
    expect(continuesBeside(emptyTimeline, history({ seq: 9 }))).toBe(false);
  });
});

/** Where a reader goes: bounds, pages at either end, live changes of any item in between, and some that were missed. */
test("however a reader wanders, what is shown is what the session has there", () => {
  const kinds = fc.constantFrom("change", "bounds", "older", "newer", "miss", "beside");
  const step = fc.record({ kind: kinds, at: fc.nat(29) });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const server = new Map(
        Array.from({ length: 20 }, (_, at) => [at + 1, message(`m${at + 1}`, at + 1, at + 1)]),
      );
      let seq = 20;
      let hasMissed = false;
      const between = (from: Seq, to: Seq): UpsertObject[] =>
        [...server].filter(([at]) => at >= from && at <= to).map(([, item]) => item);
      const page = (entries: UpsertObject[], more: boolean): HistoryPage => history({ seq, entries, more });
      let { timeline } = applyHistory(emptyTimeline, history({ seq, entries: between(1, 20) }));
      for (const { kind, at } of steps) {
        const { oldest = 1, newest, more } = timeline;
        if (kind === "change" || kind === "miss") {
          seq += 1;
          const position = at < 20 ? at + 1 : seq;
          const item = message(`m${position}`, seq, position, `state ${seq}`);
          server.set(position, item);
          hasMissed ||= kind === "miss";
          if (!hasMissed) timeline = applyUpsert(timeline, seq, item).timeline;
        } else if (kind === "beside") {
          const entries = between(1, seq).slice(-1 - at);
          const told = history({ seq, entries, more: entries.length < server.size, mode: "reset" });
          const kept = between(oldest, newest ?? timeline.seq);
          timeline = applyRefreshed(applyBeside(timeline, told).timeline, page(kept, true)).timeline;
          hasMissed = false;
        } else if (hasMissed) {
          // Without a connection no pages come.
        } else if (kind === "bounds") {
          const from = oldest + (at % 4);
          const to = (newest ?? seq) - (at % 3);
          if (from < to) timeline = applyBounds(timeline, from, to).timeline;
        } else if (kind === "older" && more) {
          const entries = between(0, oldest - 1).slice(-3);
          timeline = applyOlderPage(timeline, page(entries, (entries[0]?.position ?? 0) > 1)).timeline;
        } else if (kind === "newer" && newest !== undefined) {
          const entries = between(newest + 1, seq).slice(0, 3);
          const last = entries.at(-1)?.position ?? seq;
          const rest = between(last + 1, seq).length > 0;
          const stretch = { ...page(entries, false), oldest: undefined, newest: rest ? last : undefined };
          timeline = applyNewerPage(timeline, stretch).timeline;
        }
        if (hasMissed) continue;
        const first = timeline.more ? (timeline.oldest ?? 1) : 1;
        const shown = rows(timeline).map(({ id }) => timeline.items.get(id));
        expect(shown).toEqual(between(first, timeline.newest ?? seq));
      }
    }),
  );
});
