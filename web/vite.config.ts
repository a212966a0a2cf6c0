import type { Plugin } from "vite";
import { defineConfig } from "vitest/config";

/** The server that `npm run dev` talks to. */
const server = process.env.LIMINAL_URL ?? "http://127.0.0.1:4870";

/**
 * Of marked only the lexer is used, but the file makes an instance of everything as it is loaded, which keeps all of it in the
 * page: a tenth of the first load. Without that instance the rest is dropped.
 */
function onlyTheLexer(): Plugin {
  const instance = /var \w+=new \w+;function \w+\(\w+,\w+\)\{return \w+\.parse\(.*?(?=export\{)/s;
  const names = /export\{[^}]*?([\w$]+ as Lexer)\b[^}]*?([\w$]+ as Tokenizer)\b[^}]*\}/;
  return {
    name: "only-the-lexer",
    transform(code, id) {
      if (!id.endsWith("/marked/lib/marked.esm.js")) return undefined;
      if (!instance.test(code) || !names.test(code)) this.error("marked is written in another way now");
      return { code: code.replace(instance, "").replace(names, "export{$1,$2}"), map: null };
    },
  };
}

export default defineConfig({
  plugins: [onlyTheLexer()],
  build: {
    outDir: "dist",
    target: ["chrome123", "firefox128", "safari17.5"],
    // The content security policy forbids inline scripts and styles, and the binary serves every file itself.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
  server: {
    proxy: {
      // The server refuses foreign origins, so the proxy speaks under the server's own.
      "/api": { target: server, changeOrigin: true, headers: { origin: server } },
      "/ws": { target: server, changeOrigin: true, ws: true, rewriteWsOrigin: true },
    },
  },
  test: {
    include: ["tests/**/*.test.ts"],
    environment: "node",
    // A busy machine is slow, and slowness is not what these tests judge.
    testTimeout: 60_000,
  },
});
