/** Which images a message can take, told before anything is sent. Pure. */

/** What the server passes on. */
export const IMAGE_TYPES = ["image/png", "image/jpeg", "image/gif", "image/webp"];
/** All of a message together, as the server counts them. */
const MOST_BYTES = 20 * 1024 * 1024;
const MOST_IMAGES = 32;

export type ImageFile = Pick<File, "name" | "type" | "size">;

/** Which of these can be added to those that are there, and what is said of the others. */
export function addable<T extends ImageFile>(
  present: ImageFile[],
  added: T[],
): { taken: T[]; refusals: string[] } {
  const taken: T[] = [];
  const refusals: string[] = [];
  for (const file of added) {
    const refusal = refusalOf([...present, ...taken], file);
    if (refusal === undefined) taken.push(file);
    else refusals.push(refusal);
  }
  return { taken, refusals };
}

function refusalOf(present: ImageFile[], file: ImageFile): string | undefined {
  if (!IMAGE_TYPES.includes(file.type)) return `${file.name} is no PNG, JPEG, GIF or WebP image.`;
  if (present.length >= MOST_IMAGES) return `A message takes at most ${MOST_IMAGES} images.`;
  const all = [...present, file].reduce((sum, { size }) => sum + size, 0);
  if (all > MOST_BYTES) return `${file.name} is too large: a message takes 20 MB of images.`;
  return undefined;
}

export function sizeWords(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  const kilobytes = bytes / 1024;
  return kilobytes < 1024 ? `${Math.round(kilobytes)} KB` : `${(kilobytes / 1024).toFixed(1)} MB`;
}

/** What a reload took away, in words. */
export function lostWords(count: number): string {
  const images = count === 1 ? "An image" : `${count} images`;
  return `${images} of this draft went with a reload. Add ${count === 1 ? "it" : "them"} again.`;
}
