/** What was said before, to be said again: of each session the prompts that are known, and those that were sent from here. */
import type { SessionId } from "../contract";
import type { KeptTexts } from "./kept-text";

/** Of a session; older ones are forgotten. */
const KEPT = 50;

export class PromptHistory {
  constructor(private readonly kept: KeptTexts) {}

  remember(sessionId: SessionId, prompt: string): void {
    if (prompt.trim() === "") return;
    this.kept.change(sessionId, (kept) => {
      const others = promptsIn(kept).filter((one) => one !== prompt);
      return JSON.stringify([...others, prompt].slice(-KEPT));
    });
  }

  /** The oldest first, each once; `told` are those of the timeline. */
  of(sessionId: SessionId, told: string[]): string[] {
    const known = new Set(told);
    const all = [...promptsIn(this.kept.get(sessionId)).filter((prompt) => !known.has(prompt)), ...told];
    return all.filter((prompt, at) => prompt.trim() !== "" && all.lastIndexOf(prompt) === at);
  }
}

function promptsIn(kept = ""): string[] {
  try {
    const read: unknown = JSON.parse(kept);
    return Array.isArray(read) ? read.filter((one) => typeof one === "string") : [];
  } catch {
    return [];
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
