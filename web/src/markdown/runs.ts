/** Runs of code of one colour. */
export type Run = { text: string; scope: string };

const SLICE = 8 * 1024;

/** Where to cut long code so that a cut seldom falls into something: before a line that begins at the margin. */
export function sliceEnds(text: string): number[] {
  const ends: number[] = [];
  let start = 0;
  while (text.length - start > SLICE) {
    start = cutAfter(text, start + SLICE / 2, start + SLICE);
    ends.push(start);
  }
  return [...ends, text.length];
}

function cutAfter(text: string, from: number, to: number): number {
  const margin = /\n\n(?=\S)/g;
  margin.lastIndex = from;
  const found = margin.exec(text);
  if (found && found.index + 2 <= to) return found.index + 2;
  const line = text.lastIndexOf("\n", to);
  return line > from ? line + 1 : to;
}

/** The same runs, cut where the chunks begin. */
export function splitRuns(runs: Run[], starts: number[]): Run[][] {
  const pieces: Run[][] = starts.map(() => []);
  let at = 0;
  let chunk = 0;
  for (const { text, scope } of runs) {
    let from = 0;
    while (from < text.length) {
      const room = (starts[chunk + 1] ?? Number.POSITIVE_INFINITY) - at;
      const part = text.slice(from, from + room);
      pieces[chunk]?.push({ text: part, scope });
      from += part.length;
      at += part.length;
      if (at === starts[chunk + 1]) chunk += 1;
    }
  }
  return pieces;
}
