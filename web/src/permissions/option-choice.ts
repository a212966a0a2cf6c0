/** Which option a key means, and how an option is to be recognised. Pure. */
import type { PermissionOption, PermissionOptionKind } from "../contract";

export type AnswerKey = "y" | "a" | "n";

const MEANT: Record<AnswerKey, readonly PermissionOptionKind[]> = {
  y: ["allow_once"],
  a: ["allow_always"],
  n: ["reject_once", "reject_always"],
};

export function isAnswerKey(key: string): key is AnswerKey {
  return Object.hasOwn(MEANT, key);
}

/** The option that a key chooses: the first of the kinds that it means. A key never does more than it says. */
export function optionFor(
  options: readonly PermissionOption[],
  key: AnswerKey,
): PermissionOption | undefined {
  for (const kind of MEANT[key]) {
    const found = options.find((option) => option.kind === kind);
    if (found) return found;
  }
  return undefined;
}

/** The key of an option, where it is the one that the key chooses. */
export function keyOf(options: readonly PermissionOption[], option: PermissionOption): AnswerKey | undefined {
  const keys: AnswerKey[] = ["y", "a", "n"];
  return keys.find((key) => optionFor(options, key) === option);
}

export function allows(kind: PermissionOptionKind): boolean {
  return kind === "allow_once" || kind === "allow_always";
}
