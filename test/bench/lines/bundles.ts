import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { type Line, rounds } from "../line.ts";

/** The root of the project, where npm commands run. */
const root: string = process.cwd();

/** Measures the size of a page's imports, minified and gzipped, in kilobytes. */
async function bundledKb(contents: string): Promise<number> {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: root },
    bundle: true,
    write: false,
    minify: true,
    platform: "browser",
    format: "esm",
    alias: {
      "#hmac": `${root}/src/signing/hmac-portable.ts`,
      "#socket": `${root}/src/client/socket-default.ts`,
    },
    logLevel: "silent",
  });
  return gzipSync(outputFiles[0]?.text ?? "").length / 1_000;
}

function bundle(work: string, contents: string, most: number): Line {
  return {
    work,
    unit: "kB",
    timedBy: "clock",
    target: `<= ${most} kB`,
    reached: (kb) => kb <= most,
    open: async () => rounds(async () => ({ figure: await bundledKb(contents) })),
  };
}

export const signingBundle: Line = bundle(
  "bundle of signing for a browser, minified and gzipped",
  'export { signBody, signQuery, signSocketParameters } from "./src/signing/index.ts";',
  5,
);

export const coreBundle: Line = bundle(
  "bundle of admission with prices and preview, minified and gzipped",
  'export { Price, Quantity, orderIntent, previewOrder } from "./src/index.ts"; export { admit } from "./src/rules/index.ts";',
  28,
);
