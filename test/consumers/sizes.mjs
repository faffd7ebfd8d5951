import { gzipSync } from "node:zlib";
import { build } from "esbuild";

/**
 * Pages by their imports, with the target of each in kB, minified and gzipped. The limits that a change must keep are in
 * test/package/browser.built.test.ts.
 */
const PAGES = [
  ["signing", 5, 'export { sign, signBody, signQuery, signSocketParameters } from "managed-orders/signing";'],
  ["REST client", 14, 'export { createClient } from "managed-orders/client";'],
  [
    "REST client with checks and preview",
    32,
    'export { createClient, localChecks, preview } from "managed-orders/client";',
  ],
  ["everything of managed-orders/client", 40, 'export * from "managed-orders/client";'],
];

/** Resolves to the size of each page, bundled for a browser in a project that has the package installed. */
export async function sizesIn(project) {
  return await Promise.all(
    PAGES.map(async ([page, target, contents]) => {
      const { outputFiles } = await build({
        stdin: { contents, resolveDir: project.folder },
        ...{ bundle: true, minify: true, write: false },
        ...{ platform: "browser", format: "esm", logLevel: "silent" },
      });
      return { page, target, kb: gzipSync(outputFiles[0].text).length / 1_000 };
    }),
  );
}
