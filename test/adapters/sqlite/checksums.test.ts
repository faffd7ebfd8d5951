import { readFileSync, writeFileSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openSqliteStore, type SqliteStore } from "../../../src/adapters/sqlite/index.ts";
import { samplePrint } from "../../store/rules/samples.ts";
import { createWorld, type World } from "../../support/world.ts";
import { fill, READS } from "../stored-rows.ts";
import { executeOn, type TemporaryPlace, temporaryPlace } from "./temporary-place.ts";

const PAGE_BYTES = 4_096;

let place: TemporaryPlace;
beforeEach(() => {
  place = temporaryPlace();
});
afterEach(() => place.remove());

/** Opens a store with a row of every kind. */
async function filled(): Promise<SqliteStore> {
  const store = openSqliteStore({ exclusive: false, path: place.path });
  await fill(store);
  return store;
}

const reads = {
  ...READS,
  counting: (store: SqliteStore) => store.append({ shards: [], prints: [samplePrint({ id: "next" })] }),
};

describe("decision BQ: a row that differs from what was written is refused by name", () => {
  it.each<[what: string, sql: string, read: keyof typeof reads]>([
    ["journal record 2 of shard 3", "UPDATE journal SET record = replace(record, '1002', '1003')", "records"],
    [
      "journal record 1 of shard 3",
      "UPDATE journal SET (record, checksum) = (SELECT record, checksum FROM journal WHERE sequence = 2)",
      "records",
    ],
    ["the snapshot of shard 3", "UPDATE snapshots SET counter = 8", "snapshot"],
    ["the snapshot of shard 3", "UPDATE snapshots SET sequence = 1", "snapshot"],
    [
      "the snapshot of shard 3",
      "UPDATE snapshot_parts SET parents = replace(parents, 'SELL', 'BUY')",
      "snapshot",
    ],
    ["parent order -259", "UPDATE ended SET record = replace(record, 'CANCELED', 'FILLED')", "ended"],
    ["parent order -259", "UPDATE ended SET account_id = 2", "byAccount"],
    ["ended list -2560", "UPDATE ended_lists SET legs = '-2816,-3328'", "lists"],
    ["mark 1 of BTC/USD bid in shard 3", "UPDATE marks SET price = price + 1", "marks"],
    ["the last quote of BTC/USD", "UPDATE quotes SET time_ms = 6", "quotes"],
    ["the executed volume of BTC/USD", "UPDATE volume_totals SET total = '1'", "volume"],
    ["the volume of BTC/USD in minute 0", "UPDATE volume_bars SET quantity = '1'", "volume"],
    ["the price bar of BTC/USD of 60000 ms at 0", "UPDATE price_bars SET high = high + 1", "volume"],
    ["the price bar of BTC/USD of 60000 ms at 0", "UPDATE price_bars SET quote_quantity = '1'", "volume"],
    ["the price bar of BTC/USD of 60000 ms at 0", "UPDATE price_bars SET prints = 2", "counting"],
    ["the executed volume of BTC/USD", "UPDATE volume_totals SET total = '1'", "counting"],
    ["the volume of BTC/USD in minute 0", "UPDATE volume_bars SET quantity = '1'", "counting"],
  ])("%s, after %s", async (what, sql, read) => {
    const store = await filled();
    executeOn(place.path, sql);
    await expect(reads[read](store)).rejects.toThrow(
      `I53: ${what} cannot be read: its checksum does not match, so it changed after it was written; restore the file from a backup`,
    );
    await store.close();
  });

  it("I54: a head that does not match the end of its journal is refused when the store is taken over", async () => {
    const store = await filled();
    executeOn(place.path, "UPDATE shards SET sequence = 2 WHERE shard = 3");
    await expect(store.acquire()).rejects.toThrow(
      "I54: the journal of shard 3 ends with record 3 instead of record 2",
    );
    await store.close();
  });
});

/**
 * Opens an engine, writes a hundred records to the file and closes it. A small `snapshotEvery` leaves all but the last
 * few records in snapshots.
 */
async function closedWorld(snapshotEvery: number): Promise<World> {
  const world = await createWorld({
    store: () => openSqliteStore({ exclusive: false, path: place.path }),
    settings: { snapshotEvery },
  });
  await world.quote("100", "101");
  for (let n = 0; n < 100; n++) await world.place({ price: "90", newClientOrderId: `order-${n}` });
  await world.engine.close();
  return world;
}

/** Zeroes part of the file around the first occurrence of a text. */
function zero(text: string, bytes: number): void {
  const file = readFileSync(place.path);
  const at = file.indexOf(text);
  if (at === -1) throw new Error("the file does not hold the text");
  const from = Math.floor(at / bytes) * bytes;
  file.fill(0, from, from + bytes);
  writeFileSync(place.path, file);
}

describe("decision BQ, I53: a damaged file", () => {
  const SEEN = '"clientOrderId":"order-50"';
  const damages: readonly [string, () => void][] = [
    [
      "an edited row",
      () => executeOn(place.path, "UPDATE journal SET record = replace(record, 'order-50', 'other-50')"),
    ],
    ["a zeroed page", () => zero(SEEN, PAGE_BYTES)],
    ["zeroed bytes within a row", () => zero(SEEN, 16)],
  ];

  it.each(damages)("%s is detected by loading", async (_what, damage) => {
    const world = await closedWorld(20_000);
    damage();
    await expect(world.crash()).rejects.toThrow("from a backup");
  });

  it.each(damages)("%s is detected by verify if loading does not read it", async (_what, damage) => {
    const world = await closedWorld(10);
    await openSqliteStore({ exclusive: false, path: place.path }).acquire(); // brings the index up to date, so that an opening reads no row
    executeOn(
      place.path,
      "DELETE FROM snapshot_parts WHERE generation NOT IN (SELECT generation FROM snapshots)",
    );
    damage();
    await world.crash();
    expect(world.engine.metrics().openParents).toBe(100);
    await expect(world.engine.verify()).rejects.toThrow("from a backup");
    await world.engine.close();
  });
});
