import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { createManualClock, createMemoryAccounts } from "../../src/adapters/memory/index.ts";
import { createEntropy, createSystemClock } from "../../src/adapters/node/index.ts";
import { Database } from "../../src/adapters/postgres/database.ts";
import { openPostgresStore } from "../../src/adapters/postgres/index.ts";
import { beginPostgresCopy } from "../../src/adapters/postgres/internal.ts";
import { backupSqliteStore, openSqliteStore, restoreSqliteStore } from "../../src/adapters/sqlite/index.ts";
import { withSqliteStorage } from "../../src/adapters/sqlite/internal.ts";
import { rejectionOf } from "../../src/conformance/rejections.ts";
import { openEngine, type Verification } from "../../src/engine/index.ts";
import { oco } from "../../src/requests/index.ts";
import { createCatalogue } from "../../src/sandbox/catalogue.ts";
import { openExchange } from "../../src/sandbox/exchange.ts";
import { readSettings } from "../../src/sandbox/settings.ts";
import { STORE_COMMANDS } from "../../src/sandbox/store-commands.ts";
import { openPaperVenue } from "../../src/simulator/index.ts";
import { copyRows } from "../../src/store/internal.ts";
import { type PGliteServer, startPGlite } from "../adapters/postgres/pglite-server.ts";
import { placesOn } from "../adapters/postgres/places.ts";
import { canBackUp } from "../adapters/sqlite/temporary-place.ts";
import { START_MS, temporaryDirectory } from "./venue-world.ts";

let server: PGliteServer;

beforeAll(async () => {
  server = await startPGlite();
});
afterAll(() => server.close());

/** Makes a store with open and ended orders and lists, snapshots, marks, volume, bars, refused orders, counts and values. */
async function filledStore(): Promise<Readonly<{ path: string; verification: Verification }>> {
  const path = join(await temporaryDirectory(), "orders.db");
  const env = {
    ...{ STORE: `sqlite:${path}`, MARKET: "manual", CLOCK: "manual", CLOCK_START: String(START_MS) },
    ...{ SNAPSHOT_EVERY: "5", ORDER_REJECT_PERSISTENCE_ENABLED: "true" },
  };
  const exchange = await openExchange(readSettings({ env, argv: [] }), {
    realClock: createSystemClock(),
    entropy: createEntropy(),
    telemetry: { event: () => undefined },
  });
  const { engine, sink, settle } = exchange;
  const quote = async (bid: string, ask: string): Promise<void> => {
    sink.quote({ symbol: "BTC/USD", bid, ask });
    await settle();
  };
  const base = { symbol: "BTC/USD", quantity: "1" } as const;
  const place = async (order: Readonly<Record<string, string | number>>): Promise<void> => {
    await engine.place({ accountId: 1, order: { ...base, side: "SELL", ...order } as never });
  };
  await quote("99", "100");
  for (let n = 0; n < 8; n++)
    await place({
      side: "BUY",
      type: "SYNTHETIC_LIMIT",
      price: n % 2 ? "100" : "20",
      newClientOrderId: `o${n}`,
    });
  await place({ type: "TRAILING_STOP_MARKET", trailingDelta: 500, newClientOrderId: "trailing" });
  for (const bid of ["101", "103", "108"]) await quote(bid, String(Number(bid) + 1));
  const list = { symbol: "BTC/USD", side: "SELL", quantity: "1" } as const;
  const stopLoss = { type: "STOP_MARKET", stopPrice: "60" } as const;
  for (const [listClientOrderId, price] of [
    ["done", "110"],
    ["open", "500"],
  ] as const) {
    const takeProfit = { type: "LIMIT", price } as const;
    await engine.placeList({ accountId: 1, list: oco({ ...list, listClientOrderId, takeProfit, stopLoss }) });
  }
  await quote("111", "112");
  for (let n = 0; n < 3; n++)
    exchange.rejections.retain(rejectionOf({ clientOrderId: `r${n}`, timeMs: START_MS }));
  await settle();
  const limiter = await exchange.openRateLimiter({ clock: exchange.clock, weightPerMinute: 1 });
  for (const accountId of [1, 2, 2 ** 40]) await limiter.takeOrders({ accountId, count: 3 });
  for (let n = 0; n < 11; n++) await limiter.weigh({ address: "192.0.2.1", weight: 2 });
  const verification = await engine.verify();
  await exchange.close();
  return { path, verification };
}

const run = async (...argv: readonly string[]): Promise<string> => {
  let text = "";
  const command = STORE_COMMANDS.get("store");
  await command?.(argv, {
    print(more) {
      text += more;
    },
    progress: () => undefined,
  });
  return text;
};

describe("store copy", () => {
  it("a SQLite store and its copy in Postgres contain the same, and an engine verifies both alike", async () => {
    const { path, verification } = await filledStore();
    const source = openSqliteStore({ path });
    await source.keyValue.set("", "a name may be empty");
    await source.keyValue.set("a\0b", "c\0d");
    await source.close();
    const text = await run("copy", path, `${server.url}?schema=whole`);
    expect(text).toMatch(
      /^Copied and read back: \d+ records, [1-9]\d* ended orders, 1 ended lists, 3 refused orders\.\n/,
    );
    expect(text).toContain(`${verification.records} records`);
    const store = await openPostgresStore({ url: server.url, schema: "whole" });
    expect(await store.rejections.list({ accountId: 1, limit: 9 })).toHaveLength(3);
    expect(await store.keyValue.get("clock.now")).toBe(String(START_MS));
    expect(await store.keyValue.get("")).toBe("a name may be empty");
    expect(await store.keyValue.get("a\0b")).toBe("c\0d");
    const sqlite = openSqliteStore({ path });
    const before = await sqlite.acquire();
    const limiter = await store.openRateLimiter({ clock: createManualClock({ startMs: START_MS }) });
    expect((await limiter.takeOrders({ accountId: 2 ** 40, count: 1 })).counts.perDay).toBe(4);
    expect((await limiter.weigh({ address: "192.0.2.1", weight: 1 })).refused?.kind).toBe("ban");
    expect(await store.head(77)).toMatchObject({ epoch: expect.any(Number) });
    // The source was taken over once more.
    for (const { shard, epoch, sequence } of before)
      expect(await store.head(shard)).toMatchObject({ sequence, epoch: epoch - 1 });
    await sqlite.close();
    const [clock, instruments] = [createSystemClock(), createCatalogue()];
    const venue = await openPaperVenue({ clock, instruments });
    const account = { accountId: 1, userId: 1, enableDataSharing: true, delegates: [], restricted: false };
    const engine = await openEngine({
      ...{ store, clock, instruments, venue, exposure: venue, entropy: createEntropy() },
      accounts: createMemoryAccounts([{ account, keys: [] }]),
      telemetry: { event: () => undefined },
      settings: { retentionDays: 36_500 },
    });
    expect(await engine.verify()).toEqual(verification);
    await engine.close();
  });

  it("a row of a copy that was changed is found", async () => {
    const { path } = await filledStore();
    await run("copy", path, `${server.url}?schema=sums`);
    const places = placesOn(server.url);
    onTestFinished(() => places.close());
    const store = await openPostgresStore({ url: server.url, schema: "sums" });
    onTestFinished(() => store.close());
    const { prints } = await store.readVolume();
    expect(prints).not.toEqual([]);
    await places.execute(
      "UPDATE sums.entry SET value = value || '0' WHERE key LIKE 'total %' AND value IS NOT NULL",
    );
    await expect(store.readVolume()).rejects.toThrow('I53: the row "total BTC/USD" cannot be read');
  });

  it("a target that is not empty, and a store in use, are refused in clear words", async () => {
    const { path } = await filledStore();
    await run("copy", path, `${server.url}?schema=once`);
    await expect(run("copy", path, `${server.url}?schema=once`)).rejects.toMatchObject({
      code: "TARGET_NOT_EMPTY",
      message: expect.stringContaining("the schema once of database postgres on 127.0.0.1"),
    });
    const open = openSqliteStore({ path });
    onTestFinished(() => open.close());
    await expect(run("copy", path, `${server.url}?schema=other`)).rejects.toMatchObject({
      code: "EBUSY",
      message: "orders.db is in use by another process: end that process, or choose another path",
    });
  });

  it.runIf(canBackUp)(
    "a backup is refused before it is read, and its restored store is copied",
    async () => {
      const { path } = await filledStore();
      const [backup, restored] = [`${path}.backup`, `${path}.restored`];
      await backupSqliteStore({ path, to: backup });
      const shown: string[] = [];
      const output = { print: () => undefined, progress: (text: string) => void shown.push(text) };
      const copying = STORE_COMMANDS.get("store")?.(["copy", backup, `${server.url}?schema=late`], output);
      await expect(copying).rejects.toThrow("orders.db.backup is a backup");
      expect(shown).toEqual([]);
      await restoreSqliteStore({ from: backup, path: restored });
      expect(await run("copy", restored, `${server.url}?schema=late`)).toContain("Copied and read back");
    },
    60_000,
  );

  it("a store that is opened in the schema just before the copy begins stays a store", async () => {
    const target = { url: server.url, schema: "opened" };
    const { script } = Database.prototype;
    const scripts = vi.spyOn(Database.prototype, "script");
    onTestFinished(() => scripts.mockRestore());
    scripts.mockImplementationOnce(async function (this: Database, texts) {
      await (await openPostgresStore(target)).close();
      await script.call(this, texts);
    });
    await expect(beginPostgresCopy(target)).rejects.toMatchObject({ code: "TARGET_NOT_EMPTY" });
    await (await openPostgresStore(target)).close();
  });

  it("a copy that was interrupted at any place is never opened as a store", async () => {
    const { path } = await filledStore();
    const url = server.url;
    // At the first rows, at later ones, and when all is written.
    const steps = [1, 2, Number.POSITIVE_INFINITY];
    for (const [index, last] of steps.entries()) {
      const schema = `half_${index}`;
      const copy = await beginPostgresCopy({ url, schema });
      let written = 0;
      const write = withSqliteStorage({ path }, (source) =>
        copyRows(source, copy.storage, () => {
          if (++written === last) throw new Error("interrupted");
        }),
      );
      if (last === Number.POSITIVE_INFINITY) await write;
      else await expect(write).rejects.toThrow("interrupted");
      await copy.close();
      await expect(openPostgresStore({ url, schema })).rejects.toMatchObject({
        code: "UNFINISHED_COPY",
        message: expect.stringContaining(`remove it with DROP SCHEMA "${schema}" CASCADE and copy again`),
      });
    }
  });
});
