/**
 * Runs of quiet calls as one row: "Read 7 files".
 *
 * Only calls that are done, of one kind that changes nothing, and only once something else has followed them: what is at work, has
 * failed or may still go on is not folded away from someone who watches it. Pure.
 */
import type { ItemId, Seq, ToolKind } from "../contract";
import { kindOf } from "../items/tool-kind";
import { toolState } from "../items/tool-text";
import type { Item, Timeline } from "./timeline";
import type { Row } from "./timeline-rows";

/** Named by its last item: an older page may put more before the others. */
export type GroupRow = { kind: "group"; id: ItemId; members: ItemId[]; at: Seq };
export type ShownRow = Row | GroupRow;

const QUIET: ReadonlySet<ToolKind> = new Set(["read", "search", "fetch"]);
const LEAST = 2;

type Known = {
  items: Pick<ReadonlyMap<ItemId, Item>, "get">;
  turns: Pick<Timeline["turns"], "get">;
};

/** `isHeld`: whether a reader is at an item, so that it must stay as it is. */
export function grouped(rows: Row[], known: Known, isHeld: (itemId: ItemId) => boolean): ShownRow[] {
  const shown: ShownRow[] = [];
  for (let from = 0; from < rows.length; ) {
    const kind = quietKind(rows[from], known.items);
    let to = from + 1;
    while (kind !== undefined && quietKind(rows[to], known.items) === kind) to += 1;
    const run = rows.slice(from, to);
    shown.push(
      ...(kind !== undefined && isFollowed(rows[to], known) ? folded(run, known.items, isHeld) : run),
    );
    from = to;
  }
  return shown;
}

/** The done ones of a run that stand together. */
function folded(run: Row[], items: Known["items"], isHeld: (itemId: ItemId) => boolean): ShownRow[] {
  const shown: ShownRow[] = [];
  let together: Row[] = [];
  const close = () => {
    shown.push(...(together.length < LEAST ? together : [groupOf(together)]));
    together = [];
  };
  for (const row of run) {
    if (isDone(items.get(row.id)) && !isHeld(row.id)) together.push(row);
    else {
      close();
      shown.push(row);
    }
  }
  close();
  return shown;
}

/** Where a row begins: a group stands at its last item. */
export function placeBegins(row: ShownRow, { items }: Known): Seq {
  const [first = ""] = row.kind === "group" ? row.members : [];
  return items.get(first)?.position ?? row.at;
}

/** Whether a change of it may be what makes a group. */
export function mayBeGrouped(item: Item): boolean {
  return item.type === "tool_call" && QUIET.has(kindOf(item)) && isDone(item);
}

function groupOf(rows: Row[]): GroupRow {
  const last = rows.at(-1);
  return { kind: "group", id: last?.id ?? "", members: rows.map(({ id }) => id), at: last?.at ?? 0 };
}

function quietKind(row: Row | undefined, items: Known["items"]): ToolKind | undefined {
  const item = row?.kind === "item" ? items.get(row.id) : undefined;
  if (item?.type !== "tool_call") return undefined;
  const kind = kindOf(item);
  return QUIET.has(kind) ? kind : undefined;
}

function isDone(item: Item | undefined): boolean {
  return (
    item?.type === "tool_call" && toolState(item) === "done" && item.truncated === undefined && !item.diff
  );
}

/** The line of a turn that runs stands at the end whatever comes: it follows nothing. */
function isFollowed(next: Row | undefined, { turns }: Known): boolean {
  if (!next) return false;
  return next.kind === "item" || turns.get(next.id)?.ended !== undefined;
}
