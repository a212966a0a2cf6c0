/**
 * Finds what someone means by a few letters.
 *
 * Every word of what was typed must be found, in any order, in one of the texts of a candidate. The letters of a word stand
 * together; those that begin with a word of the text may also skip letters within a word, or go on at the beginning of a
 * later one ("nses" finds "New session"). Letters that are scattered over a line find nothing. Pure.
 */

/** `at` are the places of the letters that were found, in UTF-16 units, in order. */
export type Found = { score: number; at: readonly number[] };
export type FoundIn = { score: number; at: readonly (readonly number[])[] };

const START_OF_TEXT = 10;
const START_OF_WORD = 8;
const TOGETHER = 6;
const LETTER = 1;
const SKIPPED = -1.5;
/** A word of the text that is named whole is more likely meant than the beginning of a longer one. */
const WHOLE_WORD = 3;
/** What stands beside the name counts less than the name. */
const BESIDE = 0.5;

/** Finds typed words in the texts of a candidate, the first of which is its name. */
export function findIn(typed: string, texts: readonly string[]): FoundIn | undefined {
  const at: Set<number>[] = texts.map(() => new Set());
  let score = 0;
  for (const word of typed.split(/\s+/).filter((part) => part !== "")) {
    const best = bestText(word, texts);
    if (!best) return undefined;
    score += best.found.score;
    for (const place of best.found.at) at[best.text]?.add(place);
  }
  return { score, at: at.map((places) => [...places].sort((a, b) => a - b)) };
}

function bestText(word: string, texts: readonly string[]): { text: number; found: Found } | undefined {
  let best: { text: number; found: Found } | undefined;
  for (const [text, content] of texts.entries()) {
    const found = findWord(word, content);
    if (!found) continue;
    const score = text === 0 ? found.score : found.score * BESIDE;
    if (!best || score > best.found.score) best = { text, found: { ...found, score } };
  }
  return best;
}

/** `isLoose`: it began with a word, so letters may be left out. */
type Place = { score: number; before: number; isLoose: boolean };

/** The best way to find the letters of one word in a text. */
export function findWord(word: string, text: string): Found | undefined {
  const letters = lowered(word);
  const line = lowered(text);
  let row: (Place | undefined)[] = [];
  const rows: (Place | undefined)[][] = [];
  for (const [index, letter] of letters.entries()) {
    row = line.map((one, at) => {
      if (one !== letter) return undefined;
      if (index > 0) return follower(line, at, row);
      return { score: worth(line, at), before: -1, isLoose: isStart(line, at) };
    });
    if (row.every((place) => place === undefined)) return undefined;
    rows.push(row);
  }
  return traced(rows, line);
}

/** The best place for a letter at `at`, after what was found so far. */
function follower(line: string[], at: number, previous: (Place | undefined)[]): Place | undefined {
  let best: Place | undefined;
  const offer = (before: number, gain: number) => {
    const place = previous[before];
    if (!place || (before < at - 1 && !place.isLoose)) return;
    const score = place.score + gain;
    if (!best || score > best.score) best = { score, before, isLoose: place.isLoose };
  };
  offer(at - 1, LETTER + TOGETHER);
  if (isStart(line, at)) for (let before = 0; before < at; before += 1) offer(before, LETTER + START_OF_WORD);
  else
    for (let before = at - 2; before >= 0 && isLetter(line[before + 1]); before -= 1)
      offer(before, LETTER + SKIPPED * (at - before - 1));
  return best;
}

function worth(line: string[], at: number): number {
  if (at === 0) return LETTER + START_OF_TEXT;
  // An early word is a little more likely than a late one.
  return LETTER + (isStart(line, at) ? START_OF_WORD : 0) - Math.min(at, 40) / 40;
}

function traced(rows: (Place | undefined)[][], line: string[]): Found | undefined {
  const last = rows.at(-1);
  if (!last) return { score: 0, at: [] };
  let end = -1;
  let score = Number.NEGATIVE_INFINITY;
  for (const [at, place] of last.entries()) {
    if (!place) continue;
    const total = place.score + (isLetter(line[at + 1]) ? 0 : WHOLE_WORD);
    if (total > score) [end, score] = [at, total];
  }
  const at: number[] = [];
  for (let row = rows.length - 1, place = end; row >= 0 && place >= 0; row -= 1) {
    at.unshift(place);
    place = rows[row]?.[place]?.before ?? -1;
  }
  return { score, at };
}

/** Letter by letter, so that places stay what they are in the text. */
function lowered(text: string): string[] {
  return Array.from({ length: text.length }, (_, at) => (text[at] ?? "").toLowerCase());
}

function isStart(line: string[], at: number): boolean {
  return isLetter(line[at]) && !isLetter(line[at - 1]);
}

function isLetter(letter: string | undefined): boolean {
  return letter !== undefined && /[\p{L}\p{N}\p{Cs}]/u.test(letter);
}
