/** Which modes let an agent do everything without asking, as far as it says so. Pure. */
import type { ModeInfo, ModelInfo } from "../contract";
import type { Choice } from "../dom/option-list";

/** As agents call it, by letters alone. */
const WORDS = [
  "fullaccess",
  "bypass",
  "yolo",
  "dontask",
  "neverask",
  "withoutasking",
  "withoutapproval",
  "withoutpermission",
  "autoapprove",
  "automaticallyapprove",
  "skippermission",
  "dontprompt",
];
/** A mode that spares only the questions about edits is not one of them. */
const EDITS = /edit|changes files/i;
const MORE_THAN_EDITS = /command|run|tool|everything|\ball\b/i;

export function neverAsks({ modeId, name, description }: ModeInfo): boolean {
  if (saysSo(modeId) || saysSo(name)) return true;
  if (description === undefined || !saysSo(description)) return false;
  return !EDITS.test(description) || MORE_THAN_EDITS.test(description);
}

export function modeChoices(modes: ModeInfo[], current: string | undefined): Choice[] {
  return modes.map((mode) => {
    const isRisky = neverAsks(mode);
    const detail = mode.description ?? (isRisky ? "Never asks" : undefined);
    return {
      value: mode.modeId,
      name: mode.name,
      ...(detail !== undefined && { detail }),
      isRisky,
      isCurrent: mode.modeId === current,
    };
  });
}

/** The model in use may be one that is not offered: it is shown all the same. */
export function modelChoices(models: ModelInfo[], current: string | undefined): Choice[] {
  return models.map(({ modelId, name, description }) => ({
    value: modelId,
    name,
    ...(description !== undefined && { detail: description }),
    isCurrent: modelId === current,
  }));
}

function saysSo(text: string): boolean {
  const letters = text.toLowerCase().replace(/[^\p{Alphabetic}]/gu, "");
  return WORDS.some((word) => letters.includes(word));
}
