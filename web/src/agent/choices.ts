/** The modes and models that can be chosen, as a list shows them. Pure. */
import type { ModeInfo, ModelInfo } from "../contract";
import type { Choice } from "../dom/option-list";

export function modeChoices(modes: ModeInfo[], current: string | undefined): Choice[] {
  return modes.map((mode) => {
    const detail = mode.description ?? (mode.neverAsks ? "Never asks" : undefined);
    return {
      value: mode.modeId,
      name: mode.name,
      ...(detail !== undefined && { detail }),
      isRisky: mode.neverAsks,
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
