/** The languages that get colours, by the names that are written behind the ticks. */
const NAMES = new Map(
  Object.entries({
    bash: "bash sh shell zsh console",
    c: "c h",
    cpp: "cpp c++ cc cxx hpp",
    csharp: "csharp cs c#",
    css: "css",
    diff: "diff patch",
    go: "go golang",
    ini: "ini toml",
    java: "java",
    javascript: "javascript js jsx mjs cjs",
    json: "json jsonc json5",
    python: "python py",
    ruby: "ruby rb",
    rust: "rust rs",
    sql: "sql",
    typescript: "typescript ts tsx mts cts",
    xml: "xml html svg vue",
    yaml: "yaml yml",
  }).flatMap(([language, names]) => names.split(" ").map((name) => [name, language] as const)),
);

export function isKnownLanguage(name: string): boolean {
  return NAMES.has(name);
}

/** The name under which highlight.js knows it. */
export function languageNamed(name: string): string | undefined {
  return NAMES.get(name);
}
