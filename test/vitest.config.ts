import { fileURLToPath } from "node:url";
import { defineConfig, type ViteUserConfig } from "vitest/config";

const src = (path: string): string => fileURLToPath(new URL(`../src/${path}`, import.meta.url));

/** The suites of the Postgres store, which `npm run program -- postgres` runs on a server. */
const needsServer =
  process.env["POSTGRES_URL"] === undefined ? ["adapters/postgres/order-store.test.ts"] : [];

/**
 * Four projects. `sources` runs on the sources directly, and so does `long` (`*.long.test.ts`): campaigns, processes,
 * whole tables, and other files that take seconds. `built` (`*.built.test.ts`) needs what a script builds, above all the package in dist/, which its global
 * set-up builds if a source is newer. The files of these share the modules of their process, since loading them again for
 * each file took longer than a quarter of all tests. `alone` (`*.alone.test.ts`) replaces a module or measures
 * memory, and so has a separate process for each file. `npm test` runs `sources` and `alone`, `npm run test:rest` the others.
 */
const config: ViteUserConfig = defineConfig({
  cacheDir: fileURLToPath(new URL("../node_modules/.vite", import.meta.url)),
  resolve: {
    alias: [
      { find: "#hmac", replacement: src("signing/hmac-node.ts") },
      { find: "#socket", replacement: src("client/socket-node.ts") },
      {
        find: /^managed-orders\/(memory|sqlite|postgres|lmdb|venue-http|node)$/,
        replacement: `${src("adapters")}/$1/index.ts`,
      },
      {
        find: /^managed-orders\/(client|cluster|conformance|engine|ports|rules|service|signing|simulator|store)$/,
        replacement: `${src("")}$1/index.ts`,
      },
      { find: /^managed-orders$/, replacement: src("index.ts") },
    ],
  },
  test: {
    root: fileURLToPath(new URL(".", import.meta.url)),
    setupFiles: [fileURLToPath(new URL("support/property-sizes.ts", import.meta.url))],
    // No test ends for want of a processor.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    expect: { poll: { timeout: 300_000, interval: 20 } },
    pool: "forks",
    maxWorkers: 2,
    projects: [
      {
        extends: true,
        test: {
          name: "sources",
          include: ["**/*.test.ts"],
          exclude: ["**/*.{alone,built,long}.test.ts", "**/node_modules/**", ...needsServer],
          isolate: false,
        },
      },
      { extends: true, test: { name: "long", include: ["**/*.long.test.ts"], isolate: false } },
      { extends: true, test: { name: "alone", include: ["**/*.alone.test.ts"] } },
      {
        extends: true,
        test: {
          name: "built",
          include: ["**/*.built.test.ts"],
          isolate: false,
          globalSetup: [fileURLToPath(new URL("support/global-setup.ts", import.meta.url))],
        },
      },
    ],
  },
});

export default config;
