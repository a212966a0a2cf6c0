/** How much happened in the last two minutes, as a small drawing. */

const SVG = "http://www.w3.org/2000/svg";
export const BOX = { width: 96, height: 20 };
/** A glance a second is as much as is told. */
const MOST = 5;

/** The area under the steps, as the path of a drawing. Pure. */
export function sparkPath(steps: readonly number[]): string {
  const wide = BOX.width / Math.max(1, steps.length - 1);
  const points = steps.map((count, at) => {
    const high = (Math.min(count, MOST) / MOST) * (BOX.height - 2);
    return `${(at * wide).toFixed(1)} ${(BOX.height - 1 - high).toFixed(1)}`;
  });
  return `M0 ${BOX.height} L${points.join(" L")} L${BOX.width} ${BOX.height} Z`;
}

export type Sparkline = { root: SVGElement; update(steps: readonly number[]): void };

export function sparkline(): Sparkline {
  const root = document.createElementNS(SVG, "svg");
  root.setAttribute("class", "sparkline");
  root.setAttribute("viewBox", `0 0 ${BOX.width} ${BOX.height}`);
  root.setAttribute("preserveAspectRatio", "none");
  // What it shows is said in words beside it.
  root.setAttribute("aria-hidden", "true");
  const path = document.createElementNS(SVG, "path");
  root.append(path);
  let drawn = "";
  return {
    root,
    update(steps) {
      const next = sparkPath(steps);
      if (next === drawn) return;
      drawn = next;
      path.setAttribute("d", next);
    },
  };
}
