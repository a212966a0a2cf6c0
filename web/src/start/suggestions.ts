/** What to say first to an agent that somebody only tries. */
import type { CliType } from "../contract";
import { button, element } from "../dom/dom";

const OF_AGENT: Record<CliType, string[]> = {
  demo: ["help", "list files", "read README.md", "plan", "edit a file"],
};

export function suggestionsFor(cliType: CliType | undefined): string[] {
  return (cliType !== undefined && Object.hasOwn(OF_AGENT, cliType) && OF_AGENT[cliType]) || [];
}

export class Suggestions {
  readonly root = element("div", "suggestions");
  private shown = "";

  constructor(private readonly chosen: (text: string) => void) {
    this.render([]);
  }

  render(texts: string[]): void {
    this.root.hidden = texts.length === 0;
    const key = texts.join("\n");
    if (key === this.shown) return;
    this.shown = key;
    const buttons = texts.map((text) => button(text, "suggestion", () => this.chosen(text)));
    this.root.replaceChildren(element("span", "suggestions-label", "Try"), ...buttons);
  }
}
