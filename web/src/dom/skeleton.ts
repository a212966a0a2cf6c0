/** The shape of what is about to come. */
import { element } from "./dom";

/** `kind` says of what: a list, what was said, or boxes beside each other. */
export type SkeletonKind = "list" | "talk" | "cards" | "tiles";

const BLOCKS: Record<SkeletonKind, number> = { list: 6, talk: 3, cards: 2, tiles: 6 };

/** `name` is for those who do not see it. */
export function skeleton(name: string, kind: SkeletonKind = "list"): HTMLElement {
  const blocks = Array.from({ length: BLOCKS[kind] }, () => {
    return element("div", "skeleton-row", element("span", "skeleton-line"), element("span", "skeleton-line"));
  });
  const first = kind === "list" ? [element("span", "skeleton-line skeleton-name")] : [];
  const root = element("div", "skeleton", ...first, ...blocks);
  root.dataset.kind = kind;
  root.role = "img";
  root.ariaLabel = name;
  return root;
}
