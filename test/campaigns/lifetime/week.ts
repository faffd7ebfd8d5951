import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import {
  createManualClock,
  createMemoryAccounts,
  createMemoryExposure,
  createMemoryInstruments,
} from "../../../src/adapters/memory/index.ts";
import {
  backupSqliteStore,
  openSqliteStore,
  restoreSqliteStore,
  type SqliteStore,
  verifySqliteStore,
} from "../../../src/adapters/sqlite/index.ts";
import { price, quantity } from "../../../src/decimal/index.ts";
import { openEngine } from "../../../src/engine/index.ts";
import { evolve, managedIdOf } from "../../../src/lifecycle/index.ts";
import type { Fact, JournalRecord, ParentIntent, ParentOrder } from "../../../src/model/index.ts";
import type { ShardAppend } from "../../../src/ports/index.ts";
import { readValue } from "../../adapters/sqlite/temporary-place.ts";
import { accountIn } from "../../bench/bench-engine.ts";
import { createScriptedVenue } from "../../support/scripted-venue.ts";
import { INSTRUMENTS, START_MS, SYMBOL } from "../../support/world.ts";

const HOUR_MS = 3_600_000;
const RETENTION_DAYS = 1;
const BATCH = 4_096;

/** Number of records of a run, and the days over which they come. */
export type WeekPlan = Readonly<{
  records: number;
  days: number;
  /** Number of shards among which they are spread. */
  shards: number;
  folder: string;
  say: (line: string) => void;
}>;

/** Figures of a run. */
export type WeekResult = Readonly<{
  /** Size of the store in megabytes, and number of records in it, at the end of each day. */
  days: readonly Readonly<{ megabytes: number; records: number }>[];
  /** The longest time in milliseconds for which a step of the deletion held the thread. */
  longestStepMs: number;
  /** Whether `verify` was equal and the journal whole, at the end, and of the store that was restored. */
  equal: boolean;
  whole: boolean;
  restoredEqual: boolean;
  restoredWhole: boolean;
}>;

type Shard = {
  counter: number;
  sequence: number;
  readonly open: Map<number, ParentOrder>;
  records: JournalRecord[];
  ended: ParentOrder[];
};

const END: Fact = { kind: "END_REQUESTED", end: { status: "CANCELED", reason: "USER_CANCELED" } };
const ENDED: Fact = { kind: "ENDED", status: "CANCELED", reason: "USER_CANCELED" };

/** Every order has three records; one in 500 stays open, with one record. */
const OPEN_EVERY = 500;
const RECORDS_PER_ORDER = 3;

class Writer {
  readonly #store: SqliteStore;
  readonly #epoch: number;
  readonly #shards: Shard[];
  #orders = 0;
  #waiting = 0;

  constructor(store: SqliteStore, epoch: number, shards: number) {
    this.#shards = Array.from({ length: shards }, () => {
      return { counter: 0, sequence: 0, open: new Map(), records: [], ended: [] };
    });
    this.#store = store;
    this.#epoch = epoch;
  }

  /** Places an order, and ends it at once unless it is to stay open. */
  async order(timeMs: number): Promise<void> {
    const number = this.#orders++ % this.#shards.length;
    const shard = this.#shards[number];
    if (shard === undefined) return;
    const orderId = managedIdOf({ count: ++shard.counter, shard: number });
    const accepted: Fact = {
      ...{ kind: "ACCEPTED", accountId: accountIn(number), acceptance: this.#orders },
      intent: intentOf(this.#orders),
    };
    const stays = Math.floor(this.#orders / this.#shards.length) % OPEN_EVERY === 0;
    let order: ParentOrder | undefined;
    for (const fact of stays ? [accepted] : [accepted, END, ENDED]) {
      const sequence = ++shard.sequence;
      const changes = [{ orderId, previous: order?.lastSequence ?? 0, facts: [fact] }];
      shard.records.push({ shard: number, sequence, timeMs, cause: { kind: "PLACE" }, changes });
      order = evolve(order, fact, { orderId, sequence, timeMs });
      this.#waiting++;
    }
    if (order !== undefined && stays) shard.open.set(orderId, order);
    else if (order !== undefined) shard.ended.push(order);
    if (this.#waiting >= BATCH) await this.flush();
  }

  async flush(): Promise<void> {
    const shards: ShardAppend[] = [];
    for (const [number, shard] of this.#shards.entries()) {
      const { records, ended } = shard;
      if (records.length > 0) shards.push({ shard: number, epoch: this.#epoch, round: 0, records, ended });
      [shard.records, shard.ended] = [[], []];
    }
    this.#waiting = 0;
    const outcomes = await this.#store.append({ shards });
    if (outcomes.includes("fenced")) throw new Error("the store refused a batch");
  }

  /** Writes the snapshots that an engine takes each hour. */
  async snapshots(): Promise<void> {
    for (const [shard, { sequence, counter, open }] of this.#shards.entries())
      await this.#store.writeSnapshot({ shard, sequence, counter, parents: [...open.values()] });
  }
}

function intentOf(n: number): ParentIntent {
  return {
    ...{ symbol: SYMBOL, side: "SELL", type: "STOP_MARKET", timeInForce: "GTC", childTimeInForce: "IOC" },
    ...{ quantity: quantity("0.125"), stopPrice: price("9000"), reduceOnly: false },
    clientOrderId: `order-${String(n).padStart(10, "0")}`,
  } as ParentIntent;
}

/** Runs simulated days: orders, the hourly deletion, a backup under load in the middle, and all checks at the end. */
export async function runWeek({ records, days, shards, folder, say }: WeekPlan): Promise<WeekResult> {
  const [path, archive, backup] = [
    join(folder, "orders.db"),
    join(folder, "archive"),
    join(folder, "backup.db"),
  ];
  const store = openSqliteStore({ path, journal: { prune: true, archive } });
  const [head] = await store.acquire();
  const writer = new Writer(store, head?.epoch ?? 0, shards);
  const ordersPerHour = Math.ceil(records / RECORDS_PER_ORDER / days / 24);
  const sizes: WeekResult["days"][number][] = [];
  let [nowMs, longestStepMs] = [START_MS, 0];
  let copying: Promise<unknown> = Promise.resolve();
  for (let day = 1; day <= days; day++) {
    if (day === Math.ceil((days * 2) / 3)) copying = backupSqliteStore({ path, to: backup });
    for (let hour = 0; hour < 24; hour++) {
      for (let n = 0; n < ordersPerHour; n++)
        await writer.order(nowMs + Math.floor((n * HOUR_MS) / ordersPerHour));
      nowMs += HOUR_MS;
      await writer.flush();
      await writer.snapshots();
      longestStepMs = Math.max(longestStepMs, await forget(store, nowMs));
    }
    const size = {
      megabytes: megabytesOf(path),
      records: Number(readValue(path, "SELECT count(*) FROM journal")),
    };
    sizes.push(size);
    const archived = readdirSync(archive).map((name) => megabytesOf(join(archive, name)));
    const sum = Math.round(archived.reduce((a, b) => a + b, 0));
    say(`day ${day}: store ${size.megabytes} MB, ${size.records} records; archive ${sum} MB`);
  }
  await copying;
  await store.close();
  const restored = join(folder, "restored.db");
  await restoreSqliteStore({ from: backup, path: restored });
  const { whole } = await verifySqliteStore({ path, archive });
  const { whole: restoredWhole } = await verifySqliteStore({ path: restored });
  const equal = await isEqual(path, nowMs);
  const restoredEqual = await isEqual(restored, nowMs);
  return { days: sizes, longestStepMs, equal, whole, restoredEqual, restoredWhole };
}

/** Deletes what retention allows. Resolves to the longest time for which a step held the thread. */
async function forget(store: SqliteStore, nowMs: number): Promise<number> {
  let [longestMs, sinceMs] = [0, performance.now()];
  // Between two steps the event loop turns: what it does then counts too.
  await store.pruneEnded?.({ beforeMs: nowMs - RETENTION_DAYS * 24 * HOUR_MS }, () => {
    longestMs = Math.max(longestMs, performance.now() - sinceMs);
    queueMicrotask(() => {
      sinceMs = performance.now();
    });
    return true;
  });
  return longestMs;
}

const megabytesOf = (path: string): number => Math.round(statSync(path).size / 1e5) / 10;

/** Opens an engine at a time of the run, and verifies. */
async function isEqual(path: string, nowMs: number): Promise<boolean> {
  const engine = await openEngine({
    store: openSqliteStore({ path }),
    clock: createManualClock({ startMs: nowMs }),
    instruments: createMemoryInstruments(INSTRUMENTS),
    accounts: createMemoryAccounts(),
    exposure: createMemoryExposure(),
    venue: createScriptedVenue(),
    entropy: { token: (length) => "t".repeat(length) },
    settings: { advancedOrders: true, retentionDays: RETENTION_DAYS },
  });
  const { equal } = await engine.verify();
  await engine.close();
  return equal;
}
