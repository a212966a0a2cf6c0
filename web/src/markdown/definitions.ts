/** Addresses that are defined somewhere in a text and named elsewhere, as in `[name]` and `[words][name]`. */
import { type Definitions, labelKey } from "./block-lexer";

const LABEL = /\[([^\][\n]{1,200})\]/g;

export function mentionsAny(source: string, definitions: Definitions): boolean {
  for (const [, label] of source.matchAll(LABEL)) if (definitions.has(labelKey(label ?? ""))) return true;
  return false;
}
