/** Small drawings of lines, in the colour of the text around them. */
const SVG = "http://www.w3.org/2000/svg";

const PATHS = {
  add: "M8 3v10M3 8h10",
  archive: "M2.5 3h11v3h-11zM3.5 6v7h9V6M6.5 8.5h3",
  chevron: "M6 4l4 4-4 4",
  close: "M4 4l8 8M12 4l-8 8",
  menu: "M2.5 4h11M2.5 8h11M2.5 12h11",
  more: "M3.5 8h.01M8 8h.01M12.5 8h.01",
  muted: "M4 11.5V7a4 4 0 0 1 6.6-3M12 7v4.5H6M7 13.8h2M2.5 13.5l11-11",
  pin: "M5.5 2.5h5M6 2.5v4L4 9h8l-2-2.5v-4M8 9v4.5",
  search: "M7 2.5a4.5 4.5 0 1 0 0 9 4.5 4.5 0 0 0 0-9M10.3 10.3 13.5 13.5",
  sidebar: "M2.5 3h11v10h-11zM6.5 3v10",
  unarchive: "M2.5 3h11v3h-11zM3.5 6v7h9V6M8 11.5v-4M6.2 9.2 8 7.5l1.8 1.7",
} as const;

export type IconName = keyof typeof PATHS;

export function lineIcon(name: IconName): SVGSVGElement {
  const icon = document.createElementNS(SVG, "svg");
  icon.setAttribute("viewBox", "0 0 16 16");
  icon.setAttribute("aria-hidden", "true");
  icon.classList.add("line-icon");
  const path = document.createElementNS(SVG, "path");
  path.setAttribute("d", PATHS[name]);
  icon.append(path);
  return icon;
}

/** A button that shows only a drawing; its name is for tooltips and for those who do not see it. */
export function iconButton(icon: IconName, className: string, pressed: () => void): HTMLButtonElement {
  const made = document.createElement("button");
  made.type = "button";
  made.className = `icon-button ${className}`.trim();
  made.append(lineIcon(icon));
  made.addEventListener("click", pressed);
  return made;
}

export function nameButton(target: HTMLElement, name: string): void {
  if (target.title === name) return;
  target.title = name;
  target.setAttribute("aria-label", name);
}
