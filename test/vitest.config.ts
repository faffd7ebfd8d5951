import { fileURLToPath } from "node:url";
import { defineConfig, type ViteUserConfig } from "vitest/config";

const src = (path: string): string => fileURLToPath(new URL(`../src/${path}`, import.meta.url));

/**
 * Two projects: `sources` runs on the sources as they are, `built` (`*.built.test.ts`) on the package in dist/,
 * which its global set-up builds when a source is newer. A run of source tests alone builds nothing.
 */
const config: ViteUserConfig = defineConfig({
  cacheDir: fileURLToPath(new URL("../node_modules/.vite", import.meta.url)),
  resolve: {
    alias: [
      { find: "#hmac", replacement: src("signing/hmac-node.ts") },
      { find: /^managed-orders\/(memory|sqlite|node)$/, replacement: `${src("adapters")}/$1/index.ts` },
      { find: /^managed-orders\/(.+)$/, replacement: `${src("")}$1/index.ts` },
      { find: /^managed-orders$/, replacement: src("index.ts") },
    ],
  },
  test: {
    root: fileURLToPath(new URL(".", import.meta.url)),
    testTimeout: 30_000,
    hookTimeout: 60_000,
    pool: "forks",
    maxWorkers: 2,
    projects: [
      {
        extends: true,
        test: { name: "sources", include: ["**/*.test.ts"], exclude: ["**/*.built.test.ts"] },
      },
      {
        extends: true,
        test: {
          name: "built",
          include: ["**/*.built.test.ts"],
          testTimeout: 120_000,
          hookTimeout: 120_000,
          globalSetup: [fileURLToPath(new URL("support/global-setup.ts", import.meta.url))],
        },
      },
    ],
  },
});

export default config;
