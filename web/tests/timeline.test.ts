import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { TurnEvent, UpsertObject } from "../src/contract";
import {
  applyHistory,
  applyTurn,
  applyUpsert,
  applyWholeItem,
  emptyTimeline,
  leavesGap,
  type Timeline,
} from "../src/timeline/timeline";
import { rows } from "../src/timeline/timeline-rows";
import { applyOlderPage } from "../src/timeline/timeline-window";
import { completed, history, message, started } from "./samples";

/** What a reader would see: the rows in order, each with all that is known of it. */
function seen(timeline: Timeline): unknown[] {
  return rows(timeline).map((row) => {
    return row.kind === "item" ? timeline.items.get(row.id) : timeline.turns.get(row.id);
  });
}

function idsSeen(timeline: Timeline): string[] {
  return rows(timeline).map((row) => row.id);
}

function received(changes: (UpsertObject | TurnEvent)[]): Timeline {
  return changes.reduce((timeline, change) => receive(timeline, change), emptyTimeline);
}

function receive(timeline: Timeline, change: UpsertObject | TurnEvent): Timeline {
  const seq = change.seq ?? 0;
  if ("itemId" in change) return applyUpsert(timeline, seq, change).timeline;
  return applyTurn(timeline, seq, change).timeline;
}

describe("an upsert", () => {
  test("adds an item and says so", () => {
    const update = applyUpsert(emptyTimeline, 1, message("m", 1, 1, "a"));
    expect(update.items).toEqual(["m"]);
    expect(idsSeen(update.timeline)).toEqual(["m"]);
  });

  test("replaces the item when it is newer", () => {
    const timeline = received([message("m", 1, 1, "a"), message("m", 2, 1, "ab")]);
    expect(timeline.items.get("m")).toMatchObject({ content: "ab", seq: 2 });
  });

  test.each([1, 2])("is ignored when its seq %i is not newer than 2", (seq) => {
    const timeline = received([message("m", 2, 1, "new")]);
    const update = applyUpsert(timeline, seq, message("m", seq, 1, "old"));
    expect(update.items).toEqual([]);
    expect(update.timeline.items.get("m")).toMatchObject({ content: "new" });
  });

  test("takes its seq from the frame where the payload has none", () => {
    const { seq: _, position: __, ...bare } = message("m", 0, 0, "a");
    const { timeline } = applyUpsert(emptyTimeline, 7, bare);
    expect(timeline.items.get("m")).toMatchObject({ seq: 7, position: 7 });
  });

  test("is placed by position, not by arrival", () => {
    expect(idsSeen(received([message("late", 5, 4), message("early", 6, 2)]))).toEqual(["early", "late"]);
  });
});

describe("a turn", () => {
  test("has its line at the end while it runs and where it ended after that", () => {
    const running = received([started("t", 1), message("m", 2, 2)]);
    expect(idsSeen(running)).toEqual(["m", "t"]);
    const next = [completed("t", 3), message("n", 4, 4)].reduce(receive, running);
    expect(idsSeen(next)).toEqual(["m", "t", "n"]);
  });

  test("that was folded into another one has no running line of its own", () => {
    const joined = { ...started("t2", 2), joinedTurnId: "t" } as TurnEvent;
    expect(idsSeen(received([started("t", 1), joined]))).toEqual(["t"]);
  });
});

describe("a message that waits for its turn", () => {
  const prompt = { ...message("q:0:0", 3, 3), turnId: "q", origin: "user" } as UpsertObject;
  const waits = received([started("t", 1), message("m", 2, 2), prompt, message("n", 4, 4)]);

  test("is not among what has begun", () => {
    expect(rows(waits, new Set(["q"])).map(({ id }) => id)).toEqual(["m", "n", "t"]);
  });

  test("is shown where its turn began, and stays there", () => {
    const begun = [completed("t", 5), started("q", 6)].reduce(receive, waits);
    expect(idsSeen(begun)).toEqual(["m", "n", "t", "q:0:0", "q"]);
    const answered = [{ ...message("a", 7, 7), turnId: "q" }, completed("q", 8)].reduce(receive, begun);
    expect(idsSeen(answered)).toEqual(["m", "n", "t", "q:0:0", "a", "q"]);
  });
});

describe("a history", () => {
  const known = received([started("t", 1), message("m", 2, 2, "a"), message("gone", 3, 3)]);

  test.each(["full", "reset"] as const)("in mode %s replaces everything and names what is gone", (mode) => {
    const update = applyHistory(
      known,
      history({ mode, epoch: "new", seq: 1, entries: [message("m", 1, 1, "b")] }),
    );
    expect(idsSeen(update.timeline)).toEqual(["m"]);
    expect(update.timeline).toMatchObject({ epoch: "new", seq: 1 });
    expect(new Set(update.items)).toEqual(new Set(["m", "gone"]));
    expect(update.turns).toEqual(["t"]);
  });

  test("since a cursor adds what is new and keeps the rest", () => {
    const opened = applyHistory(
      emptyTimeline,
      history({ seq: 3, entries: [...known.items.values()], more: true }),
    );
    const since = history({ mode: "since", seq: 5, entries: [message("m", 4, 2, "ab"), message("n", 5, 5)] });
    const update = applyHistory(opened.timeline, since);
    expect(idsSeen(update.timeline)).toEqual(["m", "gone", "n"]);
    expect(update.items).toEqual(["m", "n"]);
    expect(update.timeline).toMatchObject({ seq: 5, more: true });
  });

  test("since a cursor of another epoch replaces everything", () => {
    const opened = applyHistory(emptyTimeline, history({ seq: 3, entries: [...known.items.values()] }));
    const update = applyHistory(opened.timeline, history({ mode: "since", epoch: "other", seq: 1 }));
    expect(idsSeen(update.timeline)).toEqual([]);
  });

  test("since a cursor that is cut off leaves a gap", () => {
    expect(leavesGap(history({ mode: "since", more: true }))).toBe(true);
    expect(leavesGap(history({ mode: "since", more: false }))).toBe(false);
    expect(leavesGap(history({ mode: "full", more: true }))).toBe(false);
  });

  test("as an older page comes before what is there and leaves the cursor alone", () => {
    const opened = applyHistory(
      emptyTimeline,
      history({ seq: 9, entries: [message("m", 9, 9)], more: true }),
    );
    expect(opened.timeline.oldest).toBe(9);
    const update = applyOlderPage(opened.timeline, history({ seq: 12, entries: [message("old", 11, 2)] }));
    expect(idsSeen(update.timeline)).toEqual(["old", "m"]);
    expect(update.timeline).toMatchObject({ seq: 9, more: false });
  });

  test("as an older page ends where the oldest one begins, also if an older item was told by itself", () => {
    const opened = applyHistory(
      emptyTimeline,
      history({ seq: 9, entries: [message("m", 9, 9)], more: true }),
    );
    const changed = applyUpsert(opened.timeline, 10, message("running", 10, 2)).timeline;
    expect(changed.oldest).toBe(9);
    const since = history({ mode: "since", seq: 11, entries: [message("running", 11, 2)] });
    const resumed = applyHistory(changed, since).timeline;
    expect(resumed).toMatchObject({ oldest: 9, more: true });
    const older = history({ entries: [message("running", 10, 2), message("between", 5, 5)] });
    const update = applyOlderPage(resumed, older);
    expect(idsSeen(update.timeline)).toEqual(["running", "between", "m"]);
    expect(update.timeline).toMatchObject({ oldest: 2, more: false });
  });

  test("as an older page of another epoch is ignored", () => {
    const opened = applyHistory(emptyTimeline, history({ seq: 9, entries: [message("m", 9, 9)] }));
    const update = applyOlderPage(
      opened.timeline,
      history({ epoch: "other", entries: [message("old", 1, 1)] }),
    );
    expect(update.timeline).toBe(opened.timeline);
  });
});

describe("the whole of a shortened item", () => {
  const shortened = received([{ ...message("m", 4, 1, "abc"), truncated: { bytes: 6 } }]);

  test("takes its place", () => {
    const update = applyWholeItem(shortened, message("m", 4, 1, "abcdef"));
    expect(update.timeline.items.get("m")).toMatchObject({ content: "abcdef" });
    expect(update.timeline.items.get("m")?.truncated).toBeUndefined();
  });

  test("is ignored when the item has changed since", () => {
    expect(applyWholeItem(shortened, message("m", 3, 1, "ab")).timeline).toBe(shortened);
  });
});

describe("however the network delivers", () => {
  /** A session as the server journals it: every change has the next seq, an item's position is its first one. */
  const journal = fc.array(fc.nat({ max: 5 }), { minLength: 1, maxLength: 40 }).map((picks) => {
    const positions = new Map<number, number>();
    return picks.map((pick, at): UpsertObject | TurnEvent => {
      const seq = at + 1;
      if (pick === 0) return at % 2 === 0 ? started(`t${at}`, seq) : completed(`t${at - 1}`, seq);
      positions.set(pick, positions.get(pick) ?? seq);
      return message(`m${pick}`, seq, positions.get(pick) ?? seq, "word ".repeat(seq));
    });
  });

  /** The same changes, some of them more than once, in any order. */
  const deliveries = journal.chain((changes) => {
    const again = fc.array(fc.constantFrom(...changes), { maxLength: 20 });
    const shuffled = again.chain((more) => {
      const all = [...changes, ...more];
      return fc.shuffledSubarray(all, { minLength: all.length });
    });
    return fc.record({ changes: fc.constant(changes), shuffled });
  });

  test("reordered and repeated changes give the same view as in order", () => {
    fc.assert(
      fc.property(deliveries, ({ changes, shuffled }) => {
        expect(seen(received(shuffled))).toEqual(seen(received(changes)));
      }),
    );
  });

  test("a reconnect at any point gives the same view as no reconnect", () => {
    fc.assert(
      fc.property(deliveries, fc.nat(), ({ changes }, at) => {
        const opened = applyHistory(emptyTimeline, history({})).timeline;
        const before = changes.slice(0, at % (changes.length + 1)).reduce(receive, opened);
        const missed = changes.filter((change) => (change.seq ?? 0) > before.seq);
        const entries = missed.filter((change) => "itemId" in change);
        const turns = missed.filter((change): change is TurnEvent => !("itemId" in change));
        const since = history({ mode: "since", seq: changes.length, entries, turns });
        expect(seen(applyHistory(before, since).timeline)).toEqual(seen(received(changes)));
      }),
    );
  });

  test("nothing that was given is changed", () => {
    fc.assert(
      fc.property(deliveries, ({ shuffled }) => {
        const timeline = received(shuffled);
        const before = structuredClone(timeline);
        applyUpsert(timeline, 99, message("m1", 99, 1, "later"));
        applyHistory(timeline, history({ seq: 100 }));
        expect(timeline).toEqual(before);
      }),
    );
  });
});
