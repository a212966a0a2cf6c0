/**
 * Splits Markdown into blocks and inline pieces with marked's lexer, made calm for text that is still being written.
 *
 * Whether a block has ended must follow from whole lines alone, whatever comes later: so there are no headings by
 * underlining (a rule below a text stays a rule), raw HTML is text, and a definition takes one line.
 */
import { Lexer, type MarkedOptions, type Token, Tokenizer, type Tokens } from "marked";

export type Definitions = ReadonlyMap<string, string>;

/** What is nested deeper is text: each level costs a pass over the text and some of the stack. */
const MOST_LEVELS = 12;
/** A paragraph beyond this is no prose; looking for the ends of so many signs would take long. */
const MOST_INLINE = 32 * 1024;
const MOST_SIGNS = 1_500;
const DEFINITION =
  /^ {0,3}\[([^\][\\\n]{1,200})\]: *(<[^<>\n]*>|[^\s<]\S*)(?: +(?:"[^"\n]*"|'[^'\n]*'))? *(?:\n|$)/;

class CalmTokenizer extends Tokenizer {
  private level = 0;

  override lheading(): undefined {}

  override html(): undefined {}

  override def(source: string): Tokens.Def | undefined {
    const [raw, label, address] = DEFINITION.exec(source) ?? [];
    if (raw === undefined || label === undefined || address === undefined) return undefined;
    return { type: "def", raw, tag: labelKey(label), href: address.replace(/^<(.*)>$/, "$1"), title: "" };
  }

  /** Without what marked remembers of tags: it would reach into the paragraphs that follow. */
  override tag(source: string): Tokens.Tag | undefined {
    const raw = this.rules.inline.tag.exec(source)?.[0];
    if (raw === undefined) return undefined;
    return { type: "html", raw, text: raw, block: false, inLink: false, inRawBlock: false };
  }

  /** One tilde means "about". */
  override del(source: string, masked: string, before = ""): Tokens.Del | undefined {
    return source.startsWith("~~") ? this.nested(() => super.del(source, masked, before)) : undefined;
  }

  override emStrong(source: string, masked: string, before = ""): Tokens.Em | Tokens.Strong | undefined {
    return this.nested(() => super.emStrong(source, masked, before));
  }

  override link(source: string): Tokens.Link | Tokens.Image | undefined {
    return this.nested(() => super.link(source));
  }

  override blockquote(source: string): Tokens.Blockquote | undefined {
    return this.nested(() => super.blockquote(source));
  }

  override list(source: string): Tokens.List | undefined {
    return this.nested(() => super.list(source));
  }

  private nested<T>(read: () => T): T | undefined {
    if (this.level >= MOST_LEVELS) return undefined;
    this.level += 1;
    try {
      return read();
    } finally {
      this.level -= 1;
    }
  }
}

export function labelKey(label: string): string {
  return label.trim().replace(/\s+/g, " ").toLowerCase();
}

/** Blocks with their inline pieces. References lead nowhere unless their definitions are given. */
export function lexBlocks(source: string, definitions: Definitions = new Map()): Token[] {
  const lexer = newLexer();
  const tokens = lexer.blockTokens(source, []);
  useDefinitions(lexer, definitions);
  for (const waiting of lexer.inlineQueue) {
    if (isNoProse(waiting.src)) waiting.tokens.push(plain(waiting.src));
    else lexer.inlineTokens(waiting.src, waiting.tokens);
  }
  return tokens;
}

/** One line of text without blocks. */
export function lexInline(source: string): Token[] {
  return isNoProse(source) ? [plain(source)] : newLexer().inlineTokens(source, []);
}

function isNoProse(text: string): boolean {
  if (text.length > MOST_INLINE) return true;
  return text.length > MOST_SIGNS && (text.match(/[*_~`[<]/g)?.length ?? 0) > MOST_SIGNS;
}

function newLexer(): Lexer {
  const options: MarkedOptions = {
    gfm: true,
    breaks: false,
    pedantic: false,
    tokenizer: new CalmTokenizer(),
  };
  return new Lexer(options);
}

function useDefinitions(lexer: Lexer, definitions: Definitions): void {
  const links: Lexer["tokens"]["links"] = Object.create(null);
  for (const [label, href] of definitions) links[label] = { href, title: null };
  lexer.tokens.links = links;
}

function plain(text: string): Tokens.Text {
  return { type: "text", raw: text, text };
}
