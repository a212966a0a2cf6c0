/** A ring that shows how full the agent's window is, with its number, and what the session has cost. */
import type { Usage } from "../contract";
import { element, setText } from "../dom/dom";
import { costWords, fullness } from "./context-text";

const SVG = "http://www.w3.org/2000/svg";
/** Of a circle whose way around is 100. */
const RADIUS = "15.915";

/**
 * What the turns that were read have cost: `isAll` if those are all. `hasEnded`: whether a turn is over, after which an agent that
 * tells what it uses would have.
 */
export type Spent = { cost: number | undefined; isAll: boolean; hasEnded: boolean };
export const NOTHING_SPENT: Spent = { cost: undefined, isAll: true, hasEnded: false };

const NO_CONTEXT = "This agent has not told how full its context is";
const NO_COST = "This agent has not told what its turns cost";

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
    this.show(undefined, NOTHING_SPENT);
  }

  show(usage: Usage | undefined, spent: Spent): void {
    const full = fullness(usage);
    this.words.hidden = full === undefined && !spent.hasEnded;
    this.root.dataset.step = full?.step ?? "unknown";
    this.arc.setAttribute("stroke-dasharray", `${((full?.share ?? 0) * 100).toFixed(1)} 100`);
    setText(this.percent, full?.percent ?? "Context");
    setText(this.window, ` ${full?.window ?? "unknown"}`);
    this.words.title = full?.exact ?? NO_CONTEXT;
    this.showCost(spent);
    this.root.hidden = this.words.hidden && this.cost.hidden;
  }

  private showCost({ cost, isAll, hasEnded }: Spent): void {
    const isUnknown = cost === undefined && hasEnded;
    const words = isUnknown ? "Cost unknown" : costWords(cost, isAll);
    this.cost.hidden = words === "";
    this.cost.dataset.known = String(!isUnknown);
    setText(this.cost, words);
    const told = isAll
      ? "What the turns of this session have cost"
      : "What the turns that were read here have cost; the others are not counted";
    this.cost.title = isUnknown ? NO_COST : told;
  }
}

function circle(className: string): SVGCircleElement {
  const made = document.createElementNS(SVG, "circle");
  for (const [name, value] of Object.entries({ class: className, cx: "20", cy: "20", r: RADIUS }))
    made.setAttribute(name, value);
  return made;
}
