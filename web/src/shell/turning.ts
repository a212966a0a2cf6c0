/**
 * Turns what tells that something runs. Left to itself the browser would draw sixty frames a second for it, all day: here it is moved
 * some times a second, and all of it together.
 */
const STEP_MS = 125;
/** Its name in the styles, where it stands still. */
const NAME = "turning";

let timer: ReturnType<typeof setInterval> | undefined;

/** Whatever begins to turn later is noticed. */
export function startTurning(): void {
  document.addEventListener("animationstart", ({ animationName }) => {
    if (animationName === NAME) timer ??= setInterval(turn, STEP_MS);
  });
  timer ??= setInterval(turn, STEP_MS);
}

function turn(): void {
  if (document.hidden) return;
  const turning = document.getAnimations().filter(isTurning);
  for (const animation of turning.filter(isInSight)) animation.currentTime = performance.now();
  if (turning.length > 0) return;
  clearInterval(timer);
  timer = undefined;
}

function isTurning(animation: Animation): boolean {
  return "animationName" in animation && animation.animationName === NAME;
}

/** What rests out of sight keeps what it had, also what has ended since; moving it would draw a frame that changes nothing. */
function isInSight({ effect }: Animation): boolean {
  const turned = effect instanceof KeyframeEffect ? effect.target : null;
  return turned?.checkVisibility({ contentVisibilityAuto: true }) ?? false;
}
