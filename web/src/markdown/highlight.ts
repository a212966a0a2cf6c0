/** Finds the colours of code with highlight.js. Loaded when the first code is whole, not with the page. */
import hljs from "highlight.js/lib/core";
import bash from "highlight.js/lib/languages/bash";
import c from "highlight.js/lib/languages/c";
import cpp from "highlight.js/lib/languages/cpp";
import csharp from "highlight.js/lib/languages/csharp";
import css from "highlight.js/lib/languages/css";
import diff from "highlight.js/lib/languages/diff";
import go from "highlight.js/lib/languages/go";
import ini from "highlight.js/lib/languages/ini";
import java from "highlight.js/lib/languages/java";
import javascript from "highlight.js/lib/languages/javascript";
import json from "highlight.js/lib/languages/json";
import python from "highlight.js/lib/languages/python";
import ruby from "highlight.js/lib/languages/ruby";
import rust from "highlight.js/lib/languages/rust";
import sql from "highlight.js/lib/languages/sql";
import typescript from "highlight.js/lib/languages/typescript";
import xml from "highlight.js/lib/languages/xml";
import yaml from "highlight.js/lib/languages/yaml";
import "./highlight.css";
import { languageNamed } from "./languages";
import type { Run } from "./runs";

const LANGUAGES = {
  bash,
  c,
  cpp,
  csharp,
  css,
  diff,
  go,
  ini,
  java,
  javascript,
  json,
  python,
  ruby,
  rust,
  sql,
  typescript,
  xml,
  yaml,
};

/** The scopes that have a colour; the first part of a name such as `title.function` counts. */
const COLOURED = new Set(
  `keyword built_in type literal number string regexp symbol comment doctag meta title attr attribute variable
   property tag name selector-tag selector-class selector-id addition deletion section`.split(/\s+/),
);

/** Takes what highlight.js finds as runs in place of HTML. */
class RunEmitter {
  readonly runs: Run[] = [];
  private readonly scopes: string[] = [];

  addText(text: string): void {
    if (text === "") return;
    const scope = this.scopes.findLast((name) => name !== "") ?? "";
    const last = this.runs.at(-1);
    if (last?.scope === scope) last.text += text;
    else this.runs.push({ text, scope });
  }

  startScope(name: string): void {
    const first = name.split(".", 1)[0] ?? "";
    this.scopes.push(COLOURED.has(first) ? first : "");
  }

  endScope(): void {
    this.scopes.pop();
  }

  openNode(name: string): void {
    this.startScope(name);
  }

  closeNode(): void {
    this.endScope();
  }

  __addSublanguage(emitter: RunEmitter): void {
    for (const { text, scope } of emitter.runs) {
      this.scopes.push(scope);
      this.addText(text);
      this.scopes.pop();
    }
  }

  finalize(): void {
    this.scopes.length = 0;
  }

  toHTML(): string {
    return "";
  }
}

for (const [name, language] of Object.entries(LANGUAGES)) hljs.registerLanguage(name, language);
hljs.configure({ __emitter: RunEmitter } as unknown as Parameters<typeof hljs.configure>[0]);

export function runsOf(text: string, name: string): Run[] {
  const language = languageNamed(name);
  if (language === undefined) return [{ text, scope: "" }];
  const result = hljs.highlight(text, { language, ignoreIllegals: true });
  const { runs } = result._emitter as unknown as RunEmitter;
  // Colours must never change what is said.
  return runs.map((run) => run.text).join("") === text ? runs : [{ text, scope: "" }];
}
