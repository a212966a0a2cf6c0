/** A ring that shows how full the agent's window is, with its number, and what the session has cost. */
import type { Usage } from "../contract";
import { element, setText } from "../dom/dom";
import { dollars } from "../text/amount-text";
import { fullness } from "./context-text";

const SVG = "http://www.w3.org/2000/svg";
/** Of a circle whose way around is 100. */
const RADIUS = "15.915";

export type Spent = { cost: number | undefined; isAll: boolean };

export class ContextGauge {
  readonly root = element("div", "gauge");
  private readonly ring = document.createElementNS(SVG, "svg");
  private readonly arc = circle("gauge-arc");
  private readonly percent = element("span", "gauge-percent");
  private readonly window = element("span", "gauge-window");
  private readonly words = element("span", "gauge-words");
  private readonly cost = element("span", "gauge-cost");

  constructor() {
    this.ring.setAttribute("class", "gauge-ring");
    this.ring.setAttribute("viewBox", "0 0 40 40");
    this.ring.setAttribute("aria-hidden", "true");
    this.ring.append(circle("gauge-track"), this.arc);
    this.words.append(this.ring, element("span", "gauge-text", this.percent, this.window));
    this.root.append(this.words, this.cost);
    this.show(undefined, { cost: undefined, isAll: true });
  }

  show(usage: Usage | undefined, { cost, isAll }: Spent): void {
    const full = fullness(usage);
    this.words.hidden = full === undefined;
    if (full) {
      this.root.dataset.step = full.step;
      this.arc.setAttribute("stroke-dasharray", `${(full.share * 100).toFixed(1)} 100`);
      setText(this.percent, full.percent);
      setText(this.window, ` ${full.window}`);
      this.words.title = full.exact;
    }
    const paid = dollars(cost);
    this.cost.hidden = paid === undefined;
    setText(this.cost, paid ?? "");
    this.cost.title = isAll
      ? "What the turns of this session have cost"
      : "What the turns that are loaded have cost";
    this.root.hidden = full === undefined && paid === undefined;
  }
}

function circle(className: string): SVGCircleElement {
  const made = document.createElementNS(SVG, "circle");
  for (const [name, value] of Object.entries({ class: className, cx: "20", cy: "20", r: RADIUS }))
    made.setAttribute(name, value);
  return made;
}
