/** Which words of a changed line are others. Pure, and bounded: lines that are long or share little are not compared. */
export type Words = { text: string; isChanged: boolean }[];

const LONGEST_LINE = 1_000;
const MOST_TOKENS = 240;
/** Two lines that share less than this are two lines, and marking most of both says nothing. */
const LEAST_SHARED = 0.3;
const TOKEN = /[\p{L}\p{N}_]+|\s+|./gu;

/** The words of both lines, or nothing when marking them would not help. */
export function wordDiff(before: string, after: string): { before: Words; after: Words } | undefined {
  if (before.length > LONGEST_LINE || after.length > LONGEST_LINE) return undefined;
  const [old, now] = [before.match(TOKEN) ?? [], after.match(TOKEN) ?? []];
  if (old.length > MOST_TOKENS || now.length > MOST_TOKENS) return undefined;
  const kept = commonTokens(old, now);
  const shared = [...kept.old].reduce((sum, at) => sum + (old[at]?.trim().length ?? 0), 0);
  const longer = Math.max(before.trim().length, after.trim().length);
  if (longer === 0 || shared / longer < LEAST_SHARED) return undefined;
  return { before: joined(old, kept.old), after: joined(now, kept.now) };
}

/** The places of the tokens that both have, in order. */
function commonTokens(old: string[], now: string[]): { old: Set<number>; now: Set<number> } {
  const width = now.length + 1;
  const lengths = new Uint16Array((old.length + 1) * width);
  const at = (i: number, j: number) => lengths[i * width + j] ?? 0;
  for (let i = old.length - 1; i >= 0; i -= 1) {
    for (let j = now.length - 1; j >= 0; j -= 1) {
      const isSame = old[i] === now[j];
      lengths[i * width + j] = isSame ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  const kept = { old: new Set<number>(), now: new Set<number>() };
  for (let i = 0, j = 0; i < old.length && j < now.length; ) {
    if (old[i] === now[j]) {
      kept.old.add(i++);
      kept.now.add(j++);
    } else if (at(i + 1, j) >= at(i, j + 1)) i += 1;
    else j += 1;
  }
  return kept;
}

function joined(tokens: string[], kept: Set<number>): Words {
  const words: Words = [];
  for (const [at, text] of tokens.entries()) {
    const isChanged = !kept.has(at);
    const last = words.at(-1);
    if (last?.isChanged === isChanged) last.text += text;
    else words.push({ text, isChanged });
  }
  return words;
}
