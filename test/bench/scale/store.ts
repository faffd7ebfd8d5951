import { checked } from "../../../src/adapters/checksums/index.ts";
import { openDatabase } from "../../../src/adapters/sqlite/file.ts";
import { sqliteStorage } from "../../../src/adapters/sqlite/storage.ts";
import { price, quantity } from "../../../src/decimal/index.ts";
import { evolve, managedIdOf } from "../../../src/lifecycle/index.ts";
import {
  type Fact,
  type JournalRecord,
  type ParentIntent,
  type ParentOrder,
  SHARD_COUNT,
} from "../../../src/model/index.ts";
import type { OrderStore, ShardAppend } from "../../../src/ports/index.ts";
import { storeOn } from "../../../src/store/internal.ts";
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

/** Opens a store that does not wait for the disk: an interrupted build can be repeated. */
async function openTarget(path: string): Promise<OrderStore> {
  const database = openDatabase({ path, busyTimeoutMs: 5_000 });
  database.pragma("journal_mode = MEMORY");
  database.pragma("synchronous = OFF");
  database.pragma("cache_size = -1000000");
  const store = storeOn(checked(sqliteStorage(database), "file"), {});
  await store.acquire();
  return store;
}

/** Writes a store as an engine leaves it: records in time order, rows of ended parents, snapshots of resting ones. */
class Writer {
  readonly #store: OrderStore;
  readonly #shards: Shard[];
  #acceptances = 0;
  #waiting = 0;
  /** A day ago: within retention, and compared by verify. */
  readonly #startMs = Date.now() - 86_400_000;

  constructor(store: OrderStore) {
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
  async add(number: number, intent: ParentIntent, rests: boolean): Promise<void> {
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
    if (++this.#waiting >= BATCH) await this.flush();
  }

  async flush(): Promise<void> {
    const shards: ShardAppend[] = [];
    for (const [shard, { records, ended }] of this.#shards.entries())
      if (records.length > 0) shards.push({ shard, epoch: 1, round: 0, records, ended });
    const outcomes = await this.#store.append({ shards });
    if (outcomes.some((outcome) => outcome !== "durable")) throw new Error("the store did not keep a batch");
    for (const shard of this.#shards) [shard.records, shard.ended] = [[], []];
    this.#waiting = 0;
  }

  async snapshots(): Promise<void> {
    for (const [shard, { sequence, counter, open: parents }] of this.#shards.entries())
      await this.#store.writeSnapshot({ shard, sequence, counter, parents });
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
export async function buildStore(plan: Plan, path: string): Promise<void> {
  const store = await openTarget(path);
  const writer = new Writer(store);
  for (let n = 0; n < plan.ended; n++)
    await writer.add(shardOfParent(n, 2), intentOf(1 + (n % (plan.instruments - 1)), n), false);
  for (let n = 0; n < plan.open; n++) {
    if (n === plan.open / 2) {
      await writer.flush();
      await writer.snapshots();
    }
    const fires = n % (plan.open / plan.fires) === 0;
    const instrument = fires ? 0 : 1 + (n % (plan.instruments - 1));
    await writer.add(shardOfParent(n, 10), intentOf(instrument, plan.ended + n), true);
  }
  await writer.flush();
  await store.close();
}
