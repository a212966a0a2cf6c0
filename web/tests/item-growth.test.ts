import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { ItemId, Seq, TextDelta, UpsertObject } from "../src/contract";
import {
  applyDelta,
  applyHistory,
  applyUnavailable,
  applyUpsert,
  applyWholeItem,
  emptyTimeline,
  type Timeline,
} from "../src/timeline/timeline";
import { rows } from "../src/timeline/timeline-rows";
import { history, message } from "./samples";

function delta(itemId: ItemId, seq: Seq, offset: number, append: string): TextDelta {
  return { sessionId: "s", itemId, seq, offset, append, status: "update" };
}

const known = applyUpsert(emptyTimeline, 1, message("m", 1, 1, "one")).timeline;

describe("growth", () => {
  test("goes to the end of the text", () => {
    const update = applyDelta(known, { ...delta("m", 2, 3, " two"), status: "complete", emittedAt: "then" });
    expect(update).toMatchObject({ items: ["m"], missing: [], timeline: { seq: 2 } });
    const grown = { content: "one two", seq: 2, position: 1, status: "complete", emittedAt: "then" };
    expect(update.timeline.items.get("m")).toMatchObject(grown);
  });

  test("is counted in UTF-16 units", () => {
    const smiling = applyUpsert(emptyTimeline, 1, message("m", 1, 1, "caf\u{e9} \u{1f600}")).timeline;
    expect(applyDelta(smiling, delta("m", 2, 7, "!")).timeline.items.get("m")).toMatchObject({
      content: "caf\u{e9} \u{1f600}!",
    });
  });

  test("of a call is its output, also the first of it", () => {
    const call = {
      ...message("c", 1, 1),
      type: "tool_call",
      toolName: "Bash",
      toolArguments: {},
      callId: "c",
    };
    const { timeline } = applyUpsert(emptyTimeline, 1, call as UpsertObject);
    const first = applyDelta(timeline, delta("c", 2, 0, "line 1\n")).timeline;
    expect(applyDelta(first, delta("c", 3, 7, "line 2\n")).timeline.items.get("c")).toMatchObject({
      toolOutput: "line 1\nline 2\n",
    });
  });

  test("that is not newer changes nothing", () => {
    expect(applyDelta(known, delta("m", 1, 3, "?"))).toMatchObject({ items: [], missing: [] });
  });
});

describe("growth that does not fit", () => {
  const torn = applyDelta(known, delta("m", 3, 7, " three"));

  test("names its item once, and leaves it as it is", () => {
    expect(torn).toMatchObject({ items: [], missing: ["m"] });
    expect(applyDelta(torn.timeline, delta("m", 4, 13, " four")).missing).toEqual([]);
    expect(torn.timeline.items.get("m")).toMatchObject({ content: "one" });
  });

  test("of an item that is not known names it too", () => {
    expect(applyDelta(emptyTimeline, delta("x", 3, 7, "!")).missing).toEqual(["x"]);
  });

  test("goes on from the fetched item with what came after it", () => {
    const { timeline } = applyDelta(torn.timeline, delta("m", 4, 13, " four"));
    const update = applyWholeItem(timeline, message("m", 3, 1, "one two three"));
    expect(update).toMatchObject({ items: ["m"], missing: [] });
    expect(update.timeline.items.get("m")).toMatchObject({ content: "one two three four", seq: 4 });
    expect(update.timeline.awaited.size).toBe(0);
  });

  test("needs no fetched item once the item is told whole", () => {
    const told = applyUpsert(torn.timeline, 4, message("m", 4, 1, "anew")).timeline;
    expect(told.awaited.size).toBe(0);
    const late = applyWholeItem(told, message("m", 3, 1, "one two three"));
    expect(late.timeline.items.get("m")).toMatchObject({ content: "anew" });
  });

  test("is missing once more when the fetched item is older than it", () => {
    expect(applyWholeItem(torn.timeline, message("m", 1, 1, "one")).missing).toEqual(["m"]);
  });

  test("is given up with an item that cannot be had, and with another history", () => {
    expect(applyUnavailable(torn.timeline, "m").timeline.awaited.size).toBe(0);
    const reset = applyHistory(torn.timeline, history({ mode: "reset", epoch: "new" })).timeline;
    expect(reset.awaited.size).toBe(0);
    expect(applyWholeItem(reset, message("m", 9, 1, "old")).timeline).toBe(reset);
  });
});

/** What a session does next: its text of an item grows, or is written anew. */
type Change = { slot: number; text: string; anew: boolean };
/** What becomes of the messages on their way, as numbers that are used up one by one. */
type World = { changes: Change[]; chances: number[] };

const changes = fc.record({
  slot: fc.nat(2),
  text: fc.string({ unit: "binary", maxLength: 6 }),
  anew: fc.nat(5).map((n) => n === 0),
});
const worlds: fc.Arbitrary<World> = fc.record({
  changes: fc.array(changes, { maxLength: 40 }),
  chances: fc.array(fc.nat(99), { minLength: 1, maxLength: 60 }),
});

type Message = { upsert: UpsertObject } | { delta: TextDelta };

function isGrowth(one: Message): boolean {
  return "delta" in one;
}

function itemOf(one: Message): ItemId {
  return "delta" in one ? one.delta.itemId : one.upsert.itemId;
}

/** The session as its server has it, and what it tells of each change. */
function serverOf(all: Change[]): { messages: Message[]; statesAt: (seq: Seq) => UpsertObject[] } {
  const states: UpsertObject[][] = [[]];
  const messages = all.map(({ slot, text, anew }, at): Message => {
    const seq = at + 1;
    const before = states[at] ?? [];
    const itemId = `m${slot}`;
    const old = before.find((item) => item.itemId === itemId) as
      | { content: string; position: Seq }
      | undefined;
    const content = old && !anew ? old.content + text : text;
    const next = message(itemId, seq, old?.position ?? seq, content);
    states.push([...before.filter((item) => item.itemId !== itemId), next]);
    return old && !anew ? { delta: delta(itemId, seq, old.content.length, text) } : { upsert: next };
  });
  return { messages, statesAt: (seq) => states[seq] ?? [] };
}

test("however messages are reordered, doubled and lost, the end is what the history gives", () => {
  const run = ({ changes: all, chances }: World): void => {
    const { messages, statesAt } = serverOf(all);
    const isGrownAgain = (one: Message) => {
      const later = messages.slice(messages.indexOf(one) + 1);
      return isGrowth(one) && later.some((other) => itemOf(other) === itemOf(one));
    };
    let used = 0;
    const chance = () => chances[used++ % chances.length] ?? 0;
    let timeline = applyHistory(emptyTimeline, history({})).timeline;
    const wanted: ItemId[] = [];
    const take = (update: { timeline: Timeline; missing: ItemId[] }) => {
      timeline = update.timeline;
      wanted.push(...update.missing);
    };
    const receive = (one: Message) => {
      take(
        "delta" in one
          ? applyDelta(timeline, one.delta)
          : applyUpsert(timeline, one.upsert.seq ?? 0, one.upsert),
      );
    };
    const fetch = (itemId: ItemId, now: Seq) => {
      const item = statesAt(now).find((one) => one.itemId === itemId);
      if (item) take(applyWholeItem(timeline, item));
    };
    const resume = (now: Seq) => {
      const entries = statesAt(now).filter((item) => (item.seq ?? 0) > timeline.seq);
      take(applyHistory(timeline, history({ mode: "since", seq: now, entries })));
      for (const itemId of timeline.awaited.keys()) fetch(itemId, now);
    };
    let at = 0;
    while (at < messages.length) {
      const size = 1 + (chance() % 4);
      const end = Math.min(at + size, messages.length);
      // A connection that is lost takes what was on its way with it; the next one goes on from the cursor.
      if (chance() < 20) resume(end);
      else {
        // Growth that is lost by itself is noticed with the next that is told of its item.
        const group = messages.slice(at, end).filter((one) => !isGrownAgain(one) || chance() >= 20);
        // Not past a text that was written anew: it may be as long as the one that growth was meant for.
        if (group.every(isGrowth) && chance() < 50) group.reverse();
        if (chance() < 30) group.push(...group);
        group.forEach(receive);
      }
      at = end;
      if (wanted.length > 0 && chance() < 70) fetch(wanted.shift() as ItemId, at);
    }
    while (wanted.length > 0) fetch(wanted.shift() as ItemId, at);
    const expected = [...statesAt(at)].sort((a, b) => (a.position ?? 0) - (b.position ?? 0));
    expect(rows(timeline).map(({ id }) => timeline.items.get(id))).toEqual(expected);
    expect(timeline.awaited.size).toBe(0);
  };
  fc.assert(fc.property(worlds, run), { numRuns: 500 });
});
