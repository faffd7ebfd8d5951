import { gzipSync } from "node:zlib";
import { build } from "esbuild";

/** Pages by their imports, with the most that each may weigh in kB, minified and gzipped. */
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
    PAGES.map(async ([page, most, contents]) => {
      const { outputFiles } = await build({
        stdin: { contents, resolveDir: project.folder },
        ...{ bundle: true, minify: true, write: false },
        ...{ platform: "browser", format: "esm", logLevel: "silent" },
      });
      return { page, most, kb: gzipSync(outputFiles[0].text).length / 1_000 };
    }),
  );
}
