import { readFileSync, writeFileSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openSqliteStore, type SqliteStore } from "../../../src/adapters/sqlite/index.ts";
import { samplePrint } from "../../store/rules/samples.ts";
import { createWorld, type World } from "../../support/world.ts";
import { fill, READS } from "../stored-rows.ts";
import {
  damageRow,
  executeOn,
  indexJournal,
  recordKey,
  rowIn,
  type TemporaryPlace,
  temporaryPlace,
  writeRows,
} from "./temporary-place.ts";

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

describe("a row that differs from what was written is refused by name", () => {
  const digits = (number: number): string => String(number).padStart(16, "0");
  const bar = `pricebar ${digits(60_000)} ${digits(0)} BTC/USD`;
  const raised = (value: string): string =>
    value.replace(/[0-9]/, (digit) => String((Number(digit) + 1) % 10));

  it.each<[key: string, change: (value: string) => string, read: keyof typeof reads]>([
    [recordKey(3, 2), (value) => value.replace("1002", "1003"), "records"],
    [recordKey(3, 1), () => rowIn(place.path, recordKey(3, 2)) ?? "", "records"],
    ["snapshot 003", (value) => value.replace("2 9 ", "2 8 "), "snapshot"],
    ["snapshot 003", (value) => value.replace("2 9 ", "1 9 "), "snapshot"],
    [`snap 003 ${digits(1)} ${digits(0)}`, (value) => value.replace("SELL", "BUY"), "snapshot"],
    [`ended ${digits(1)} ${digits(259)}`, (value) => value.replace("CANCELED", "FILLED"), "ended"],
    [`list ${digits(1)} ${digits(2_560)}`, (value) => value.replace("-2816", "-2817"), "lists"],
    [`mark 003 BTC/USD bid ${digits(1)}`, raised, "marks"],
    ["quote BTC/USD", raised, "quotes"],
    ["total BTC/USD", raised, "volume"],
    [`bar ${digits(0)} BTC/USD`, raised, "volume"],
    [bar, raised, "volume"],
    [bar, raised, "counting"],
    ["total BTC/USD", raised, "counting"],
    [`bar ${digits(0)} BTC/USD`, raised, "counting"],
    ["head 256", raised, "counting"],
  ])("%s, after %s is seen by %s", async (key, change, read) => {
    const store = await filled();
    damageRow(place.path, key, change);
    await expect(reads[read](store)).rejects.toThrow(
      `I53: the row "${key}" cannot be read: its checksum does not match, so it changed after it was written; restore the file from a backup`,
    );
    await store.close();
  });

  it("I54: a journal that lacks its last record is refused when the store is taken over", async () => {
    const store = await filled();
    await store.close();
    writeRows(place.path, [[recordKey(3, 3)]]);
    const next = openSqliteStore({ path: place.path });
    await expect(next.acquire()).rejects.toThrow("I54: the journal ends at position 2 instead of 3");
    await next.close();
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

describe("a damaged file", () => {
  const SEEN = '"clientOrderId":"order-50"';
  const damages: readonly [string, () => void][] = [
    [
      "an edited row",
      () => executeOn(place.path, "UPDATE journal SET value = replace(value, 'order-50', 'other-50')"),
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
    indexJournal(place.path); // so that an opening reads no row
    damage();
    await world.crash();
    expect(world.engine.metrics().openParents).toBe(100);
    await expect(world.engine.verify()).rejects.toThrow("from a backup");
    await world.engine.close();
  });
});
