import { createHmac } from "node:crypto";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Consumer } from "./consumer.ts";

/** Largest bundles in kB, minified and gzipped: of all of the core, and of a page that only formats prices. */
const BUDGET_KB = { core: 85, prices: 20 };

let consumer: Consumer;

beforeAll(() => {
  consumer = new Consumer();
});

afterAll(() => {
  consumer.remove();
});

/** Bundles a text that imports the package as for a browser; fails on a Node built-in. */
async function bundle(contents: string): Promise<Readonly<{ code: string; inputs: readonly string[] }>> {
  const result = await build({
    stdin: { contents, resolveDir: consumer.folder },
    bundle: true,
    write: false,
    minify: true,
    metafile: true,
    platform: "browser",
    format: "esm",
    logLevel: "silent",
  });
  return { code: result.outputFiles[0]?.text ?? "", inputs: Object.keys(result.metafile.inputs) };
}

const gzippedKb = (code: string): number => gzipSync(code).length / 1000;

describe("a browser", () => {
  it("signs with the portable HMAC as Node signs from ESM and from CommonJS", async () => {
    const expected = createHmac("sha256", "secret").update("symbol=BTC/USD").digest("hex");
    const call = 'console.log(sign({ secret: "secret", payload: "symbol=BTC/USD" }));';
    const esm = `import { sign } from "managed-orders/signing";\n${call}`;
    const cjs = `const { sign } = require("managed-orders/signing");\n${call}`;
    const { code, inputs } = await bundle(esm);
    expect(inputs.some((path) => path.includes("@noble/hashes"))).toBe(true);
    expect(inputs.some((path) => path.includes("hmac-node"))).toBe(false);
    expect(consumer.run("bundle.mjs", code)).toBe(expected);
    expect(consumer.run("sign.mjs", esm)).toBe(expected);
    expect(consumer.run("sign.cjs", cjs)).toBe(expected);
  });

  it("loads the core without a Node built-in, and no more of it than it uses", async () => {
    const core = await bundle(
      'export * from "managed-orders"; export * as signing from "managed-orders/signing";',
    );
    const prices = await bundle('export { formatPrice, price } from "managed-orders";');
    const size = { core: gzippedKb(core.code), prices: gzippedKb(prices.code) };
    console.log(
      `gzipped: core ${size.core.toFixed(1)} of ${BUDGET_KB.core} kB, ` +
        `prices alone ${size.prices.toFixed(1)} of ${BUDGET_KB.prices} kB`,
    );
    expect(core.code).not.toMatch(/from"node:|require\("/);
    expect(size.core).toBeLessThan(BUDGET_KB.core);
    expect(size.prices).toBeLessThan(BUDGET_KB.prices);
  });
});
