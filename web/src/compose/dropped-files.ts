/**
 * Files that are dragged over the page. Wherever nobody takes one the browser would open it in place of the page, with everything
 * that is being written there.
 */

export type DropPlace = {
  /** Whether it takes what is dropped on this. */
  takes(target: EventTarget | null): boolean;
  over(isOver: boolean): void;
  dropped(files: File[]): void;
};

export function watchDrops({ takes, over, dropped }: DropPlace): void {
  window.addEventListener("dragover", (event) => {
    if (!hasFiles(event)) return;
    const isTaken = takes(event.target);
    event.dataTransfer.dropEffect = isTaken ? "copy" : "none";
    over(isTaken);
  });
  window.addEventListener("dragleave", (event) => {
    if (event.relatedTarget === null) over(false);
  });
  window.addEventListener("drop", (event) => {
    if (!hasFiles(event)) return;
    over(false);
    if (takes(event.target)) dropped([...event.dataTransfer.files]);
  });
}

/** Then it is ours, whatever becomes of it. */
function hasFiles(event: DragEvent): event is DragEvent & { dataTransfer: DataTransfer } {
  const isOurs = event.dataTransfer?.types.includes("Files") === true;
  if (isOurs) event.preventDefault();
  return isOurs;
}
