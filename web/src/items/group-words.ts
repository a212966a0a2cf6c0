/** A run of quiet calls in words. */
import { counted } from "../text/amount-text";
import { lastPart } from "../text/short-path";
import { kindOf } from "./tool-kind";
import type { ToolItem } from "./tool-text";
import { pathsOf, toolWords } from "./tool-words";

/** What they did together, and what with. */
export function groupWords(calls: readonly ToolItem[]): { title: string; names: string } {
  const [first] = calls;
  switch (first && kindOf(first)) {
    case "read": {
      const paths = new Set(calls.flatMap(pathsOf));
      const names = [...paths].map(lastPart);
      return { title: `Read ${counted(Math.max(1, paths.size), "file")}`, names: listed(names) };
    }
    case "fetch":
      return { title: `Fetched ${counted(calls.length, "page")}`, names: listed(objects(calls)) };
    default:
      return { title: `Searched ${counted(calls.length, "time")}`, names: listed(objects(calls)) };
  }
}

function objects(calls: readonly ToolItem[]): string[] {
  return calls.map((call) => toolWords(call, "done").object || call.toolName);
}

function listed(names: string[]): string {
  return [...new Set(names)].join(", ");
}
