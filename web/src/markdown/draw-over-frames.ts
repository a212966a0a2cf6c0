/** Work that goes on over several frames, so that the page answers in between: all of it together takes some milliseconds of each. */
import { NextFrame } from "../dom/next-frame";

/** Does a piece of the work, and tells whether there is more. */
export type Piece = () => boolean;

/** A third of a frame: laying out and painting what was drawn takes longer than drawing it. */
const FRAME_MS = 5;

const waiting = new Set<Piece>();
let frame: NextFrame | undefined;

/** Does what can be done at once; the rest follows with the next frames. */
export function drawOverFrames(piece: Piece): void {
  waiting.delete(piece);
  if (piecesFor(piece, performance.now())) waiting.add(piece);
  askForMore();
}

function goOn(): void {
  const began = performance.now();
  for (const piece of waiting) {
    if (!piecesFor(piece, began)) waiting.delete(piece);
    if (performance.now() - began >= FRAME_MS) break;
  }
  askForMore();
}

/** Gives whether there is more. */
function piecesFor(piece: Piece, began: number): boolean {
  while (piece()) if (performance.now() - began >= FRAME_MS) return true;
  return false;
}

function askForMore(): void {
  if (waiting.size === 0) return;
  frame ??= new NextFrame(goOn);
  frame.ask();
}
