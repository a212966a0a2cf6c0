/** Text such as agents write it: prose, lists, code, tables. As long as wanted, and every part of it different. */

export function mixedMarkdown(length: number): string {
  let text = "";
  for (let part = 0; text.length < length; part += 1) text += section(part);
  return text.slice(0, length);
}

function section(part: number): string {
  return [
    `## Step ${part}`,
    prose(part),
    `- first **point** of ${part}\n- second, with \`code ${part}\`\n- [ ] a task that is open\n- [x] one that is done`,
    `\`\`\`rust\nfn step_${part}(input: &str) -> usize {\n    // Counts what is there.\n    input.split(' ').filter(|word| word.len() > ${part % 7}).count()\n}\n\`\`\``,
    prose(part + 1),
    `| name | value |\n|---|---:|\n| step | ${part} |\n| square | ${part * part} |`,
    "",
  ].join("\n\n");
}

function prose(part: number): string {
  const words = ["the", "session", "tells", "what", "it", "does", "and", "_why_", "step", "by", "step"];
  return Array.from({ length: 60 }, (_, at) => words[(at * (part + 3)) % words.length])
    .join(" ")
    .concat(".");
}
