/**
 * Text that grows in place.
 *
 * A streaming message is delivered whole each time. Appending only what is new keeps the node, the reader's selection
 * and the layout of what was there before.
 */
export type Growth =
  | { kind: "same" }
  | { kind: "append"; suffix: string }
  | { kind: "replace"; content: string };

export function growth(shown: string, content: string): Growth {
  if (content === shown) return { kind: "same" };
  if (content.startsWith(shown)) return { kind: "append", suffix: content.slice(shown.length) };
  return { kind: "replace", content };
}

export function growText(node: Pick<Text, "data" | "appendData">, content: string): void {
  const change = growth(node.data, content);
  if (change.kind === "append") node.appendData(change.suffix);
  if (change.kind === "replace") node.data = change.content;
}
