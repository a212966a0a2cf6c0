/** Draws blocks: each one is one element, which is changed in place while the block grows. */
import type { Token, Tokens } from "marked";
import { element } from "../dom/dom";
import type { CodeChunks } from "./code-chunks";
import { FenceView } from "./fence-view";
import { type Inline, syncInlines } from "./inline-view";
import { ListBlock } from "./list-view";
import { TableBlock } from "./table-view";

export interface Block {
  readonly node: HTMLElement;
  /** Changes to another state of the block, or says that it needs another element. */
  update(token: Token): boolean;
  /** Nothing will change any more. */
  complete(): void;
}

/** A block with what it was drawn from. */
export type Drawn = { type: string; source: string; block: Block };

/** Makes the blocks of a parent those of the tokens. `drawn` are its last children; without a parent, new ones are placed by others. */
export function syncBlocks(parent: Element | undefined, drawn: Drawn[], tokens: Token[]): void {
  const wanted = tokens.filter(isDrawn);
  for (const [at, token] of wanted.entries()) {
    const old = drawn[at];
    const source = sourceOf(token);
    if (old?.type === token.type && (old.source === source || old.block.update(token))) {
      old.source = source;
      continue;
    }
    const block = blockOf(token);
    if (old) old.block.node.replaceWith(block.node);
    else parent?.append(block.node);
    drawn[at] = { type: token.type, source, block };
  }
  for (const old of drawn.splice(wanted.length)) old.block.node.remove();
}

export function isDrawn(token: Token): boolean {
  return token.type !== "space" && token.type !== "def" && token.type !== "checkbox";
}

/** Lines that marked takes into a paragraph later can be the same and mean another text. */
function sourceOf(token: Token): string {
  return "text" in token ? `${token.raw}\0${token.text}` : token.raw;
}

function blockOf(token: Token): Block {
  switch (token.type) {
    case "heading":
      return new HeadingBlock(token as Tokens.Heading);
    case "code":
      return new CodeBlock(token as Tokens.Code);
    case "blockquote":
      return new QuoteBlock(token as Tokens.Blockquote);
    case "list":
      return new ListBlock(token as Tokens.List);
    case "table":
      return new TableBlock(token as Tokens.Table);
    case "hr":
      return new RuleBlock();
    default:
      return new TextBlock(token);
  }
}

class TextBlock implements Block {
  readonly node = element("p");
  private readonly pieces: Inline[] = [];

  constructor(token: Token) {
    this.update(token);
  }

  update(token: Token): boolean {
    const inlines = "tokens" in token ? token.tokens : undefined;
    syncInlines(this.node, this.pieces, inlines ?? [{ type: "text", raw: token.raw, text: token.raw }]);
    return true;
  }

  complete(): void {}
}

/** The page has its own first and second level; what an agent calls its first is below them. */
const HEADINGS = ["h3", "h4", "h5", "h6"] as const;

class HeadingBlock implements Block {
  readonly node: HTMLElement;
  private readonly pieces: Inline[] = [];

  constructor(private readonly token: Tokens.Heading) {
    this.node = element(HEADINGS[token.depth - 1] ?? "h6", `heading-${token.depth}`);
    this.update(token);
  }

  update(token: Token): boolean {
    const heading = token as Tokens.Heading;
    if (heading.depth !== this.token.depth) return false;
    syncInlines(this.node, this.pieces, heading.tokens);
    return true;
  }

  complete(): void {}
}

class RuleBlock implements Block {
  readonly node = element("hr");

  update(): boolean {
    return true;
  }

  complete(): void {}
}

class QuoteBlock implements Block {
  readonly node = element("blockquote");
  private readonly drawn: Drawn[] = [];

  constructor(token: Tokens.Blockquote) {
    this.update(token);
  }

  update(token: Token): boolean {
    syncBlocks(this.node, this.drawn, (token as Tokens.Blockquote).tokens);
    return true;
  }

  complete(): void {
    for (const { block } of this.drawn) block.complete();
  }
}

export class CodeBlock implements Block {
  readonly node: HTMLElement;
  private readonly fence: FenceView;

  constructor(private readonly token: Tokens.Code) {
    this.fence = new FenceView(token.lang ?? "");
    this.fence.code.append(token.text);
    this.node = this.fence.root;
  }

  get code(): CodeChunks {
    return this.fence.code;
  }

  update(token: Token): boolean {
    const { lang, text } = token as Tokens.Code;
    const shown = this.fence.code.text;
    if (lang !== this.token.lang || !text.startsWith(shown)) return false;
    this.fence.code.append(text.slice(shown.length));
    return true;
  }

  complete(): void {
    this.fence.complete();
  }
}
