/** A drawn text as lines of indented markup, to be read and compared. */
export function domText(node: Node, indent = ""): string {
  if (node instanceof Text) return `${indent}${JSON.stringify(node.data)}\n`;
  if (!(node instanceof Element)) return "";
  const attributes = [...node.attributes]
    .map(({ name, value }) => ` ${name}=${JSON.stringify(value)}`)
    .sort();
  const children = [...node.childNodes].map((child) => domText(child, `${indent}  `)).join("");
  return `${indent}<${node.localName}${attributes.join("")}>\n${children}`;
}
