/** What is inside of a tool call's card: changes, command, steps of a subagent, output and arguments. */
import type { ItemId, ToolArguments } from "../contract";
import { copyButton } from "../dom/copyable";
import { button, element, setText } from "../dom/dom";
import { itemLink } from "../route";
import { visibleJson, visibleLine, visibleText } from "../text/visible-text";
import type { Family } from "../timeline/family";
import { diffView } from "./diff-view";
import type { ItemActions } from "./item-body";
import { NestedRows } from "./nested-rows";
import { OutputView } from "./output-view";
import { changesOf } from "./proposed-diff";
import { isSubagent, kindOf } from "./tool-kind";
import { type ToolItem, toolState } from "./tool-text";
import { commandOf } from "./tool-words";
import { wholeText } from "./whole-text";

export class ToolDetails {
  readonly root = element("div", "tool-details");
  private readonly diff = diffView();
  private readonly command = this.part("Command", "command", commandOf);
  private readonly prompt = this.part("Prompt", "prompt", ({ toolArguments }) =>
    textOf(toolArguments.prompt),
  );
  private readonly content = this.part("Content", "content", ({ toolArguments }) =>
    textOf(toolArguments.content),
  );
  private readonly nested: NestedRows;
  private readonly output: OutputView;
  private readonly toolArguments = this.part("Arguments", "arguments", argumentsOf);
  private readonly showArguments: HTMLButtonElement;
  private item: ToolItem;
  private drawn: ToolArguments | undefined;

  constructor(
    first: ToolItem,
    private readonly actions: ItemActions,
  ) {
    this.item = first;
    this.nested = new NestedRows(actions);
    // Of a command the end says most, of what is read or found the beginning. What was shortened has no end.
    const isTail = (kindOf(first) === "execute" || toolState(first) === "running") && !first.truncated;
    this.output = new OutputView(isTail ? "last lines" : "first lines", () =>
      this.whole(({ toolOutput }) => toolOutput ?? ""),
    );
    this.showArguments = button("Arguments", "quiet bare", () => this.toggleArguments());
    this.showArguments.setAttribute("aria-label", "Show arguments");
    this.toolArguments.root.hidden = !isOpenKind(first);
    const foot = element("footer", "tool-foot", this.showArguments, this.name(), this.linkButton());
    const { command, prompt, content, nested, output, toolArguments } = this;
    const parts = [command, prompt, content, nested, output, toolArguments].map(({ root }) => root);
    this.root.append(this.diff.root, ...parts, foot);
  }

  update(item: ToolItem, family: Family): void {
    this.item = item;
    const kind = kindOf(item);
    const { toolArguments, toolOutput } = item;
    const changes = changesOf(item);
    this.diff.update(changes);
    this.command.update(kind === "execute" ? commandOf(item) : "");
    this.prompt.update(isSubagent(item) ? textOf(toolArguments.prompt) : "");
    this.content.update(kind === "edit" && !changes ? textOf(toolArguments.content) : "");
    this.nested.update(item, family);
    // What an edit says of itself is seen in its changes already.
    const isSaid = changes !== undefined && toolState(item) === "done";
    this.output.update(isSaid ? undefined : toolOutput, item.toolOutputIsError === true);
    this.showArguments.hidden = Object.keys(toolArguments).length === 0;
    this.drawArguments();
  }

  private part(title: string, name: string, copied: (item: ToolItem) => string): CodePart {
    return codePart(title, name, () => this.whole(copied));
  }

  private whole(textOf: (item: ToolItem) => string): string | Promise<string> {
    return wholeText(this.item, this.actions, textOf);
  }

  reveal(itemId: ItemId): HTMLElement | undefined {
    return this.nested.reveal(itemId);
  }

  private toggleArguments(): void {
    this.toolArguments.root.hidden = !this.toolArguments.root.hidden;
    this.drawArguments();
  }

  private drawArguments(): void {
    const isShown = !this.toolArguments.root.hidden;
    this.showArguments.setAttribute("aria-expanded", String(isShown));
    if (!isShown || this.item.toolArguments === this.drawn) return;
    this.drawn = this.item.toolArguments;
    this.toolArguments.write(argumentsOf(this.item));
  }

  private name(): HTMLElement {
    return element("span", "tool-name", visibleLine(this.item.toolName));
  }

  private linkButton(): HTMLButtonElement {
    return copyButton("Copy link", () => itemLink(this.item.sessionId, this.item.itemId), "Link");
  }
}

type CodePart = {
  root: HTMLElement;
  /** Shows the text, or nothing where there is none. */
  update(text: string): void;
  /** Only changes the text. */
  write(text: string): void;
};

function codePart(title: string, part: string, copied: () => string | Promise<string>): CodePart {
  let shown = "";
  const code = element("pre", "code");
  code.tabIndex = 0;
  code.setAttribute("aria-label", title);
  const copy = copyButton(`Copy ${title.toLowerCase()}`, copied);
  const head = element("header", "tool-part-head", element("h3", "tool-part-title", title), copy);
  const root = element("section", "tool-part", head, code);
  root.dataset.part = part;
  root.hidden = true;
  const write = (text: string) => {
    if (text === shown) return;
    shown = text;
    setText(code, visibleText(text));
  };
  return {
    root,
    write,
    update(text) {
      root.hidden = text === "";
      write(text);
    },
  };
}

/** Of tools that nothing is known of, the arguments say most. */
function isOpenKind(item: ToolItem): boolean {
  return kindOf(item) === "other" && Object.keys(item.toolArguments).length > 0;
}

function argumentsOf({ toolArguments }: ToolItem): string {
  return Object.keys(toolArguments).length === 0 ? "" : visibleJson(toolArguments);
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}
