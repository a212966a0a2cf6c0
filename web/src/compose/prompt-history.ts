/** What was said before, to be said again: of each session the prompts that are known, and those that were sent from here. */
import type { SessionId } from "../contract";
import { keptRecord, keptTexts } from "../dom/kept-value";
import type { KeptTexts } from "./kept-text";

/** Of a session; older ones are forgotten. */
const MOST_PROMPTS = 50;
/** A longer prompt is found in the timeline, if anywhere. */
const MOST_LETTERS = 10_000;
const MOST_LETTERS_OF_ALL = 50_000;
const MOST_SESSIONS = 40;

type Said = { at: number; prompts: string[] };

export class PromptHistory {
  constructor(
    private readonly kept: KeptTexts,
    private readonly now = Date.now,
  ) {}

  remember(sessionId: SessionId, prompt: string): void {
    if (prompt.trim() === "" || prompt.length > MOST_LETTERS) return;
    this.kept.change(sessionId, (kept) => {
      const others = saidIn(kept).prompts.filter((one) => one !== prompt);
      return JSON.stringify({ at: this.now(), prompts: newest([...others, prompt]) });
    });
    this.forgetOldest();
  }

  /** The oldest first, each once; `told` are those of the timeline. */
  of(sessionId: SessionId, told: string[]): string[] {
    const known = new Set(told);
    const all = [...saidIn(this.kept.get(sessionId)).prompts.filter((prompt) => !known.has(prompt)), ...told];
    return all.filter((prompt, at) => prompt.trim() !== "" && all.lastIndexOf(prompt) === at);
  }

  private forgetOldest(): void {
    const sessions = this.kept.entries();
    if (sessions.length <= MOST_SESSIONS) return;
    const dated = sessions.map(([sessionId, kept]) => ({ sessionId, at: saidIn(kept).at }));
    dated.sort((a, b) => b.at - a.at);
    for (const { sessionId } of dated.slice(MOST_SESSIONS)) this.kept.delete(sessionId);
  }
}

function newest(prompts: string[]): string[] {
  const taken: string[] = [];
  let letters = 0;
  for (const prompt of prompts.slice(-MOST_PROMPTS).reverse()) {
    letters += prompt.length;
    if (letters > MOST_LETTERS_OF_ALL) break;
    taken.unshift(prompt);
  }
  return taken;
}

/** A list alone is how it was kept before. */
function saidIn(kept = ""): Said {
  try {
    const read: unknown = JSON.parse(kept);
    const { at, prompts } = Array.isArray(read) ? { at: 0, prompts: read } : keptRecord(read);
    return { at: typeof at === "number" ? at : 0, prompts: keptTexts(prompts) };
  } catch {
    return { at: 0, prompts: [] };
  }
}

/** Where someone is who walks through them; what is written is only replaced while it is empty or one of them, unchanged. */
export class HistoryWalk {
  private at: number | undefined;

  /** What is to be written instead, or undefined when the key means something else. */
  step(prompts: string[], written: string, step: -1 | 1): string | undefined {
    const isWalking = this.at !== undefined && written !== "" && prompts[this.at] === written;
    if (!isWalking && written !== "") return undefined;
    const from = isWalking && this.at !== undefined ? this.at : prompts.length;
    const next = from + step;
    if (next < 0) return isWalking ? written : undefined;
    if (!isWalking && step === 1) return undefined;
    this.at = next < prompts.length ? next : undefined;
    return prompts[next] ?? "";
  }
}
