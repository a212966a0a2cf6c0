import fc from "fast-check";
import { expect, test } from "vitest";
import { growText, growth } from "../src/items/text-growth";

/** A text node that tells how it was changed. */
class RecordedText {
  readonly calls: string[] = [];
  private text = "";

  get data(): string {
    return this.text;
  }

  set data(text: string) {
    this.calls.push("replace");
    this.text = text;
  }

  appendData(text: string): void {
    this.calls.push("append");
    this.text += text;
  }
}

test("text that continues is appended", () => {
  expect(growth("Hello", "Hello world")).toEqual({ kind: "append", suffix: " world" });
});

test("the first text is appended to nothing", () => {
  expect(growth("", "Hello")).toEqual({ kind: "append", suffix: "Hello" });
});

test("equal text changes nothing", () => {
  expect(growth("Hello", "Hello")).toEqual({ kind: "same" });
});

test.each([
  ["Hello world", "Hello"],
  ["Hello", "Howdy"],
])("%j is replaced by %j", (shown, content) => {
  expect(growth(shown, content)).toEqual({ kind: "replace", content });
});

test("a node shows the last text, and is never rewritten while text only grows", () => {
  fc.assert(
    fc.property(fc.array(fc.string()), (parts) => {
      const node = new RecordedText();
      let content = "";
      for (const part of parts) {
        content += part;
        growText(node, content);
      }
      expect(node.data).toBe(content);
      expect(node.calls).not.toContain("replace");
    }),
  );
});

test("a node shows the last text whatever came before", () => {
  fc.assert(
    fc.property(fc.array(fc.string({ maxLength: 4 }), { minLength: 1 }), (contents) => {
      const node = new RecordedText();
      for (const content of contents) growText(node, content);
      expect(node.data).toBe(contents.at(-1));
    }),
  );
});
