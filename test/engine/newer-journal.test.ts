import { afterEach, describe, expect, it } from "vitest";
import { contentsOf } from "../../src/adapters/memory/disk.ts";
import { createMemoryStore, type MemoryDisk } from "../../src/adapters/memory/index.ts";
import { openSqliteStore } from "../../src/adapters/sqlite/index.ts";
import type { OrderStore } from "../../src/ports/index.ts";
import { driver, type TemporaryPlace, temporaryPlace } from "../adapters/sqlite/temporary-place.ts";
import { createWorld, type World } from "../support/world.ts";

/** A store whose texts a test changes as if a newer version had written them. */
type StoreKind = Readonly<{ open: (disk: MemoryDisk) => OrderStore; rewrite: (change: Change) => void }>;
type Change = (text: string) => string;

const places: TemporaryPlace[] = [];
afterEach(() => {
  for (const { remove } of places.splice(0)) remove();
});

function memory(): StoreKind {
  let kept: MemoryDisk | undefined;
  return {
    open(disk) {
      kept = disk;
      return createMemoryStore({ disk });
    },
    rewrite(change) {
      if (kept === undefined) return;
      for (const { records } of contentsOf(kept).shards)
        for (const [sequence, text] of records.texts) records.texts.set(sequence, change(text));
    },
  };
}

function sqlite(): StoreKind {
  const place = temporaryPlace();
  places.push(place);
  const { path } = place;
  return {
    open: () => openSqliteStore({ path }),
    rewrite(change) {
      const database = driver.open(path);
      const records = database
        .prepare<[], { position: number; record: string }>("SELECT * FROM journal")
        .all();
      const put = database.prepare<[string, number]>(
        "UPDATE journal SET record = ?, checksum = NULL WHERE position = ?",
      );
      for (const { position, record } of records) put.run(change(record), position);
      database.close();
    },
  };
}

/** One stop that was triggered: its journal contains ACCEPTED, TRIGGERED and CHILD_INTENDED. */
async function triggeredStop(kept: StoreKind): Promise<Readonly<{ world: World; shard: number }>> {
  const world = await createWorld({ store: kept.open });
  await world.quote("100", "101");
  const order = await world.place({ type: "STOP_MARKET", side: "SELL", stopPrice: "90" });
  await world.quote("89", "90");
  await world.engine.close();
  return { world, shard: -order.orderId % 256 };
}

describe.each([
  ["memory", memory],
  ["sqlite", sqlite],
])("I53, decision BP: a journal of a newer version on %s", (_name, storeOf) => {
  it("refuses to open at an unknown kind of fact, and names shard, record, kind and remedy", async () => {
    const kept = storeOf();
    const { world, shard } = await triggeredStop(kept);
    kept.rewrite((text) => text.replace('"kind":"TRIGGERED"', '"kind":"TRIGGER_MOVED"'));
    await expect(world.crash()).rejects.toThrow(
      `I53: journal record 2 of shard ${shard} cannot be read: it holds the fact kind "TRIGGER_MOVED", which this ` +
        "version does not know; a newer version of managed-orders wrote it: run that version",
    );
    // The attempt changed nothing: the version that knows the kind opens it unchanged.
    kept.rewrite((text) => text.replace('"kind":"TRIGGER_MOVED"', '"kind":"TRIGGERED"'));
    await world.crash();
    expect((await world.engine.verify()).equal).toBe(true);
    await world.engine.close();
  });

  it.each([
    ['"cause":{"kind":"QUOTE"', '"cause":{"kind":"ORACLE"', 'the cause kind "ORACLE"'],
    ['"trigger":{', '"trailingTo":5,"trigger":{', 'the member "trailingTo" of a fact TRIGGERED'],
    ['"attempt":1', '"attempt":1,"venue":"second"', 'the member "venue" of a child'],
    ['"sequence":2', '"sequence":2,"signature":"x"', 'the member "signature" of a record'],
  ])("refuses %s changed to %s", async (known, unknown, what) => {
    const kept = storeOf();
    const { world } = await triggeredStop(kept);
    kept.rewrite((text) => text.replace(known, unknown));
    await expect(world.crash()).rejects.toThrow(what);
  });
});
