import type { Database } from "../../../src/adapters/sqlite/database.ts";
import { endedListTable } from "../../../src/adapters/sqlite/ended-list-table.ts";
import { endedTable } from "../../../src/adapters/sqlite/ended-table.ts";
import { journalTable } from "../../../src/adapters/sqlite/journal-table.ts";
import { markTable } from "../../../src/adapters/sqlite/mark-table.ts";
import { openDatabase } from "../../../src/adapters/sqlite/open-database.ts";
import { quoteTable } from "../../../src/adapters/sqlite/quote-table.ts";
import { snapshotTable } from "../../../src/adapters/sqlite/snapshot-table.ts";
import { type Transactions, transactions } from "../../../src/adapters/sqlite/transactions.ts";
import { volumeTable } from "../../../src/adapters/sqlite/volume-table.ts";
import { price, quantity } from "../../../src/decimal/index.ts";
import { evolve, managedIdOf } from "../../../src/lifecycle/index.ts";
import {
  type Fact,
  type JournalRecord,
  type ParentIntent,
  type ParentOrder,
  SHARD_COUNT,
} from "../../../src/model/index.ts";
import type { ShardAppend, ShardSnapshot } from "../../../src/ports/index.ts";
import { accountIn } from "../bench-engine.ts";
import { type Plan, shardOfParent, symbolOf } from "./plan.ts";

const BATCH = 8_192;
const ENDED: Fact = { kind: "ENDED", status: "CANCELED", reason: "USER_CANCELED" };

/** The content of a shard of the store so far. */
type Shard = {
  counter: number;
  sequence: number;
  readonly open: ParentOrder[];
  records: JournalRecord[];
  ended: ParentOrder[];
};

/** The store's own statements and transactions, without waiting for the disk: an interrupted build can be repeated. */
type Target = Pick<Transactions, "append"> &
  Readonly<{ snapshot: (snapshot: ShardSnapshot) => void; close: () => void }>;

function openTarget(path: string): Target {
  const database = openDatabase({ path, busyTimeoutMs: 5_000 });
  database.pragma("journal_mode = MEMORY");
  database.pragma("synchronous = OFF");
  database.pragma("cache_size = -1000000");
  const snapshots = snapshotTable(database);
  const { acquire, append } = transactions(database, {
    journal: journalTable(database),
    marks: markTable(database),
    volume: volumeTable(database),
    quotes: quoteTable(database),
    snapshots,
    ended: endedTable(database),
    endedLists: endedListTable(database),
  });
  acquire();
  const restore = withoutIndexes(database);
  const snapshot = database.transaction((taken: ShardSnapshot): void => {
    for (const _ of snapshots.write(taken));
  });
  const close = (): void => {
    restore();
    database.close();
  };
  return { append, snapshot, close };
}

/** Drops the indexes and triggers of ended parents; returns a function that creates them for all rows at once. */
function withoutIndexes(database: Database): () => void {
  const made = database
    .prepare<[], Readonly<{ type: string; name: string; sql: string }>>(
      "SELECT type, name, sql FROM sqlite_master WHERE tbl_name = 'ended' AND type <> 'table' AND sql IS NOT NULL",
    )
    .all();
  for (const { type, name } of made) database.exec(`DROP ${type} ${name}`);
  return () => {
    database.exec("INSERT INTO ended_counts SELECT account_id, count(*) FROM ended GROUP BY account_id");
    for (const { sql } of made) database.exec(sql);
  };
}

/** Writes a store as an engine leaves it: records in time order, rows of ended parents, snapshots of resting ones. */
class Writer {
  readonly #store: Target;
  readonly #shards: Shard[];
  #acceptances = 0;
  #waiting = 0;
  /** A day ago: within retention, and compared by verify. */
  readonly #startMs = Date.now() - 86_400_000;

  constructor(store: Target) {
    this.#store = store;
    this.#shards = Array.from({ length: SHARD_COUNT }, () => ({
      counter: 0,
      sequence: 0,
      open: [],
      records: [],
      ended: [],
    }));
  }

  /** Accepts a parent, and ends it in the next record unless it is to rest. */
  add(number: number, intent: ParentIntent, rests: boolean): void {
    const shard = this.#shards[number];
    if (shard === undefined) throw new RangeError(`there is no shard ${number}`);
    const orderId = managedIdOf({ count: ++shard.counter, shard: number });
    const accountId = accountIn(number);
    const accepted: Fact = { kind: "ACCEPTED", accountId, intent, acceptance: ++this.#acceptances };
    const facts = rests ? [accepted] : [accepted, ENDED];
    const [sequence, timeMs] = [++shard.sequence, this.#startMs + Math.floor(this.#acceptances / 200)];
    const context = { orderId, sequence, timeMs };
    let order: ParentOrder | undefined;
    for (const fact of facts) order = evolve(order, fact, context);
    if (order !== undefined) (rests ? shard.open : shard.ended).push(order);
    const changes = [{ orderId, previous: 0, facts }];
    shard.records.push({ shard: number, sequence, timeMs, cause: { kind: "PLACE" }, changes });
    if (++this.#waiting >= BATCH) this.flush();
  }

  flush(): void {
    const shards: ShardAppend[] = [];
    for (const [shard, { records, ended }] of this.#shards.entries())
      if (records.length > 0) shards.push({ shard, epoch: 1, round: 0, records, ended });
    const outcomes = this.#store.append({ shards });
    if (outcomes.some((outcome) => outcome !== "durable")) throw new Error("the store did not keep a batch");
    for (const shard of this.#shards) [shard.records, shard.ended] = [[], []];
    this.#waiting = 0;
  }

  snapshots(): void {
    for (const [shard, { sequence, counter, open: parents }] of this.#shards.entries())
      this.#store.snapshot({ shard, sequence, counter, parents });
  }
}

const TERMS = {
  side: "SELL",
  quantity: quantity("0.125"),
  timeInForce: "GTC",
  reduceOnly: false,
  childTimeInForce: "IOC",
} as const;

/** A stop-limit as in the benchmark of resting parents; those of the first instrument trigger at 9,000. */
function intentOf(instrument: number, n: number): ParentIntent {
  const clientOrderId = `scale-order-${String(n).padStart(10, "0")}`;
  const symbol = symbolOf(instrument);
  if (instrument === 0)
    return { symbol, ...TERMS, type: "STOP_MARKET", stopPrice: price("9000"), clientOrderId };
  const [stop, limit] = [price(`${5_000 + (n % 1_000)}.25`), price(`${4_990 + (n % 1_000)}.25`)];
  return { symbol, ...TERMS, type: "STOP_LOSS_LIMIT", price: limit, stopPrice: stop, clientOrderId };
}

/** Builds the store of a plan: the ended parents, half of the resting ones, snapshots, then the other half. */
export function buildStore(plan: Plan, path: string): void {
  const store = openTarget(path);
  const writer = new Writer(store);
  for (let n = 0; n < plan.ended; n++)
    writer.add(shardOfParent(n, 2), intentOf(1 + (n % (plan.instruments - 1)), n), false);
  for (let n = 0; n < plan.open; n++) {
    if (n === plan.open / 2) {
      writer.flush();
      writer.snapshots();
    }
    const fires = n % (plan.open / plan.fires) === 0;
    const instrument = fires ? 0 : 1 + (n % (plan.instruments - 1));
    writer.add(shardOfParent(n, 10), intentOf(instrument, plan.ended + n), true);
  }
  writer.flush();
  store.close();
}
