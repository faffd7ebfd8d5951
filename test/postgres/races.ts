import type { PgClient } from "../../src/adapters/postgres/driver.ts";
import { openPostgresStore } from "../../src/adapters/postgres/index.ts";
import { LEASES } from "../../src/adapters/postgres/lease-statements.ts";
import { sumOfHeader, sumOfPart } from "../../src/adapters/postgres/row-sums.ts";
import { SNAPSHOTS } from "../../src/adapters/postgres/snapshot-statements.ts";
import type { NodeEntry } from "../../src/ports/index.ts";
import { encodeParent } from "../../src/wire/index.ts";
import { openOrder, part, samplePrint, sampleRecords } from "../store/rules/samples.ts";
import { open } from "./faults.ts";
import { rowsOf, session } from "./session.ts";
import { demand, type Step, type Surroundings, until } from "./steps.ts";

const TYPES = { getTypeParser: () => (value: string) => value };

/** Statements of the store on connections of the test, of which each may hold a transaction open. */
class Sessions {
  readonly #place: Surroundings;
  /** Watches the server, and runs what waits for nothing. */
  readonly watcher: PgClient;
  readonly #clients: PgClient[];

  private constructor(place: Surroundings, watcher: PgClient) {
    this.#place = place;
    this.watcher = watcher;
    this.#clients = [watcher];
  }

  static async open(place: Surroundings): Promise<Sessions> {
    return new Sessions(place, await session(place.server));
  }

  async add(): Promise<PgClient> {
    const client = await session(this.#place.server);
    this.#clients.push(client);
    return client;
  }

  async run(client: PgClient, text: string, values: readonly unknown[] = []): Promise<void> {
    const inSchema = text.replace(/\bmanaged_orders\b/g, `"${this.#place.schema}"`);
    await client.query({ text: inSchema, values, rowMode: "array", types: TYPES });
  }

  /** Holds a shard until the returned function is called. */
  async hold(shard: number): Promise<() => Promise<void>> {
    const holder = await this.add();
    await this.run(holder, "BEGIN");
    await this.run(holder, "SELECT s.shard FROM managed_orders.shard AS s WHERE s.shard = $1 FOR UPDATE", [
      shard,
    ]);
    return () => this.run(holder, "COMMIT");
  }

  /** Waits until as many statements wait for a lock. */
  async line(length: number): Promise<void> {
    const waiting = "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'";
    await until(
      `${length} statements in line`,
      async () => (await rowsOf(this.watcher, waiting))[0]?.[0] === String(length),
    );
  }

  async close(): Promise<void> {
    for (const client of this.#clients) await client.end();
  }
}

/** Deletes replaced parts, as a caller did that has given it up, while a newer snapshot becomes visible. */
const dropped =
  (first: "finish" | "drop"): Step =>
  async (place) => {
    const [store, sessions] = [await open(place), await Sessions.open(place)];
    await store.acquire();
    await store.append({ shards: [part(0, 1, { records: sampleRecords(0, 1, 3) })] });
    const parents = [openOrder({ orderId: -256 })];
    await store.writeSnapshot({ shard: 0, sequence: 1, counter: 1, parents });
    const text = parents.map(encodeParent).join("\n");
    const writer = await sessions.add();
    await sessions.run(writer, SNAPSHOTS.addPart, [0, "next", 0, text, 1, sumOfPart(0, "next", 0, text)]);
    const sum = sumOfHeader({ shard: 0, generation: "next", sequence: 3, counter: 1, parents: 1 });
    const release = await sessions.hold(0);
    const late = await sessions.add();
    const statements = {
      finish: () => sessions.run(writer, SNAPSHOTS.finish, [0, 1, "next", 3, 1, 1, 1, sum]),
      drop: () => sessions.run(late, SNAPSHOTS.dropParts, [0, 1, 64]),
    };
    const second = first === "finish" ? "drop" : "finish";
    const running: Promise<void>[] = [];
    for (const name of [first, second] as const) {
      running.push(statements[name]());
      await sessions.line(running.length);
    }
    await release();
    await Promise.all(running);
    const stored = await rowsOf(sessions.watcher, `SELECT count(*) FROM "${place.schema}".snapshot_part`);
    demand(stored[0]?.[0] === "1", `${stored[0]?.[0]} parts are stored`);
    const read = await store.readSnapshot(0);
    const sequence = first === "finish" ? 3 : 1;
    demand(read?.sequence === sequence && read.parents.length === 1, "the newest snapshot was not read");
    await sessions.close();
    await store.close();
  };

const entry = (name: string): NodeEntry => ({
  ...{ name, address: "", version: "", format: 1, kinds: [], ttlMs: 10_000 },
});

/** A claim whose commit is late, as one that waits for a standby server, while its node leaves. */
const claimedByNobody: Step = async (place) => {
  const [store, sessions] = [await open(place), await Sessions.open(place)];
  const { leases } = store;
  const survivor = await leases.join(entry("old"));
  const newest = await leases.join(entry("new"));
  const late = await sessions.add();
  await sessions.run(late, "BEGIN");
  await sessions.run(late, LEASES.claim, [newest.incarnation, [3]]);
  const left = leases.leave(newest.incarnation);
  await sessions.line(1);
  await sessions.run(late, "COMMIT");
  await left;
  const view = await leases.nodes();
  const owner = view.shards[3]?.incarnation;
  demand(
    owner === newest.incarnation && view.nodes.length === 1,
    "the shard does not belong to a node that has left: the step tests nothing",
  );
  const claimed = await leases.claim({ incarnation: survivor.incarnation, shards: [3] });
  demand(claimed?.length === 1, "the shard of a node that has left was not claimed");
  await sessions.close();
  await store.close();
};

/** While a claim waits for a shard, a node with a lower number joins and claims another one of its shards. */
const claimedMeanwhile: Step = async (place) => {
  const [store, sessions] = [await open(place), await Sessions.open(place)];
  const { leases } = store;
  const late = 1;
  await sessions.run(sessions.watcher, LEASES.count);
  const { incarnation } = await leases.join(entry("early"));
  demand(incarnation > late, `the node that joined first has number ${incarnation}`);
  const release = await sessions.hold(0);
  const claiming = leases.claim({ incarnation, shards: [0, 1] });
  await sessions.line(1);
  await sessions.run(sessions.watcher, LEASES.join, [late, "late", "", "", 1, "", 10_000, false]);
  const claimed = await leases.claim({ incarnation: late, shards: [1] });
  demand(claimed?.length === 1, "the shard that nobody owns was not claimed");
  await release();
  demand((await claiming) === undefined, "a shard was taken from a node that lives");
  const { shards } = await leases.nodes();
  demand(shards[1]?.incarnation === late, "the shard of a node that lives has another owner");
  await sessions.close();
  await store.close();
};

/** A round of the market journal begins while an append of its owner waits for another shard. */
const overtaken: Step = async (place) => {
  const options = { url: place.server.url(), schema: place.schema, requireDurability: false };
  const store = await openPostgresStore({ ...options, answerTimeoutMs: 300 });
  const sessions = await Sessions.open(place);
  await store.acquire();
  const release = await sessions.hold(0);
  const shards = [part(0, 1, { records: sampleRecords(0, 1, 1) })];
  const appending = store.append({ shards, prints: [samplePrint()] });
  await sessions.line(1);
  await store.deleteVolume({ beforeMs: 0 });
  await release();
  const [outcome] = await appending;
  const { prints } = await store.readVolume();
  demand(outcome === "durable" && prints.length === 1, `${outcome}, and ${prints.length} prints are stored`);
  await sessions.close();
  await store.close();
};

/** Statements that wait for a lock while others change what they have seen. */
export const RACE_STEPS: Readonly<Record<string, Step>> = {
  "I53: a late deletion of parts spares those of a snapshot that became visible before it": dropped("finish"),
  "I53: a snapshot whose parts were deleted before it does not become visible": dropped("drop"),
  "decision WJ: shards of a node whose claim became durable after it had left can be claimed":
    claimedByNobody,
  "decision WJ: a claim takes no shard from a node with a lower number that joined meanwhile":
    claimedMeanwhile,
  "I60: prints of an append that is durable are stored, also if a round has begun meanwhile": overtaken,
};
