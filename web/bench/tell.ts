/** What a measurement tells: a table for people, and bounds that are judged. */
import { test } from "@playwright/test";

export function tell(text: string): void {
  test.info().annotations.push({ type: "told", description: text });
}

export type Bound = { name: string; text: string; atMost: number; value: number; unit?: string };

export function judge({ name, text, atMost, value, unit = "" }: Bound): void {
  const verdict = value <= atMost ? "ok" : "MISSED";
  tell(`bound: ${name}: ${text}: at most ${atMost}${unit} (${value.toFixed(2)}${unit}): ${verdict}`);
}

export function table(headings: string[], rows: (string | number)[][]): string {
  const line = (cells: (string | number)[]) => `| ${cells.join(" | ")} |`;
  const rule = headings.map((_, at) => (at === 0 ? "---" : "---:"));
  return [line(headings), line(rule), ...rows.map((cells) => line(cells.map(shown)))].join("\n");
}

function shown(cell: string | number): string {
  return typeof cell === "number" ? cell.toFixed(Math.abs(cell) < 10 ? 2 : 1) : cell;
}

export function median(values: number[]): number {
  return quantile(values, 0.5);
}

export function p95(values: number[]): number {
  return quantile(values, 0.95);
}

function quantile(values: number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  if (sorted.length === 0) throw new Error("nothing was measured");
  const at = (sorted.length - 1) * part;
  const [low, high] = [sorted[Math.floor(at)] ?? 0, sorted[Math.ceil(at)] ?? 0];
  return low + (high - low) * (at - Math.floor(at));
}
