/** Draws a table in a box of its own, which scrolls if the table is wide. Whole rows are let go of. */
import type { Token, Tokens } from "marked";
import { element } from "../dom/dom";
import type { Block } from "./block-view";
import { type Inline, syncInlines } from "./inline-view";

export class TableBlock implements Block {
  readonly node = element("div", "table-box");
  private readonly body = element("tbody");
  private readonly head: string;
  private readonly rows: RowView[] = [];

  constructor(token: Tokens.Table) {
    this.head = headKey(token);
    const head = new RowView("th", token.header.length, token.align);
    head.update(token.header);
    this.node.append(element("table", "", element("thead", "", head.node), this.body));
    this.node.tabIndex = 0;
    this.node.setAttribute("role", "region");
    this.node.setAttribute("aria-label", "Table");
    this.update(token);
  }

  update(token: Token): boolean {
    const table = token as Tokens.Table;
    if (headKey(table) !== this.head) return false;
    for (const [at, cells] of table.rows.entries()) this.row(at, table).update(cells);
    for (const row of this.rows.splice(table.rows.length)) row.node.remove();
    return true;
  }

  release(count: number): void {
    this.rows.splice(0, count);
  }

  complete(): void {}

  /** Of those that were not let go of. */
  get drawnRows(): number {
    return this.rows.length;
  }

  private row(at: number, table: Tokens.Table): RowView {
    const old = this.rows[at];
    if (old) return old;
    const made = new RowView("td", table.header.length, table.align);
    this.body.append(made.node);
    this.rows.push(made);
    return made;
  }
}

class RowView {
  readonly node = element("tr");
  private readonly cells: { node: HTMLElement; raw: string; pieces: Inline[] }[];

  constructor(tag: "td" | "th", columns: number, align: Tokens.Table["align"]) {
    this.cells = Array.from({ length: columns }, (_, at) => {
      const node = element(tag, align[at] ? `align-${align[at]}` : "");
      if (tag === "th") node.setAttribute("scope", "col");
      this.node.append(node);
      return { node, raw: "", pieces: [] };
    });
  }

  update(cells: Tokens.TableCell[]): void {
    for (const [at, cell] of this.cells.entries()) {
      syncInlines(cell.node, cell.pieces, cells[at]?.tokens ?? []);
    }
  }
}

function headKey(token: Tokens.Table): string {
  return JSON.stringify([token.header.map((cell) => cell.text), token.align]);
}
