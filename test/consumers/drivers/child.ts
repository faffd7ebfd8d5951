/**
 * One process of ../drivers.mjs: `child TASK PATH DRIVER`. Prints one JSON text per line.
 */
import { createHash } from "node:crypto";
import {
  openSqliteStore,
  type SqliteDriverName,
  type SqliteStore,
} from "../../../src/adapters/sqlite/index.ts";
import { price } from "../../../src/decimal/index.ts";
import { encodeParent, encodeRecord } from "../../../src/wire/index.ts";
import {
  endedOrder,
  openOrder,
  part,
  sampleMark,
  samplePrint,
  sampleRecords,
} from "../../store/rules/samples.ts";

const SHARD = 3;
const RECORDS = 5;
const PAGE = 1_000;
const SNAPSHOT_EVERY = 20;

const [task = "", path = "", driver] = process.argv.slice(2);

const print = (message: unknown): void => console.log(JSON.stringify(message));

const open = (): SqliteStore =>
  openSqliteStore({ path, driver: driver as SqliteDriverName, exclusive: true, busyTimeoutMs: 50 });

/** Appends rows of every kind until the process is killed; prints the last record of each batch that is durable. */
async function write(): Promise<void> {
  const store = open();
  const { epoch, sequence } = (await store.acquire())[SHARD] ?? { epoch: 0, sequence: 0 };
  for (let from = sequence + 1; ; from += RECORDS) {
    const last = from + RECORDS - 1;
    const records = sampleRecords(SHARD, from, last);
    const ended = [endedOrder({ orderId: -256 * from, accountId: 1 })];
    const quotes = [
      {
        symbol: "BTC/USD",
        bid: price("9999999999.99999998"),
        ask: price("9999999999.99999999"),
        timeMs: from,
      },
    ];
    const shards = [
      part(SHARD, epoch, { records, ended, marks: [sampleMark({ shard: SHARD, position: from })] }),
    ];
    const prints = [samplePrint({ id: `p${from}` })];
    const [outcome] = await store.append({ shards, prints, quotes });
    if (outcome !== "durable") throw new Error("a batch was fenced");
    print({ durable: last });
    if ((last / RECORDS) % SNAPSHOT_EVERY === 0) {
      const parents = Array.from({ length: 300 }, (_, n) => openOrder({ orderId: -256 * (last * 300 + n) }));
      await store.writeSnapshot({ shard: SHARD, sequence: last, counter: last, parents });
    }
  }
}

/** Reads everything, and prints what it is. */
async function read(): Promise<void> {
  const store = open();
  const hash = createHash("sha256");
  const { sequence } = (await store.acquire())[SHARD] ?? { sequence: 0 };
  for (let after = 0; after < sequence; ) {
    const records = await store.readRecords({ shard: SHARD, after, limit: PAGE });
    for (const record of records) hash.update(encodeRecord(record));
    after += records.length;
  }
  const snapshot = await store.readSnapshot(SHARD);
  for (const parent of snapshot?.parents ?? []) hash.update(encodeParent(parent));
  const { count } = await store.countEnded({ accountId: 1, shard: SHARD });
  const volume = await store.readVolume();
  hash.update(
    JSON.stringify([await store.readMarks(), await store.readQuotes(), volume], (_, value) =>
      typeof value === "bigint" ? String(value) : value,
    ),
  );
  print({
    sequence,
    count,
    prints: volume.prints.length,
    snapshot: snapshot?.sequence,
    hash: hash.digest("hex"),
  });
  await store.close();
}

/** Holds the store until the process is killed. */
async function hold(): Promise<void> {
  await open().acquire();
  print({ held: true });
  setInterval(() => undefined, 1_000);
}

const TASKS: Readonly<Record<string, () => Promise<void>>> = { write, read, hold };

// A refusal is an answer too.
await TASKS[task]?.().catch(({ message, code }) => print({ refused: message, code }));
