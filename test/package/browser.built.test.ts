import { createHmac } from "node:crypto";
import { cpSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Consumer } from "./consumer.ts";

/** Pages by their imports. */
const PAGES = {
  everything:
    'export * from "managed-orders"; export * as rules from "managed-orders/rules"; export * as signing from "managed-orders/signing";',
  admission:
    'export { Notional, orderIntent, previewOrder, Price, Quantity } from "managed-orders"; export { admit } from "managed-orders/rules";',
  signing: 'export { sign, signBody, signQuery, signSocketParameters } from "managed-orders/signing";',
  client: 'export { createClient } from "managed-orders/client";',
  "client with checks": 'export { createClient, localChecks, preview } from "managed-orders/client";',
  "client with streams":
    'export { createClient, createSocketClient, followOrders, openOrderBook } from "managed-orders/client";',
  "whole client": 'export * from "managed-orders/client";',
  prices: 'export { Price } from "managed-orders";',
  rules: 'export { TriggerBook } from "managed-orders/rules";',
} as const;

/** Largest bundles of the pages in kB, minified and gzipped, but for {@link VARIATION_KB}. */
const BUDGET_KB: Readonly<Record<keyof typeof PAGES, number>> = {
  everything: 52.3,
  admission: 20,
  signing: 4.8,
  client: 15.95,
  "client with checks": 37.1,
  "client with streams": 23.45,
  "whole client": 45.1,
  prices: 1.55,
  rules: 6.4,
};

/**
 * By how much the size of the same text varies, in kB: a change anywhere in the package changes the names of the chunks and
 * so their order in a bundle.
 */
const VARIATION_KB = 0.15;

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
    expect(inputs.some((path) => path.includes("hmac-portable"))).toBe(true);
    expect(inputs.some((path) => path.includes("hmac-node"))).toBe(false);
    expect(consumer.run("bundle.mjs", code)).toBe(expected);
    expect(consumer.run("sign.mjs", esm)).toBe(expected);
    expect(consumer.run("sign.cjs", cjs)).toBe(expected);
  });

  it("a page with the REST client alone loads no WebSocket, stream or book", async () => {
    const { code } = await bundle(PAGES.client);
    expect(code.includes("v3/orderList")).toBe(true);
    const words = [
      "listenKey",
      "userDataStream",
      "order.place",
      "depthUpdate",
      "ACCOUNT_UPDATE",
      "WebSocket",
    ];
    expect(words.filter((word) => code.includes(word))).toEqual([]);
    const { inputs } = await bundle(PAGES["client with streams"]);
    expect(inputs.filter((path) => /socket-node|node_modules\/ws\//.test(path))).toEqual([]);
  });

  it.each(Object.keys(PAGES) as (keyof typeof PAGES)[])(
    "loads %s without a Node built-in, and no more than it uses",
    async (page) => {
      const { code } = await bundle(PAGES[page]);
      console.log(`gzipped: ${page} ${gzippedKb(code).toFixed(2)} of ${BUDGET_KB[page]} kB`);
      expect(code).not.toMatch(/from"node:|require\("/);
      expect(gzippedKb(code)).toBeLessThan(BUDGET_KB[page] + VARIATION_KB);
    },
  );

  it("bundles the page of examples/browser-client, copied from the package as its README says", async () => {
    const copy = join(consumer.folder, "browser-client");
    cpSync(join(consumer.installed, "examples/browser-client"), copy, { recursive: true });
    const { code, inputs } = await bundle('import "./browser-client/page.ts";');
    expect(code).not.toMatch(/from"node:|require\("/);
    expect(inputs.filter((path) => /-node\.js$|node_modules\/ws\//.test(path))).toEqual([]);
    expect(inputs.some((path) => path.endsWith("client/socket-default.js"))).toBe(true);
  });
});
