/** Shows where the time of a turn went: what went on when, on one axis, each a way to its item. */
import type { ItemId, PermissionRequest, SessionId, TurnId } from "../contract";
import { Dialog, dialogHead } from "../dom/dialog";
import { arrange, element, setText } from "../dom/dom";
import { counted } from "../text/amount-text";
import type { Transcript } from "../transcript/transcript";
import { turnFacts, turnWord } from "../transcript/turn-text";
import { ticksOf, timeText } from "./time-scale";
import { barKeys, TimesRow } from "./times-row";
import { itemsOfTurn } from "./turn-items";
import { type TimeBar, type TimeKind, type TurnTimes, turnTimes } from "./turn-times";

const NAME = "Where the time went";
const NAMES: Record<TimeKind, string> = {
  person: "Waiting for you",
  tool: "Tools",
  thinking: "Thinking",
  text: "Text",
  quiet: "Nothing told",
  omitted: "Left out",
};
/** A turn that runs is looked at anew. */
const AGAIN_MS = 2_000;
/** Nor more often than so: many items take a while. */
const REST = 10;
/** A tick later than this part of the axis has its words before it. */
const LATE = 0.85;
/** More bars than this are not drawn; the shortest are left out. */
const MOST_BARS = 300;

export type Timed = { sessionId: SessionId; transcript: Transcript };

export class TimesDialog {
  private readonly facts = element("p", "times-facts");
  private readonly whole = element("div", "times-whole");
  private readonly legend = element("ul", "times-legend");
  private readonly axis = element("div", "times-axis");
  private readonly list = element("ol", "times-bars");
  private readonly note = element("p", "times-note");
  private readonly dialog: Dialog;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private asked = 0;
  private rows = new Map<string, TimesRow>();

  /** `asks`: the questions of a session, with their answers. */
  constructor(private readonly asks: (sessionId: SessionId) => PermissionRequest[]) {
    this.whole.ariaHidden = "true";
    this.axis.ariaHidden = "true";
    this.list.setAttribute("aria-label", "What went on");
    const body = element("div", "times-body", this.axis, this.list, this.note);
    const head = dialogHead(NAME, () => this.dialog.close());
    this.dialog = new Dialog(NAME, "times", head, this.facts, this.whole, this.legend, body);
    this.dialog.root.addEventListener("close", () => this.closed());
  }

  async open(timed: Timed, turnId: TurnId): Promise<void> {
    this.asked += 1;
    this.rows.clear();
    setText(this.note, "Loading…");
    this.render({ total: 0, isRunning: false, bars: [], firstText: undefined, sums: [] }, timed);
    this.dialog.open();
    await this.load(timed, turnId, this.asked);
  }

  private async load(timed: Timed, turnId: TurnId, asked: number): Promise<void> {
    const turn = timed.transcript.turn(turnId);
    if (!turn) return setText(this.note, "This turn is not known any more.");
    const begun = performance.now();
    try {
      const { items, isWhole } = await itemsOfTurn(timed.sessionId, turn);
      if (asked !== this.asked) return;
      const times = turnTimes(turn, items, this.asks(timed.sessionId), Date.now(), isWhole);
      setText(this.facts, factsText([turnWord(turn), ...turnFacts(turn)].join(" · "), times));
      setText(this.note, noteText(times, isWhole ? undefined : items.length));
      this.render(times, timed);
      const rest = Math.max(AGAIN_MS, REST * (performance.now() - begun));
      if (times.isRunning) this.timer = setTimeout(() => void this.load(timed, turnId, asked), rest);
    } catch {
      setText(this.note, "The times could not be loaded. Close this and try again.");
    }
  }

  private render(times: TurnTimes, timed: Timed): void {
    this.whole.replaceChildren(...times.sums.map(({ kind, time }) => part(kind, time / times.total)));
    this.legend.replaceChildren(...times.sums.map(({ kind, time }) => legendEntry(kind, time, times.total)));
    this.axis.replaceChildren(...ticksOf(times.total).map((at) => tick(at, times.total)));
    arrange(this.list, this.rowsOf(longest(times.bars), times.total, timed));
  }

  private rowsOf(bars: TimeBar[], total: number, timed: Timed): HTMLElement[] {
    const keys = barKeys(bars);
    const rows = bars.map((bar, at): [string, TimesRow] => {
      const row = this.rows.get(keys[at] ?? "") ?? new TimesRow(bar, (itemId) => this.show(itemId, timed));
      row.update(bar, total);
      return [keys[at] ?? "", row];
    });
    this.rows = new Map(rows);
    return rows.map(([, { root }]) => root);
  }

  private show(itemId: ItemId, { transcript }: Timed): void {
    this.dialog.close();
    transcript.show(itemId);
  }

  private closed(): void {
    this.asked += 1;
    clearTimeout(this.timer);
  }
}

function part(kind: TimeKind, share: number): HTMLElement {
  const made = element("span", "times-part");
  made.dataset.kind = kind;
  made.style.setProperty("--part", String(share));
  return made;
}

function legendEntry(kind: TimeKind, time: number, total: number): HTMLElement {
  const share = `${Math.round((100 * time) / total)} %`;
  const made = element("li", "times-sum", element("span", "times-sum-name", NAMES[kind]));
  made.append(element("span", "times-sum-time", `${timeText(time)} · ${share}`));
  made.dataset.kind = kind;
  return made;
}

function tick(at: number, total: number): HTMLElement {
  const made = element("span", "times-tick", at === 0 ? "0" : timeText(at));
  const from = total > 0 ? at / total : 0;
  made.dataset.late = String(from > LATE);
  made.style.setProperty("--from", String(from));
  return made;
}

function longest(bars: TimeBar[]): TimeBar[] {
  if (bars.length <= MOST_BARS) return bars;
  const kept = new Set([...bars].sort((a, b) => b.to - b.from - (a.to - a.from)).slice(0, MOST_BARS));
  return bars.filter((bar) => kept.has(bar));
}

function factsText(turn: string, { firstText }: TurnTimes): string {
  return firstText === undefined ? turn : `${turn} · first text after ${timeText(firstText)}`;
}

/** `read`: how many of its steps were read, where that are not all. */
function noteText({ bars }: TurnTimes, read: number | undefined): string {
  if (bars.length === 0) return "Nothing has been told in this turn.";
  const notes = [
    read === undefined
      ? ""
      : `Only the last ${counted(read, "step")} of this turn ${read === 1 ? "was" : "were"} read.`,
    bars.length > MOST_BARS ? `The ${MOST_BARS} longest of ${counted(bars.length, "bar")} are shown.` : "",
  ];
  return notes.filter((note) => note !== "").join(" ");
}
