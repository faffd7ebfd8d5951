import { afterEach, describe, expect, it } from "vitest";
import { createMemoryStore, type MemoryDisk } from "../../src/adapters/memory/index.ts";
import { openSqliteStore } from "../../src/adapters/sqlite/index.ts";
import { codeOf } from "../../src/adapters/sqlite/keys.ts";
import { nextTurn } from "../../src/common/index.ts";
import { createRandom, type Random } from "../../src/common/random.ts";
import { shardOf } from "../../src/lifecycle/index.ts";
import type { ParentOrder } from "../../src/model/index.ts";
import type { OrderStore } from "../../src/ports/index.ts";
import { decodeRecord, encodeParent } from "../../src/wire/index.ts";
import {
  countIn,
  executeOn,
  indexJournal,
  recordKey,
  rowsIn,
  temporaryPlace,
  writeRows,
} from "../adapters/sqlite/temporary-place.ts";
import { OCO } from "../support/list-samples.ts";
import { fillOf, reported } from "../support/scripted-venue.ts";
import { seedOr } from "../support/seed.ts";
import { loseRow, loseRows, storedRows } from "../support/stored-rows.ts";
import { ACCOUNT, createWorld, type World, type WorldOptions } from "../support/world.ts";

const HOUR_MS = 3_600_000;
/** Orders leave a bit more than an hour after their end. */
const SHORT = { retentionDays: 0.05, snapshotEvery: 9 };

const SHARD = shardOf(ACCOUNT);

/** A kind of store: how to open it with or without a lifetime, and how to look at and damage what it keeps. */
type Kind = Readonly<{
  options: (forget: boolean) => WorldOptions;
  count: (world: World) => number;
  /** The rows of a kind. */
  rows: (world: World, kind: string) => readonly (readonly [key: string, value: string])[];
  /** Deletes a record as a fault would. */
  lose: (world: World, shard: number, sequence: number) => void;
  loseSnapshots: (world: World) => void;
}>;

const places: Readonly<{ remove: () => void }>[] = [];
afterEach(() => {
  for (const { remove } of places.splice(0)) remove();
});

function memory(): Kind {
  return {
    options: (forget) => ({ store: (disk) => createMemoryStore({ disk, journal: { prune: forget } }) }),
    count: ({ disk }) => storedRows(disk, "log").length,
    rows: ({ disk }, kind) => storedRows(disk, kind),
    lose: ({ disk }, shard, sequence) => loseRow(disk, shard, sequence),
    loseSnapshots: ({ disk }) => loseRows(disk, "snapshot"),
  };
}

function sqlite(): Kind {
  const place = temporaryPlace();
  places.push(place);
  const { path } = place;
  return {
    options: (forget) => ({
      store: () => openSqliteStore({ exclusive: false, path, journal: { prune: forget } }),
    }),
    count: () => countIn(path, "log"),
    rows: (_, kind) => rowsIn(path, kind),
    lose(_, shard, sequence) {
      // Also from the index.
      indexJournal(path);
      executeOn(path, `DELETE FROM journal_index WHERE code = '${codeOf(recordKey(shard, sequence))}'`);
      writeRows(path, [[recordKey(shard, sequence)]]);
    },
    loseSnapshots: () =>
      writeRows(
        path,
        rowsIn(path, "snapshot").map(([key]) => [key]),
      ),
  };
}

const KINDS = { memory, sqlite };

const STOP = { side: "SELL", type: "STOP_MARKET", stopPrice: "80" } as const;

/** Passes time like the world, and lets a store that works in turns of the event loop finish in between. */
async function pass(world: World, ms: number): Promise<void> {
  await world.clock.advanceBy(ms, async () => {
    await world.engine.idle();
    for (let turn = 0; turn < 8; turn++) await nextTurn();
  });
  await world.pass(0);
}

/** Every order that retention must keep, of both accounts, as text. */
async function shown(world: World): Promise<readonly string[]> {
  const cutoffMs = world.clock.nowMs() - SHORT.retentionDays * 24 * HOUR_MS;
  const rows: ParentOrder[] = [];
  for (const accountId of [1, 2]) {
    const whole = { includeHistory: true, newestFirst: false, limit: 500, afterOrderId: 0 };
    rows.push(...(await world.engine.page({ accountId, ...whole })).orders);
  }
  const stored = rows.filter(({ ended }) => (ended?.atMs ?? cutoffMs) >= cutoffMs);
  // A row that is not deleted yet may take a late fill, in a record that the other life does not have.
  return stored.map((order) => encodeParent({ ...order, lastSequence: 1 }));
}

/** One of the steps of a life, by name. */
type Steps = Readonly<Record<string, () => Promise<unknown>>>;

function stepsOf(world: World, random: Random): Steps {
  let names = 0;
  const name = (): string => `name-${++names}`;
  const from = (accountId: number) => ({
    accountId,
    includeHistory: false,
    newestFirst: false,
    afterOrderId: 0,
  });
  return {
    limit: () => world.place({ price: random.pick(["90", "101"]), newClientOrderId: name() }),
    stop: () => world.place({ ...STOP, newClientOrderId: name() }, 2),
    list: () => world.placeList("oco", { ...OCO, ...named(name) }),
    quote: () => world.quote(random.pick(["79", "84", "100", "121"]), random.pick(["100", "101", "122"])),
    pass: () => pass(world, random.pick([60_000, HOUR_MS, 3 * HOUR_MS])),
    crash: () => world.crash(),
    async cancel() {
      const [first] = (await world.engine.page({ ...from(random.pick([1, 2])), limit: 1 })).orders;
      if (first !== undefined) await world.cancel(first);
    },
    async late() {
      const child = world.venue.submitted[random.below(world.venue.submitted.length + 1)];
      if (child === undefined) return;
      world.venue.say(reported(child.childId, "closed", [fillOf({ quantity: "0.01", id: name() })]));
      await world.engine.idle();
    },
  };
}

const named = (name: () => string) => ({
  listClientOrderId: name(),
  aboveClientOrderId: name(),
  belowClientOrderId: name(),
});

/** Takes random steps and verifies after each. Resolves to what is shown in the end, and the most records kept. */
async function life(options: WorldOptions, seed: number, count: (world: World) => number) {
  const random = createRandom(seed);
  const world = await createWorld({ ...options, settings: SHORT });
  world.venue.onSubmit = ({ childId, quantity }) =>
    reported(childId, "closed", [fillOf({ quantity, id: childId })]);
  const steps = stepsOf(world, random);
  await world.quote("100", "101");
  let records = 0;
  for (let step = 0; step < 50; step++) {
    const what = random.pick(Object.keys(steps));
    await steps[what]?.();
    await world.engine.idle();
    expect(await world.engine.verify(), `step ${step}, ${what}`).toMatchObject({ equal: true });
  }
  const end = await shown(world);
  records = world.engine.metrics().journalSequence;
  await world.engine.close();
  return { end, records, stored: count(world) };
}

/**
 * Returns the records that an opening does not need and that belong to no order which stays: those are open, or have a
 * record at or after the newest snapshot.
 */
async function unneeded({ rows }: Kind, world: World): Promise<readonly number[]> {
  const [[, header] = ["", ""]] = rows(world, "snapshot");
  const before = Number.parseInt(header, 10);
  const records = rows(world, "log").map(([, text]) => decodeRecord(text));
  const page = { accountId: ACCOUNT, includeHistory: false, newestFirst: false, limit: 99, afterOrderId: 0 };
  const staying = new Set((await world.engine.page(page)).orders.map(({ orderId }) => orderId));
  for (const { sequence, changes } of records)
    if (sequence >= before) for (const { orderId } of changes) staying.add(orderId);
  return records
    .filter(({ changes }) => !changes.some(({ orderId }) => staying.has(orderId)))
    .map(({ sequence }) => sequence);
}

describe.each(Object.entries(KINDS))("the lifetime of the journal, %s", (_, kind) => {
  it.each([1, 2].map(seedOr))(
    "I53: it changes nothing that is shown, and verify is equal after every step (SEED=%i)",
    async (seed) => {
      const [on, off] = [kind(), kind()];
      const forgot = await life(on.options(true), seed, on.count);
      const stored = await life(off.options(false), seed, off.count);
      expect(forgot.end).toEqual(stored.end);
      expect(stored.stored).toBe(stored.records);
      expect(forgot.stored).toBeLessThan(stored.stored);
    },
  );

  it("I53: an old open order keeps its own records and no others; the next engine opens from what is left", async () => {
    const opened = kind();
    const { world, old } = await aged(opened.options(true));
    const left = opened.count(world);
    expect(await unneeded(opened, world)).toEqual([]);
    expect(left).toBeLessThan(9);
    await world.crash();
    expect(await world.facts(old)).toEqual(["ACCEPTED"]);
    expect(await world.engine.verify()).toMatchObject({ equal: true, records: left });
    const next = await world.place({ price: "90", newClientOrderId: "name-1" });
    expect(next.orderId, "an id is never used again").toBeLessThan(old.orderId - 256 * 20);
    await world.engine.close();
  });

  it("I53: a lost record of an open order, or of a leg of a list, is found", async () => {
    for (const victim of ["old", "list"] as const) {
      const { options, lose } = kind();
      const aging = await aged(options(true));
      const { world } = aging;
      lose(world, SHARD, aging[victim].sequence);
      const found = await world.engine.verify().catch((error: unknown) => String(error));
      expect(found, victim).toMatchObject({ equal: false });
      await world.engine.close();
    }
  });

  it("I54: a lost record above the snapshot, and a lost snapshot, stop the next engine", async () => {
    const gap = await agedOf(kind());
    await gap.world.place({ price: "90" });
    await gap.world.place({ price: "90" });
    const head = gap.world.engine.metrics().journalSequence;
    gap.lose(gap.world, SHARD, head - 1);
    await expect(gap.world.crash()).rejects.toThrow("I54");
    const bare = await agedOf(kind());
    bare.loseSnapshots(bare.world);
    await expect(bare.world.crash()).rejects.toThrow(`I53: shard ${SHARD} cannot be read`);
  });

  it("verify compares the state at its beginning, also if orders are placed before it reads the journal", async () => {
    let meanwhile: (() => Promise<unknown>) | undefined;
    const { options, count } = kind();
    const store = (disk: MemoryDisk) => {
      const sound = options(true).store?.(disk) ?? createMemoryStore({ disk });
      const readRecords: OrderStore["readRecords"] = async (range) => {
        const placing = meanwhile;
        meanwhile = undefined;
        await placing?.();
        return await sound.readRecords(range);
      };
      return { ...sound, readRecords };
    };
    const { world } = await aged({ store });
    meanwhile = async () => {
      for (let left = 5; left > 0; left--) await world.place({ price: "90" });
    };
    const records = count(world);
    expect(await world.engine.verify()).toMatchObject({ equal: true, records });
    expect(meanwhile, "orders were placed").toBeUndefined();
    await world.engine.close();
  });

  it("a report for an order that has left is refused, and changes nothing", async () => {
    const { world } = await agedOf(kind());
    const [child] = world.venue.submitted;
    world.venue.say(reported(child?.childId ?? "", "closed", [fillOf({ quantity: "0.01" })]));
    await world.engine.idle();
    expect(world.reported).toContain("venue.report-refused");
    expect(await world.engine.verify()).toMatchObject({ equal: true });
    await world.engine.close();
  });

  it("a deletion ends when the engine closes, and the next one goes on", async () => {
    const { options, count } = kind();
    const { world } = await aged(options(true), { hours: 0 });
    await world.engine.close();
    const before = count(world);
    await world.crash();
    await pass(world, 3 * HOUR_MS);
    expect(count(world)).toBeLessThan(before);
    await world.engine.close();
  });
});

/** An open order, an open list, and twenty filled orders that have left after some hours. */
async function aged(options: WorldOptions, { hours = 9 }: Readonly<{ hours?: number }> = {}) {
  const world = await createWorld({ ...options, settings: SHORT });
  await world.quote("100", "101");
  const old = await world.place(STOP);
  const { legs } = await world.placeList("oco", OCO);
  for (let count = 0; count < 20; count++) await world.place({ price: "101" });
  await world.quote("100", "101");
  for (let hour = 0; hour < hours; hour++) {
    await pass(world, HOUR_MS);
    if (hour === 3) await world.cancel(await world.place({ price: "90" }));
  }
  return {
    world,
    old: { ...old, sequence: old.lastSequence },
    list: { sequence: legs[0]?.lastSequence ?? 0 },
  };
}

const agedOf = async (kind: Kind) => ({ ...kind, ...(await aged(kind.options(true))) });
