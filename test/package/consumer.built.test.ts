import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Consumer, subpaths } from "./consumer.ts";

/** A program that loads every subpath and lists exports whose values differ under one name. */
const identities = (load: (name: string) => string): string => `
  const seen = new Map();
  const apart = [];
  for (const [name, exports] of [${subpaths.map((name) => `["${name}", ${load(name)}]`).join(", ")}]) {
    for (const [key, value] of Object.entries(exports)) {
      if (seen.has(key) && seen.get(key) !== value) apart.push(name + " " + key);
      seen.set(key, value);
    }
  }
  console.log(JSON.stringify({ some: seen.size > 0, apart }));
`;

describe("a consumer of the packed package", () => {
  let consumer: Consumer;

  beforeAll(() => {
    consumer = new Consumer(["better-sqlite3"]);
  });

  afterAll(() => {
    consumer.remove();
  });

  it("imports every subpath as ESM; one name is one class or function in all of them", () => {
    const printed = consumer.run(
      "all.mjs",
      identities((name) => `await import("${name}")`),
    );
    expect(JSON.parse(printed)).toEqual({ some: true, apart: [] });
  });

  it("requires every subpath as CommonJS; one name is one class or function in all of them", () => {
    const printed = consumer.run(
      "all.cjs",
      identities((name) => `require("${name}")`),
    );
    expect(JSON.parse(printed)).toEqual({ some: true, apart: [] });
  });

  it("opens a SQLite store from ESM and from CommonJS", () => {
    const open = '(async () => openSqliteStore({ path: "orders.db" }))().then((store) => store.close());';
    consumer.run("open.mjs", `import { openSqliteStore } from "managed-orders/sqlite";\n${open}`);
    consumer.run("open.cjs", `const { openSqliteStore } = require("managed-orders/sqlite");\n${open}`);
    expect(existsSync(join(consumer.folder, "orders.db"))).toBe(true);
  });

  it("writes a SQLite store in a thread from ESM and from CommonJS", () => {
    const write = `(async () => {
      const store = openSqliteStore({ path: "threaded.db", thread: true });
      const before = await store.keyValue.get("a");
      await store.keyValue.set("a", "1");
      console.log(before, await store.keyValue.get("a"));
      await store.close();
    })();`;
    const esm = consumer.run(
      "write.mjs",
      `import { openSqliteStore } from "managed-orders/sqlite";\n${write}`,
    );
    const cjs = consumer.run(
      "write.cjs",
      `const { openSqliteStore } = require("managed-orders/sqlite");\n${write}`,
    );
    expect([esm, cjs]).toEqual(["undefined 1", "1 1"]);
  });

  it("sweeps a module from ESM and from CommonJS, with the same rows", () => {
    const strategy = `({ stopPrice }) => simulate({
      symbols: ["BTC/USD"],
      market: ["100", "90"].map((bid, n) => ({ kind: "quote", timeMs: n, symbol: "BTC/USD", bid, ask: "101" })),
      balances: { BTC: "1" },
      strategy: ({ account }) => account.place({
        symbol: "BTC/USD", side: "SELL", type: "STOP_MARKET", quantity: "0.5", stopPrice, newClientOrderId: "stop",
      }),
    })`;
    const main = (module: string): string => `(async () => {
      const rows = await sweep({ module: ${module}, parameters: parameterGrid({ stopPrice: ["95", "85"] }) });
      console.log(rows.map(({ result }) => result.statistics.turnover + " " + result.hash).join());
    })();`;
    const imported = `import { parameterGrid, simulate, sweep } from "managed-orders/simulator";\n`;
    const required = `const { parameterGrid, simulate, sweep } = require("managed-orders/simulator");\n`;
    consumer.write("strategy.mjs", `${imported}export const run = ${strategy};`);
    consumer.write("strategy.cjs", `${required}exports.run = ${strategy};`);
    const lines = [
      consumer.run("sweep.mjs", imported + main('new URL("./strategy.mjs", import.meta.url)')),
      consumer.run("sweep.cjs", required + main('require("node:path").join(__dirname, "strategy.cjs")')),
    ].map((output) => output.split("\n").filter((line) => !line.startsWith("sweep:")));
    expect(lines[0]?.join()).toMatch(/^45 [0-9a-f]{64},0 [0-9a-f]{64}$/);
    expect(lines[1]).toEqual(lines[0]);
  });

  it("serves with front threads from ESM and from CommonJS", () => {
    const serve = `(async () => {
      const service = { handle: async ({ target }) => ({ status: 200, headers: {}, body: JSON.stringify(target) }) };
      const server = createNodeServer({ service, frontThreads: 1 });
      const { port } = await server.listen({ host: "127.0.0.1", port: 0 });
      console.log(await (await fetch("http://127.0.0.1:" + port + "/x?y=1")).text());
      await server.close({ graceMs: 0 });
    })();`;
    const esm = consumer.run(
      "serve.mjs",
      `import { createNodeServer } from "managed-orders/node";\n${serve}`,
    );
    const cjs = consumer.run(
      "serve.cjs",
      `const { createNodeServer } = require("managed-orders/node");\n${serve}`,
    );
    expect([esm, cjs]).toEqual(['"/x?y=1"', '"/x?y=1"']);
  });
});

describe("a consumer without better-sqlite3", () => {
  let consumer: Consumer;

  beforeAll(() => {
    consumer = new Consumer();
  });

  afterAll(() => {
    consumer.remove();
  });

  it("gets one sentence with the install command, from ESM and from CommonJS", () => {
    const open =
      '(async () => openSqliteStore({ path: "orders.db" }))().catch((error) => console.log(error.message));';
    const esm = consumer.run("open.mjs", `import { openSqliteStore } from "managed-orders/sqlite";\n${open}`);
    const cjs = consumer.run(
      "open.cjs",
      `const { openSqliteStore } = require("managed-orders/sqlite");\n${open}`,
    );
    expect(esm).toMatch(/^[^\n]*npm install better-sqlite3[^\n]*$/);
    expect(cjs).toBe(esm);
  });
});
