import type { PgClient } from "../../src/adapters/postgres/connection.ts";
import { openPostgresStore, type PostgresStore } from "../../src/adapters/postgres/index.ts";
import { price } from "../../src/decimal/index.ts";
import type { JournalRecord, ParentOrder } from "../../src/model/index.ts";
import { medianOf } from "../bench/measure.ts";
import { endedOrder, part, sampleMark, samplePrint } from "../store/rules/samples.ts";
import type { Server } from "./server.ts";
import { session } from "./session.ts";

const SHARDS = 16;
/** Orders that one append accepts and ends in each of the shards. */
const ORDERS = 2;
const SLICE_MS = 1_000;
/** Slices between two runs of the retention. */
const RETENTION_EVERY = 10;
/** The part of the throughput, relative to inserts of the same size, that must be left. */
const LEAST = 2 / 3;

const RAW = "INSERT INTO raw (record) SELECT n.record FROM unnest($1::text[]) AS n (record)";
const TYPES = { getTypeParser: () => (value: string) => value };

/** An order that has ended, and its two records, which follow a record of its shard. */
function orderOf(
  shard: number,
  before: number,
): Readonly<{ records: readonly JournalRecord[]; ended: ParentOrder }> {
  const orderId = -(256 * (before + 1) + shard);
  const [first, last] = [before + 1, before + 2];
  const recordOf = (sequence: number, previous: number): JournalRecord => {
    const facts = [{ kind: "CHILD_OPEN", childId: `aqc-${shard}-${sequence}` }] as const;
    return {
      shard,
      sequence,
      timeMs: sequence,
      cause: { kind: "PLACE" },
      changes: [{ orderId, previous, facts }],
    };
  };
  const ended = { ...endedOrder({ orderId, accountId: shard }), lastSequence: last };
  return { records: [recordOf(first, 0), recordOf(last, first)], ended };
}

/** Appends orders that are accepted and end, with marks, quotes and prints, and forgets them, as an engine does. */
class Load {
  readonly #store: PostgresStore;
  readonly #sequences: number[] = new Array<number>(SHARDS).fill(0);
  #count = 0;

  constructor(store: PostgresStore) {
    this.#store = store;
  }

  async append(): Promise<number> {
    const n = ++this.#count;
    const shards = this.#sequences.map((before, shard) => {
      const made = Array.from({ length: ORDERS }, (_, n) => orderOf(shard, before + 2 * n));
      this.#sequences[shard] = before + 2 * ORDERS;
      const [records, ended] = [made.flatMap((one) => one.records), made.map((one) => one.ended)];
      const marks = shard === 0 ? [sampleMark({ position: n })] : [];
      return part(shard, 1, { records, ended, marks });
    });
    const quotes = [{ symbol: "BTC/USD", bid: price("100"), ask: price("101"), timeMs: n }];
    const prints = [samplePrint({ id: `p${n}`, timeMs: n, seenAtMs: n })];
    const outcomes = await this.#store.append({ shards, quotes, prints });
    if (outcomes.some((outcome) => outcome !== "durable")) throw new Error("an append was fenced");
    return SHARDS * ORDERS * 2;
  }

  async retain(): Promise<void> {
    for (const [shard, sequence] of this.#sequences.entries())
      await this.#store.writeSnapshot({ shard, sequence, counter: sequence, parents: [] });
    await this.#store.pruneEnded?.({ beforeMs: 10_000 }, () => true);
    await this.#store.deleteVolume({ beforeMs: 0 });
  }
}

/** Rates of one second of appends and of a part of a second of inserts into one table, which nothing slows down. */
type Slice = Readonly<{ records: number; inserts: number }>;

async function rateOf(forMs: number, work: () => Promise<number>): Promise<number> {
  const start = performance.now();
  let done = 0;
  while (performance.now() - start < forMs) done += await work();
  return (done / (performance.now() - start)) * 1_000;
}

async function slices(seconds: number, load: Load, client: PgClient): Promise<readonly Slice[]> {
  const row = "x".repeat(400);
  const insert = async (): Promise<number> => {
    const values = [new Array<string>(SHARDS * ORDERS * 2).fill(row)];
    await client.query({ text: RAW, values, rowMode: "array", types: TYPES });
    return SHARDS * ORDERS * 2;
  };
  const taken: Slice[] = [];
  const end = performance.now() + seconds * 1_000;
  while (performance.now() < end) {
    const records = await rateOf(SLICE_MS, () => load.append());
    taken.push({ records, inserts: await rateOf(SLICE_MS / 4, insert) });
    if (taken.length % RETENTION_EVERY === 0) await load.retain();
  }
  return taken;
}

/** Returns the medians of the rates, and of the ratio of the two in each slice. */
function summed(taken: readonly Slice[]): Slice & Readonly<{ ratio: number }> {
  return {
    records: medianOf(taken.map(({ records }) => records)),
    inserts: medianOf(taken.map(({ inserts }) => inserts)),
    ratio: medianOf(taken.map(({ records, inserts }) => records / inserts)),
  };
}

/**
 * Appends while another transaction holds a snapshot for a number of seconds, as a backup does, and compares the
 * throughput with that before. The machine may be slower at the end for other reasons, so each rate is compared with that
 * of inserts into one table in the same second. Throws if more than a third is lost.
 */
export async function heldSnapshot(server: Server, seconds: number): Promise<void> {
  const options = { url: server.url(), schema: "held", requireDurability: false, journal: { prune: true } };
  const store = await openPostgresStore(options);
  await store.acquire();
  const [client, holder] = [await session(server), await session(server)];
  await client.query("CREATE TABLE raw (id bigserial PRIMARY KEY, record text NOT NULL)");
  const load = new Load(store);
  const part = Math.min(60, seconds);
  await slices(part / 2, load, client); // warms up
  const before = summed(await slices(part, load, client));
  await holder.query("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM held.entry");
  const held = await slices(seconds, load, client);
  const last = summed(held.slice(-Math.max(1, Math.round(part / (SLICE_MS / 1_000) / 1.25))));
  await holder.query("ROLLBACK");
  const left = last.ratio / before.ratio;
  const line = (name: string, { records, inserts, ratio }: ReturnType<typeof summed>): string =>
    `${name}: ${Math.round(records)} records/s, ${Math.round(inserts)} inserts/s, ratio ${ratio.toFixed(2)}`;
  console.error(line("before", before));
  console.error(line(`after ${seconds} s under a held snapshot`, last));
  console.error(`left: ${(left * 100).toFixed(0)} %, at least ${(LEAST * 100).toFixed(0)} %`);
  for (const one of [client, holder]) await one.end();
  await store.close();
  if (left < LEAST) throw new Error("a held snapshot costs more than a third of the throughput");
}
