/** What to show of blocks that are still being written. */
import type { Token, Tokens } from "marked";
import { lexBlocks } from "./block-lexer";
import { withoutHalves } from "./half-written";

/** The ticks that may become the end of a fence inside of an item or a quote. */
const HALF_FENCE = /(?<=\n)[ \t>]*[`~]+ *$/;

export function shownTokens(source: string, tokens: Token[]): Token[] {
  const shown = endsInCode(tokens) ? source.replace(HALF_FENCE, "") : withoutHalves(source);
  const changed = shown === source ? tokens : lexBlocks(shown);
  // A bare address is no link before it is whole: it would lead somewhere else with every letter.
  if (!/\s$/.test(source)) holdLastLink(changed);
  return changed;
}

function endsInCode(tokens: Token[]): boolean {
  const last = lastOf(tokens);
  if (last?.type === "list") return endsInCode((last as Tokens.List).items.at(-1)?.tokens ?? []);
  if (last?.type === "blockquote") return endsInCode((last as Tokens.Blockquote).tokens);
  return last?.type === "code" && (last.codeBlockStyle === "indented" || last.raw.includes("\n"));
}

/** Turns a bare address at the very end into text. Gives whether there was one. */
function holdLastLink(tokens: Token[]): boolean {
  const last = lastOf(tokens);
  if (!last) return false;
  if (last.type === "link" && last.autolink === true) {
    Object.assign(last, { type: "text", text: last.raw });
    return true;
  }
  const isHeld = childrenOf(last).some(
    (children, at, all) => at === all.length - 1 && holdLastLink(children),
  );
  // What is drawn is told apart by its source, and the same source will be drawn as a link.
  if (isHeld) last.raw += "\0";
  return isHeld;
}

function childrenOf(token: Token): Token[][] {
  if (token.type === "list") return (token as Tokens.List).items.map((item) => item.tokens);
  if (token.type === "table") return (token as Tokens.Table).rows.at(-1)?.map((cell) => cell.tokens) ?? [];
  return "tokens" in token && token.tokens ? [token.tokens] : [];
}

function lastOf(tokens: Token[]): Token | undefined {
  return tokens.findLast((token) => token.type !== "space");
}
