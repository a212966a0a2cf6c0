/** The kind of an agent in a few letters; its whole name is a tooltip and for those who listen. */
import type { CliType } from "../contract";
import { element, setText } from "../dom/dom";

const SHORT: Record<CliType, string> = { "claude-code": "CC", codex: "CX", demo: "DEMO", external: "EXT" };
const LETTERS = 3;

export function shortAgent(cliType: CliType): string {
  if (Object.hasOwn(SHORT, cliType)) return SHORT[cliType] ?? cliType;
  const initials = cliType.split(/[^A-Za-z0-9]+/).map((part) => part.slice(0, 1));
  const short = initials.length > 1 ? initials.join("") : cliType;
  return short.slice(0, LETTERS).toUpperCase();
}

export type AgentBadge = { root: HTMLElement; update(cliType: CliType): void };

export function agentBadge(): AgentBadge {
  const short = element("span", "");
  const whole = element("span", "for-listeners");
  short.ariaHidden = "true";
  const root = element("span", "agent-badge", short, whole);
  return {
    root,
    update(cliType) {
      setText(short, shortAgent(cliType));
      setText(whole, cliType);
      root.title = cliType;
      root.dataset.agent = cliType;
    },
  };
}
