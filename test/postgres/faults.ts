import { loadDriver } from "../../src/adapters/postgres/connection.ts";
import { Database, Pool } from "../../src/adapters/postgres/database.ts";
import { openPostgresStore, type PostgresStore } from "../../src/adapters/postgres/index.ts";
import { storeIn } from "../../src/adapters/postgres/order-store.ts";
import type { AppendBatch } from "../../src/ports/index.ts";
import { recordKey } from "../../src/store/internal.ts";
import { part, sampleRecord } from "../store/rules/samples.ts";
import { LossyProxy } from "./proxy.ts";
import { rowsOf, session } from "./session.ts";
import { demand, type Step, type Surroundings, sleep, until } from "./steps.ts";

const SHARDS = [3, 77, 128, 250];

/** Opens the store of a step, through a proxy if its port is given. */
export async function open(
  { server, schema }: Surroundings,
  port: number = server.port,
): Promise<PostgresStore> {
  const options = { url: server.url(port), schema, connections: 6, requireDurability: false };
  return await openPostgresStore({ ...options, answerTimeoutMs: 20_000 });
}

/** What an engine knows of one shard: its round, and the last record that is durable. */
type Known = { epoch: number; round: number; sequence: number };

/**
 * Appends to several shards as the engine does, one batch after the other, until it is told to stop. After an unknown
 * outcome it fences and reads.
 */
class Writer {
  readonly #place: Surroundings;
  readonly #known: Map<number, Known> = new Map();
  store: PostgresStore;
  durable = 0;
  unknown = 0;
  #stops = false;

  constructor(place: Surroundings, store: PostgresStore) {
    this.#place = place;
    this.store = store;
  }

  async acquire(): Promise<void> {
    for (const { shard, epoch, sequence } of await this.store.acquire())
      if (SHARDS.includes(shard)) this.#known.set(shard, { epoch, round: 0, sequence });
  }

  stop(): void {
    this.#stops = true;
  }

  async run(): Promise<void> {
    while (!this.#stops) await this.#appendOnce();
  }

  async #appendOnce(): Promise<void> {
    const shards = SHARDS.map((shard) => {
      const { epoch, round, sequence } = this.#of(shard);
      return part(shard, epoch, { round, records: [sampleRecord(shard, sequence + 1)] });
    });
    const outcomes = await this.store.append({ shards }).catch(() => undefined);
    if (outcomes === undefined) {
      this.unknown++;
      for (const shard of SHARDS) await this.#readBack(shard);
      return;
    }
    for (const [index, shard] of SHARDS.entries()) {
      demand(outcomes[index] === "durable", `an append to shard ${shard} was fenced by nobody`);
      this.#of(shard).sequence++;
      this.durable++;
    }
  }

  /** Every record that was reported as durable is there, and at most the one that was unknown comes on top. */
  async #readBack(shard: number): Promise<void> {
    const known = this.#of(shard);
    const { epoch, sequence } = await this.#patiently(async () => {
      await this.store.fence({ shard, epoch: known.epoch, round: known.round + 1 });
      return await this.store.head(shard);
    });
    demand(epoch === known.epoch, `shard ${shard} was claimed by nobody`);
    const more = sequence - known.sequence;
    demand(more === 0 || more === 1, `shard ${shard} has ${more} records more than were reported`);
    known.round++;
    known.sequence = sequence;
  }

  async #patiently<T>(work: () => Promise<T>): Promise<T> {
    const end = performance.now() + 30_000;
    for (;;) {
      try {
        return await work();
      } catch (error) {
        if (performance.now() > end) throw error;
        await sleep(20);
      }
    }
  }

  #of(shard: number): Known {
    const known = this.#known.get(shard);
    demand(known !== undefined, `shard ${shard} is not owned`);
    return known;
  }

  /** Compares the journal with what was reported. */
  async check(): Promise<void> {
    const reader = await open(this.#place);
    for (const shard of SHARDS) {
      const { sequence } = this.#of(shard);
      demand(
        (await reader.head(shard)).sequence === sequence,
        `the head of shard ${shard} is not ${sequence}`,
      );
      let read = 0;
      while (read < sequence) {
        const records = await reader.readRecords({ shard, after: read, limit: 1_000 });
        for (const record of records)
          demand(record.sequence === ++read, `shard ${shard} has a gap at ${read}`);
      }
    }
    await reader.close();
  }
}

/** Runs a writer while something happens to the server, and checks its journal at the end. */
async function during(place: Surroundings, harm: (writer: Writer) => Promise<void>): Promise<Writer> {
  const writer = new Writer(place, await open(place));
  await writer.acquire();
  const running = writer.run();
  await until("the first appends", () => writer.durable > 20);
  await Promise.race([harm(writer), running]);
  writer.stop();
  await running;
  await writer.check();
  await writer.store.close();
  return writer;
}

const killed: Step = async (place) => {
  const { unknown } = await during(place, async (writer) => {
    for (let kill = 1; kill <= 3; kill++) {
      await place.server.kill();
      await place.server.start();
      const before = writer.durable;
      await until("appends after a restart", () => writer.durable > before + 20);
    }
  });
  demand(unknown > 0, "no append was under way when the server was killed");
};

const terminated: Step = async (place) => {
  const client = await session(place.server);
  const kill = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE application_name = 'managed-orders' AND state = 'active' AND query LIKE '%WITH locked%'`;
  const { unknown } = await during(place, async (writer) => {
    await until("three unknown appends", async () => {
      await rowsOf(client, kill);
      return writer.unknown >= 3;
    });
  });
  await client.end();
  demand(unknown >= 3, "no connection was ended");
};

/** A batch with one record of shard 3. */
export const BATCH = (epoch: number, round: number, sequence: number = 1): AppendBatch => ({
  shards: [part(3, epoch, { round, records: [sampleRecord(3, sequence)] })],
});

/** An append whose bytes reach the server after its client is gone and the shard was read back. */
async function orphanAfterReading(
  place: Surroundings,
  read: (store: PostgresStore) => Promise<number>,
): Promise<Readonly<{ seen: number; later: number }>> {
  const proxy = await LossyProxy.create(place.server.port);
  const [writer, reader] = [await open(place, proxy.port), await open(place)];
  await writer.acquire();
  // A handle reads before its first append.
  await writer.append(BATCH(1, 0));
  proxy.behaviour.holds = true;
  const outcome = writer.append(BATCH(1, 0, 2)).catch((error: Error) => error.name);
  await until("the append on its way", () => proxy.isHolding);
  proxy.cut();
  demand((await outcome) === "UnknownOutcome", "a lost connection was no unknown outcome");
  const seen = await read(reader);
  proxy.deliver();
  const client = await session(place.server);
  const running = `SELECT count(*) FROM pg_stat_activity WHERE query LIKE '%WITH locked%' AND state = 'active'
    AND pid <> pg_backend_pid()`;
  await sleep(100);
  await until("the orphan's end", async () => (await rowsOf(client, running))[0]?.[0] === "0");
  const later = (await reader.head(3)).sequence;
  await client.end();
  for (const store of [writer, reader]) await store.close();
  await proxy.close();
  return { seen, later };
}

const orphan: Step = async (place) => {
  const { seen, later } = await orphanAfterReading(place, async (store) => {
    await store.fence({ shard: 3, epoch: 1, round: 1 });
    return (await store.head(3)).sequence;
  });
  demand(
    seen === 1 && later === 1,
    `an orphan became durable after the shard was read: ${seen}, then ${later}`,
  );
};

const plantedReading: Step = async (place) => {
  const { seen, later } = await orphanAfterReading(place, async (store) => (await store.head(3)).sequence);
  demand(seen === 1 && later === 2, "a read without the raise was not found: the step orphan tests nothing");
};

const orphanInLine: Step = async (place) => {
  const proxy = await LossyProxy.create(place.server.port);
  const [writer, reader] = [await open(place, proxy.port), await open(place)];
  await writer.acquire();
  const holder = await session(place.server);
  await holder.query(`BEGIN; SELECT 1 FROM "${place.schema}".entry WHERE key = 'head 003' FOR UPDATE`);
  const outcome = writer.append(BATCH(1, 0)).catch((error: Error) => error.name);
  const client = await session(place.server);
  const waiting = "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'";
  await until("the append in line", async () => (await rowsOf(client, waiting))[0]?.[0] === "1");
  proxy.cut();
  demand((await outcome) === "UnknownOutcome", "a lost connection was no unknown outcome");
  const fencing = reader.fence({ shard: 3, epoch: 1, round: 1 });
  await until("the fence in line", async () => (await rowsOf(client, waiting))[0]?.[0] === "2");
  await holder.query("COMMIT");
  await fencing;
  const { sequence } = await reader.head(3);
  demand(sequence === 1, "the fence did not wait for the append before it");
  for (const one of [holder, client]) await one.end();
  for (const store of [writer, reader]) await store.close();
  await proxy.close();
};

const answerLost: Step = async (place) => {
  const proxy = await LossyProxy.create(place.server.port);
  const store = await open(place, proxy.port);
  await store.acquire();
  for (let round = 0; round < 5; round++) {
    await store.append(BATCH(1, round, 2 * round + 1));
    proxy.behaviour.losesAnswer = true;
    const outcome = await store.append(BATCH(1, round, 2 * round + 2)).catch((error: Error) => error.name);
    demand(outcome === "UnknownOutcome", `a lost answer was told as ${String(outcome)}`);
    await store.fence({ shard: 3, epoch: 1, round: round + 1 });
    demand((await store.head(3)).sequence === 2 * round + 2, "the record whose answer was lost is not there");
  }
  await store.close();
  await proxy.close();
};

const fighting: Step = async (place) => {
  const reports = new Map<number, number>();
  const fight = async (store: PostgresStore): Promise<void> => {
    for (let turn = 0; turn < 15 || (turn < 500 && reports.size < 30); turn++) {
      const [, , , head] = await store.acquire();
      const epoch = head?.epoch ?? 0;
      let sequence = head?.sequence ?? 0;
      for (let n = 0; n < 10; n++) {
        const [outcome] = await store.append(BATCH(epoch, 0, sequence + 1));
        if (outcome !== "durable") break;
        reports.set(++sequence, (reports.get(sequence) ?? 0) + 1);
      }
    }
  };
  const stores = [await open(place), await open(place), await open(place)];
  await Promise.all(stores.map(fight));
  const { sequence } = (await stores[0]?.head(3)) ?? { sequence: 0 };
  demand(sequence === reports.size && sequence >= 30, `${sequence} records, ${reports.size} were reported`);
  demand(
    [...reports.values()].every((count) => count === 1),
    "one record was reported as durable twice",
  );
  for (const store of stores) await store.close();
};

const outOfConnections: Step = async ({ server, schema }) => {
  const client = await session(server);
  await client.query(
    `CREATE ROLE limited LOGIN CONNECTION LIMIT 1; GRANT CREATE ON DATABASE postgres TO limited`,
  );
  const options = { url: server.url(server.port, "limited"), schema, requireDurability: false };
  const store = await openPostgresStore(options);
  await store.acquire();
  const many = Array.from({ length: 6 }, () => store.head(3));
  const failures = (await Promise.allSettled(many)).filter(({ status }) => status === "rejected");
  demand(failures.length > 0, "a server without a connection left refused nobody");
  for (const failure of failures)
    demand(
      /has no connection left|connection limit|too many connections/.test(
        String((failure as PromiseRejectedResult).reason),
      ),
      String((failure as PromiseRejectedResult).reason),
    );
  demand((await store.append(BATCH(1, 0)))[0] === "durable", "the store did not go on with one connection");
  await store.close();
  await client.query(`DROP SCHEMA "${schema}" CASCADE; DROP OWNED BY limited; DROP ROLE limited`);
  await client.end();
};

const slow: Step = async (place) => {
  const proxy = await LossyProxy.create(place.server.port);
  proxy.behaviour.delayMs = 250;
  const store = await open(place, proxy.port);
  await store.acquire();
  for (let sequence = 1; sequence <= 3; sequence++)
    demand((await store.append(BATCH(1, 0, sequence)))[0] === "durable", "a slow append was not durable");
  await store.close();
  await proxy.close();
};

/** Commits without the lock on what they rely on. */
class Unlocked extends Database {
  override append: Database["append"] = (text, values, cutter, options) =>
    super.append(text.replace("LIMIT 1 FOR UPDATE", "LIMIT 1"), values, cutter, options);
}

/**
 * An append is under way, held up behind the key of its record, while another store takes over and reads. Returns
 * whether the append became durable after it was not read.
 */
async function takenOverMeanwhile(place: Surroundings, Kind: typeof Database): Promise<boolean> {
  const [later, blocker] = [await open(place), await session(place.server)];
  await later.acquire();
  const pool = new Pool({
    ...{ driver: loadDriver(), url: place.server.url(), connectTimeoutMs: 5_000 },
    ...{ connections: 3, waiting: 9, answerTimeoutMs: 20_000 },
  });
  const database = new Kind(pool, { database: "", schema: place.schema });
  const writer = storeIn(database, { answerTimeoutMs: 5_000 });
  await blocker.query(`BEGIN; INSERT INTO "${place.schema}".log VALUES ('${recordKey(3, 1)}', 'blocks')`);
  const appending = writer.append(BATCH(1, 0));
  const client = await session(place.server);
  const waiting = "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'";
  await until("the append behind the key", async () => (await rowsOf(client, waiting))[0]?.[0] === "1");
  let isTaken = false;
  const taking = later.acquire().then((heads) => {
    isTaken = true;
    return heads[3]?.sequence ?? 0;
  });
  await until("the takeover", async () => isTaken || (await rowsOf(client, waiting))[0]?.[0] === "2");
  await blocker.query("ROLLBACK");
  const [[outcome], seen] = [await appending, await taking];
  for (const one of [blocker, client]) await one.end();
  await writer.close();
  await later.close();
  return outcome === "durable" && seen === 0;
}

const takeover: Step = async (place) => {
  demand(
    !(await takenOverMeanwhile(place, Database)),
    "a takeover did not read an append that became durable",
  );
};

const plantedLock: Step = async (place) => {
  const isLost = await takenOverMeanwhile(place, Unlocked);
  demand(isLost, "the check without its lock was not found: the step takeover tests nothing");
};

/** All steps by name. Those that are planted break the store on purpose and must be found. */
export const STEPS: Readonly<Record<string, Step>> = {
  "I01: SIGKILL of the server during appends": killed,
  "I01: connections that the server ends during appends": terminated,
  "I60: an orphan that arrives after the shard was read back is fenced": orphan,
  "planted: a read without the raise loses an orphan": plantedReading,
  "I60: a fence waits for an append before it": orphanInLine,
  "I01: answers that are lost": answerLost,
  "I60: a takeover waits for an append that is under way": takeover,
  "planted: the check without its lock loses an append": plantedLock,
  "I60: three stores fight for the shards": fighting,
  "a server without a connection left": outOfConnections,
  "a server that answers after 500 ms": slow,
};
