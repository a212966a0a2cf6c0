import { defineConfig } from "vitest/config";

/** The server that `npm run dev` talks to. */
const server = process.env.LIMINAL_URL ?? "http://127.0.0.1:4870";

export default defineConfig({
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
