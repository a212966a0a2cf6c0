import { expect, test } from "vitest";
import { addable, lostWords, sizeWords } from "../src/compose/image-rules";

const MB = 1024 * 1024;

function image(name: string, size = 10, type = "image/png") {
  return { name, size, type };
}

test("images are taken up to what the server takes, and the others are told with the reason", () => {
  const { taken, refusals } = addable(
    [image("here", 15 * MB)],
    [image("small"), image("large", 6 * MB), image("notes.txt", 1, "text/plain")],
  );
  expect(taken.map(({ name }) => name)).toEqual(["small"]);
  expect(refusals).toEqual([
    "large is too large: a message takes 20 MB of images.",
    "notes.txt is no PNG, JPEG, GIF or WebP image.",
  ]);
});

test("a message takes only so many", () => {
  const many = Array.from({ length: 33 }, (_, at) => image(`i${at}`));
  expect(addable([], many).taken).toHaveLength(32);
});

test("sizes and losses are told in words", () => {
  expect([sizeWords(12), sizeWords(2048), sizeWords(1.5 * MB)]).toEqual(["12 B", "2 KB", "1.5 MB"]);
  expect(lostWords(1)).toBe("An image of this draft went with a reload. Add it again.");
  expect(lostWords(2)).toContain("2 images");
});
