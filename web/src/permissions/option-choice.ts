/** Which option a key means, and how an option is to be recognised. Pure. */
import type { PermissionOption, PermissionOptionKind } from "../contract";

/** By what they mean, and by their place: an agent may offer several of one kind. */
export type AnswerLetter = "y" | "a" | "n";
export type AnswerDigit = (typeof DIGITS)[number];
export type AnswerKey = AnswerLetter | AnswerDigit;

const DIGITS = ["1", "2", "3", "4", "5", "6", "7", "8", "9"] as const;

const MEANT: Record<AnswerLetter, readonly PermissionOptionKind[]> = {
  y: ["allow_once"],
  a: ["allow_always"],
  n: ["reject_once", "reject_always"],
};

export function isAnswerKey(key: string): key is AnswerKey {
  return isLetter(key) || DIGITS.some((digit) => digit === key);
}

function isLetter(key: string): key is AnswerLetter {
  return Object.hasOwn(MEANT, key);
}

/** The option that a key chooses: the one in its place, or the first of the kinds that it means. A key never does more than it says. */
export function optionFor(
  options: readonly PermissionOption[],
  key: AnswerKey,
): PermissionOption | undefined {
  if (!isLetter(key)) return options[Number(key) - 1];
  for (const kind of MEANT[key]) {
    const found = options.find((option) => option.kind === kind);
    if (found) return found;
  }
  return undefined;
}

/** The keys that choose an option; the first one is shown with it. */
export function keysOf(options: readonly PermissionOption[], option: PermissionOption): AnswerKey[] {
  const keys: AnswerKey[] = ["y", "a", "n", ...DIGITS];
  return keys.filter((key) => optionFor(options, key) === option);
}

export function allows(kind: PermissionOptionKind): boolean {
  return kind === "allow_once" || kind === "allow_always";
}
