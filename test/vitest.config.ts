import { fileURLToPath } from "node:url";
import { defineConfig, type ViteUserConfig } from "vitest/config";

const src = (path: string): string => fileURLToPath(new URL(`../src/${path}`, import.meta.url));

/**
 * Tests of the package that `npm test` runs: one process killed under load, the control interface, faults of the venue,
 * and what the package contains. `npm run test:built` runs all others.
 */
const BUILT_IN_SHORT = [
  "crash/rest-crash.built.test.ts",
  "package/published.built.test.ts",
  "sandbox/control.built.test.ts",
  "sandbox/venue-faults.built.test.ts",
];

const onPackage = {
  isolate: false,
  globalSetup: [fileURLToPath(new URL("support/global-setup.ts", import.meta.url))],
};

/**
 * Four projects. `sources` runs on the sources directly. `built` and `built-long` (`*.built.test.ts`) run on the package in
 * dist/, which their global set-up builds if a source is newer; a run of source tests alone builds nothing. The files of
 * these share the modules of their process, since loading them again for each file took longer than a quarter of all
 * tests. `mocked` (`*.mocked.test.ts`) replaces a module, and so has a separate process for each file.
 */
const config: ViteUserConfig = defineConfig({
  cacheDir: fileURLToPath(new URL("../node_modules/.vite", import.meta.url)),
  resolve: {
    alias: [
      { find: "#hmac", replacement: src("signing/hmac-node.ts") },
      { find: "#socket", replacement: src("client/socket-node.ts") },
      {
        find: /^managed-orders\/(memory|sqlite|postgres|venue-http|node)$/,
        replacement: `${src("adapters")}/$1/index.ts`,
      },
      {
        find: /^managed-orders\/(client|conformance|engine|ports|rules|service|signing|simulator)$/,
        replacement: `${src("")}$1/index.ts`,
      },
      { find: /^managed-orders$/, replacement: src("index.ts") },
    ],
  },
  test: {
    root: fileURLToPath(new URL(".", import.meta.url)),
    setupFiles: [fileURLToPath(new URL("support/property-sizes.ts", import.meta.url))],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    pool: "forks",
    maxWorkers: 2,
    projects: [
      {
        extends: true,
        test: {
          name: "sources",
          include: ["**/*.test.ts"],
          exclude: ["**/*.built.test.ts", "**/*.mocked.test.ts", "**/node_modules/**"],
          isolate: false,
        },
      },
      { extends: true, test: { name: "mocked", include: ["**/*.mocked.test.ts"] } },
      { extends: true, test: { name: "built", include: BUILT_IN_SHORT, ...onPackage } },
      {
        extends: true,
        test: {
          name: "built-long",
          include: ["**/*.built.test.ts"],
          exclude: [...BUILT_IN_SHORT, "**/node_modules/**"],
          ...onPackage,
        },
      },
    ],
  },
});

export default config;
