/** Keeps what is typed while what was asked for is on its way: it is meant for that, and must neither be lost nor be written elsewhere. */

export function typeAhead(): { take(): string } {
  let typed = "";
  const pressed = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    if (event.key.length === 1) typed += event.key;
    else if (event.key === "Backspace") typed = typed.slice(0, -1);
    // It would choose something, but there is nothing to choose from yet; elsewhere it would send.
    else if (event.key !== "Enter") return;
    event.preventDefault();
    event.stopPropagation();
  };
  window.addEventListener("keydown", pressed, { capture: true });
  return {
    take: () => {
      window.removeEventListener("keydown", pressed, { capture: true });
      return typed;
    },
  };
}
