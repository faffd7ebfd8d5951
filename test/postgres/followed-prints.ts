import { checked } from "../../src/adapters/checksums/index.ts";
import type { PostgresStore } from "../../src/adapters/postgres/index.ts";
import { MARKET_SHARD } from "../../src/model/index.ts";
import type { OrderStore, PrintPlace, ShardLeases } from "../../src/ports/index.ts";
import { openPostgresStorage } from "../adapters/postgres/places.ts";
import { samplePrint } from "../store/rules/samples.ts";
import { open } from "./faults.ts";
import { rowsOf, session } from "./session.ts";
import { demand, type Step, type Surroundings, sleep, until } from "./steps.ts";

const MARKET = [MARKET_SHARD];
const ENTRY = { name: "node", address: "", version: "", format: 1, kinds: [], ttlMs: 60_000 };

const leasesOf = ({ leases }: OrderStore): ShardLeases => {
  demand(leases !== undefined, "the store has no leases");
  return leases;
};

/** Reads prints by place, page after page, until it is told to stop and has read the rest. */
class Reader {
  readonly ids: string[] = [];
  readonly #leases: ShardLeases;
  readonly #limit: number;
  #after: PrintPlace | undefined;
  #stops = false;
  readonly #running: Promise<void>;

  /** Reads pages of at most `limit` prints. Small ones are many; with large ones it is never far behind the writers. */
  constructor(store: OrderStore, limit: number) {
    this.#leases = leasesOf(store);
    this.#limit = limit;
    this.#running = this.#run();
  }

  async #run(): Promise<void> {
    for (;;) {
      const isLast = this.#stops;
      const page = await this.#leases.prints({
        limit: this.#limit,
        ...(this.#after && { after: this.#after }),
      });
      for (const { place, print } of page) {
        this.#after = place;
        this.ids.push(print.id);
      }
      if (isLast && page.length === 0) return;
    }
  }

  /** Resolves to the ids that it has not read although they are stored. */
  async missing({ server, schema }: Surroundings): Promise<readonly string[]> {
    this.#stops = true;
    await this.#running;
    demand(new Set(this.ids).size === this.ids.length, "a print was read twice");
    const client = await session(server);
    const stored = await rowsOf(
      client,
      `SELECT split_part(key, ' ', 3) FROM "${schema}".entry WHERE key LIKE 'print %' AND value IS NOT NULL`,
    );
    await client.end();
    const read = new Set(this.ids);
    return stored.map(([id]) => String(id)).filter((id) => !read.has(id));
  }
}

const printsOf = (name: string, count: number) =>
  Array.from({ length: count }, (_, n) => samplePrint({ id: `${name}-${n}` }));

/** Appends of three nodes, several at a time, while the market journal goes from one to the next and connections end. */
const changing: Step = async (place) => {
  const stores = [await open(place), await open(place), await open(place)];
  const reader = new Reader(await open(place), 7);
  const nodes = await Promise.all(
    stores.map(async (store) => ({ store, ...(await leasesOf(store).join(ENTRY)) })),
  );
  let [stops, stored, refused, batches] = [false, 0, 0, 0];
  const append = async (store: PostgresStore): Promise<void> => {
    while (!stops) {
      const prints = printsOf(`b${++batches}`, 1 + (batches % 40));
      try {
        await store.append({ shards: [], prints });
        stored++;
      } catch {
        refused++;
        // A handle that never owned the market journal refuses at once.
        await sleep(1);
      }
    }
  };
  const appending = stores.flatMap((store) => [append(store), append(store)]);
  const client = await session(place.server);
  const end = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE application_name = 'managed-orders' AND query LIKE '%WITH locked%' AND state = 'active'`;
  for (let turn = 0; turn < 60; turn++) {
    const { store, incarnation } = nodes[turn % 3] as (typeof nodes)[number];
    const before = stored;
    await leasesOf(store).claim({ incarnation, shards: MARKET });
    await until("an append of the new owner", () => stored > before + 3);
    if (turn % 5 === 0) await rowsOf(client, end);
    await leasesOf(store).release({ incarnation, shards: MARKET });
  }
  stops = true;
  await Promise.all(appending);
  const missing = await reader.missing(place);
  await client.end();
  for (const store of stores) await store.close();
  demand(refused > 0, "no append of an earlier owner was refused");
  demand(reader.ids.length > 500, `only ${reader.ids.length} prints were stored`);
  demand(missing.length === 0, `the reader has missed ${missing.length} of ${reader.ids.length} prints`);
};

/** Prints of one owner whose second place is written before the first. */
const planted: Step = async (place) => {
  const store = await open(place);
  await store.acquire();
  await store.append({ shards: [], prints: printsOf("first", 1) });
  const { server, schema } = place;
  const storage = checked(
    await openPostgresStorage({ url: server.url(), schema, requireDurability: false }),
    "database",
  );
  const reader = new Reader(store, 5_000);
  const write = async (position: number, id: string): Promise<void> => {
    const number = (value: number): string => String(value).padStart(16, "0");
    const text = JSON.stringify(["BTC/USD", id, "1", "1", 1, 1, false]);
    const puts = [
      [`place ${number(1)} ${number(position)}`, text],
      [`print BTC/USD ${id}`, "1"],
    ] as const;
    await storage.commit([{ conditions: [], puts, deletes: [] }]);
  };
  await write(3, "third");
  await until("the print that came first", () => reader.ids.includes("third"));
  await write(2, "second");
  const missing = await reader.missing(place);
  await storage.close();
  await store.close();
  demand(
    missing.join() === "second",
    "a print that was overtaken was not found: the step before tests nothing",
  );
};

/** Steps of the prints that nodes follow. */
export const PRINT_STEPS: Readonly<Record<string, Step>> = {
  "a reader of prints by place misses none while their writer changes": changing,
  "planted: appends that overtake each other are missed by a reader": planted,
};
