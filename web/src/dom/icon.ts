/** Small pictures of one family: lines of one weight on a grid of 16, in the colour of the text beside them. */
const SVG = "http://www.w3.org/2000/svg";

const PATHS = {
  read: ["M4 2.5h5L12.5 6v7.5h-8.5z", "M9 2.5V6h3.5", "M6 9h4.5M6 11.25h3"],
  edit: ["M10.75 2.75l2.5 2.5-7.5 7.5-3 .5.5-3z", "M9.25 4.25l2.5 2.5"],
  delete: ["M3 4.5h10", "M6.25 4.5V3h3.5v1.5", "M4.5 4.5l.6 8.5h5.8l.6-8.5"],
  move: ["M2.5 8h10.5", "M9.5 4.5L13 8l-3.5 3.5"],
  search: ["M11 7a4 4 0 1 1-8 0 4 4 0 0 1 8 0z", "M10 10l3.25 3.25"],
  execute: ["M2.5 3.25h11v9.5h-11z", "M5 6.25L7 8.25l-2 2", "M8.5 10.25h2.5"],
  think: ["M8 2.5a3.75 3.75 0 0 0-2.25 6.75v1.5h4.5v-1.5A3.75 3.75 0 0 0 8 2.5z", "M6.5 13.25h3"],
  fetch: [
    "M13.5 8a5.5 5.5 0 1 1-11 0 5.5 5.5 0 0 1 11 0z",
    "M2.5 8h11",
    "M8 2.5c2 1.75 2.5 3.5 2.5 5.5S10 11.75 8 13.5C6 11.75 5.5 10 5.5 8S6 4.25 8 2.5z",
  ],
  other: ["M9.75 6.25a3 3 0 0 1 3.5-3.5L11.5 4.5l.25 1.25 1.25.25 1.75-1.75a3 3 0 0 1-4 3.75l-5 5-2-2z"],
  agent: [
    "M10.5 5.5a2.5 2.5 0 1 1-5 0 2.5 2.5 0 0 1 5 0z",
    "M3.25 13.25c.5-2.5 2.25-3.75 4.75-3.75s4.25 1.25 4.75 3.75",
  ],
  chevron: ["M6 4l4 4-4 4"],
  copy: ["M5.5 5.5h7.5v7.5h-7.5z", "M10.5 5.5V3H3v7.5h2.5"],
  link: [
    "M7 9.25a2.5 2.5 0 0 0 3.5 0l2-2a2.475 2.475 0 0 0-3.5-3.5l-.75.75",
    "M9 6.75a2.5 2.5 0 0 0-3.5 0l-2 2a2.475 2.475 0 0 0 3.5 3.5l.75-.75",
  ],
  alert: ["M8 2.75l5.75 10H2.25z", "M8 6.5v3M8 11.25v.25"],
} as const;

export type IconName = keyof typeof PATHS;

/** Beside words that say the same: nobody has to be told of it. */
export function icon(name: IconName): SVGSVGElement {
  const made = document.createElementNS(SVG, "svg");
  made.setAttribute("class", "icon");
  made.setAttribute("viewBox", "0 0 16 16");
  made.setAttribute("aria-hidden", "true");
  drawIcon(made, name);
  return made;
}

/** Makes it another picture. */
export function drawIcon(target: SVGSVGElement, name: IconName): void {
  if (target.dataset.icon === name) return;
  target.dataset.icon = name;
  target.replaceChildren(...PATHS[name].map(path));
}

function path(line: string): SVGPathElement {
  const made = document.createElementNS(SVG, "path");
  made.setAttribute("d", line);
  return made;
}
