/** Whether an element is there for someone to use; what lies behind something else on purpose is not. */
export function isInSight(one: HTMLElement): boolean {
  return one.checkVisibility({ visibilityProperty: true }) && one.closest("[inert]") === null;
}
