/** Shows preferences: as attributes of the document, which the tokens of the styles follow. */
import { KEPT_AS, type PreferenceStore, type Preferences } from "./preferences";

/** What the system asks for where nothing else was chosen. */
export type SystemWishes = { moreContrast: boolean; lessMotion: boolean };

export function attributesOf(
  { theme, contrast, textSize, density, motion }: Preferences,
  { moreContrast, lessMotion }: SystemWishes,
): Record<string, string> {
  return {
    theme,
    contrast: moreContrast ? "high" : contrast,
    textSize,
    density,
    motion: lessMotion ? "reduced" : motion,
  };
}

/** From now on the page looks as is preferred, also when that changes in another tab or in the system. */
export function applyPreferences(preferences: PreferenceStore): void {
  const contrast = matchMedia("(prefers-contrast: more)");
  const motion = matchMedia("(prefers-reduced-motion: reduce)");
  const apply = () => {
    const wishes = { moreContrast: contrast.matches, lessMotion: motion.matches };
    Object.assign(document.documentElement.dataset, attributesOf(preferences.all, wishes));
  };
  preferences.follow(apply);
  for (const query of [contrast, motion]) query.addEventListener("change", apply);
  window.addEventListener("storage", (event) => {
    // Without a key everything was taken away.
    if (event.key === KEPT_AS || event.key === null) preferences.changedElsewhere(event.newValue);
  });
}
