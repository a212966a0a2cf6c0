/** How wide the sidebar may be, in pixels. Pure. */
export const DEFAULT_WIDTH = 260;
export const MIN_WIDTH = 220;
const MAX_WIDTH = 640;
/** The rest belongs to what is read. */
const MAX_SHARE = 0.6;
export const STEP = 16;

export function maxWidth(windowWidth: number): number {
  return Math.max(MIN_WIDTH, Math.min(MAX_WIDTH, Math.floor(windowWidth * MAX_SHARE)));
}

export function allowedWidth(width: number, windowWidth: number): number {
  return Math.round(Math.max(MIN_WIDTH, Math.min(width, maxWidth(windowWidth))));
}

/** What a key on the divider makes of a width; nothing for keys that mean nothing there. */
export function widthByKey(
  width: number,
  { key, shiftKey }: Pick<KeyboardEvent, "key" | "shiftKey">,
  windowWidth: number,
): number | undefined {
  const step = shiftKey ? 2 * STEP : STEP;
  if (key === "ArrowLeft") return allowedWidth(width - step, windowWidth);
  if (key === "ArrowRight") return allowedWidth(width + step, windowWidth);
  if (key === "Home") return MIN_WIDTH;
  if (key === "End") return maxWidth(windowWidth);
  return undefined;
}

export function readWidth(kept: unknown): number {
  return typeof kept === "number" && Number.isFinite(kept) ? kept : DEFAULT_WIDTH;
}
