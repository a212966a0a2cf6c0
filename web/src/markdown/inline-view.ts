/** Draws what stands inside of a block: text, emphasis, code, links. What did not change keeps its node. */
import type { Token, Tokens } from "marked";
import { element } from "../dom/dom";
import { growText } from "../items/text-growth";
import { inertText } from "../text/inert-text";
import { visibleLine } from "../text/visible-text";
import { type Address, addressOf } from "./address";
import { decodeEntities } from "./entities";

/** One piece and its one node. */
export type Inline = { type: string; raw: string; node: Text | HTMLElement; children?: Inline[] };

const MARKS = { strong: "strong", em: "em", del: "s" } as const;

/** Makes the pieces of a parent those of the tokens. `pieces` are its last children. */
export function syncInlines(parent: Element, pieces: Inline[], tokens: Token[], isInLink = false): void {
  const wanted = tokens.filter((token) => token.type !== "checkbox");
  for (const [at, token] of wanted.entries()) {
    const piece = pieces[at];
    if (piece && isSame(piece, token)) continue;
    if (piece && grown(piece, token, isInLink)) continue;
    const made = inline(token, isInLink);
    if (piece) piece.node.replaceWith(made.node);
    else parent.append(made.node);
    pieces[at] = made;
  }
  for (const piece of pieces.splice(wanted.length)) piece.node.remove();
}

/** The nodes of a line of text. */
export function inlineNodes(tokens: Token[]): Node[] {
  return tokens.map((token) => inline(token, false).node);
}

function isSame(piece: Inline, token: Token): boolean {
  return piece.type === token.type && piece.raw === token.raw;
}

/** Whether the piece could be changed in place. */
function grown(piece: Inline, token: Token, isInLink: boolean): boolean {
  if (piece.type !== token.type) return false;
  if (token.type === "text" && piece.node instanceof Text) growText(piece.node, textOf(token, isInLink));
  else if (token.type in MARKS && piece.children && piece.node instanceof Element)
    syncInlines(piece.node, piece.children, childrenOf(token), isInLink);
  else return false;
  piece.raw = token.raw;
  return true;
}

function inline(token: Token, isInLink: boolean): Inline {
  const { type, raw } = token;
  switch (type) {
    case "strong":
    case "em":
    case "del": {
      const node = element(MARKS[type]);
      const children: Inline[] = [];
      syncInlines(node, children, childrenOf(token), isInLink);
      return { type, raw, node, children };
    }
    case "codespan":
      return { type, raw, node: element("code", "", shownText(token.text, isInLink)) };
    case "br":
      return { type, raw, node: element("br") };
    case "link":
    case "image":
      return {
        type,
        raw,
        node: isInLink ? element("span", "", visibleLine(raw)) : link(token as Tokens.Link),
      };
    default:
      return { type, raw, node: document.createTextNode(textOf(token, isInLink)) };
  }
}

function link(token: Tokens.Link | Tokens.Image): HTMLElement {
  const isImage = token.type === "image";
  const address = decodeEntities(token.href);
  const target = addressOf(address);
  const made = target ? anchor(target) : element("span", "unlinked");
  if (isImage) made.classList.add("image-link");
  syncInlines(made, [], childrenOf(token), true);
  const name = made.textContent ?? "";
  if (name.trim() === "") made.append(isImage ? "image" : "link");
  const suffix = target ? hostSuffix(target, name) : visibleLine(address);
  const words = [isImage ? "image" : "", suffix === name ? "" : suffix].filter((word) => word !== "");
  if (words.length > 0) made.append(element("span", "link-host", words.join(" · ")));
  return made;
}

function anchor(target: Address): HTMLAnchorElement {
  const made = element("a");
  made.href = target.href;
  made.target = "_blank";
  made.rel = "noopener noreferrer";
  made.title = visibleLine(target.href);
  return made;
}

/** A link says where it leads, unless that is all it says. */
function hostSuffix(target: Address, name: string): string {
  return target.names.includes(name.trim()) ? "" : target.host;
}

function childrenOf(token: Token): Token[] {
  return ("tokens" in token ? token.tokens : undefined) ?? [];
}

function textOf(token: Token, isInLink: boolean): string {
  // Written tags and escaped characters are meant as they stand.
  const text = "text" in token ? token.text : token.raw;
  return shownText(token.type === "text" ? inertText(decodeEntities(text)) : text, isInLink);
}

/** Nothing in a link may hide or turn around what it says. */
function shownText(text: string, isInLink: boolean): string {
  return isInLink ? visibleLine(text.replaceAll("\n", " ")) : text;
}
