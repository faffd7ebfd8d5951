/// <reference lib="esnext.disposable" preserve="true" />
import { type OptionCheck, optionalOption, optionsOf, wholeOption } from "../../common/index.ts";
import type { ShardHead, ShardLeases, Storage } from "../../ports/index.ts";
import { headerIn, headerKey, storeOn } from "../../store/internal.ts";
import { checked } from "../checksums/index.ts";
import { databaseOn, requireCurrent } from "./opening.ts";
import { type PostgresStoreOptions, resolved, schemaOption, urlOption } from "./options.ts";
import { leasesOf } from "./order-store.ts";
import { Patience } from "./patience.ts";
import { PostgresStorage } from "./storage.ts";

/** Where the database of a cluster is. */
export interface PostgresClusterOptions extends Pick<PostgresStoreOptions, "url" | "schema"> {
  /** Milliseconds within which the server must answer each question; default 5,000. */
  readonly answerTimeoutMs?: number;
}

/** What a shard holds, as far as the database tells it cheaply. */
export interface ShardContents {
  readonly shard: number;
  /** The owner's number among all that the shard has had. */
  readonly epoch: number;
  /** Sequence of the last record. */
  readonly sequence: number;
  /** The newest snapshot: the sequence of the last record in it, and how many open parents it has. */
  readonly snapshot?: Readonly<{ sequence: number; parents: number }>;
}

/** The nodes and shards of a Postgres store, for an operator. It owns nothing and changes no schema. */
export interface PostgresCluster extends AsyncDisposable {
  /** Reads the nodes and the owners of the shards, says what is wanted of a node, and assigns shards to nodes. */
  readonly leases: Pick<ShardLeases, "heads" | "nodes" | "want" | "assign">;
  /** Reads what every shard holds, by number. */
  contents(): Promise<readonly ShardContents[]>;
  /** Closes the connections. */
  close(): Promise<void>;
}

const MILLISECONDS = wholeOption({ from: 1, to: 2_147_483_647 }, " of milliseconds");

const clusterOption: OptionCheck = optionsOf<PostgresClusterOptions>({
  url: urlOption,
  schema: optionalOption(schemaOption),
  answerTimeoutMs: optionalOption(MILLISECONDS),
});

/**
 * Opens the nodes of a Postgres store to an operator, beside the nodes themselves. Throws a TypeError or RangeError that
 * names an option that is missing, unknown or wrong. Rejects with an Error that says what to do if the server cannot be
 * reached, or if the schema holds no store or one of another version: it is never changed.
 *
 * @example
 * ```ts
 * import { openPostgresCluster } from "managed-orders/postgres";
 *
 * export async function owners(url: string): Promise<ReadonlySet<number | undefined>> {
 *   await using cluster = await openPostgresCluster({ url });
 *   const { shards } = await cluster.leases.nodes();
 *   return new Set(shards.map(({ incarnation }) => incarnation));
 * }
 * ```
 */
export async function openPostgresCluster(options: PostgresClusterOptions): Promise<PostgresCluster> {
  clusterOption(options, "openPostgresCluster");
  const { answerTimeoutMs = 5_000 } = options;
  const database = databaseOn({
    ...resolved({ ...options, connections: 3 }),
    ...{ answerTimeoutMs, connectTimeoutMs: answerTimeoutMs },
  });
  try {
    await requireCurrent(database);
  } catch (error) {
    await database.close();
    throw error;
  }
  const patience = new Patience(answerTimeoutMs);
  const parts = { answerTimeoutMs, elsewhere: false, patience };
  const storage = checked(new PostgresStorage(database, parts), "database");
  const store = storeOn(storage, {});
  const { heads, nodes, want, assign } = patience.leases(leasesOf(store));
  return {
    leases: { heads, nodes, want, assign },
    contents: async () => await contentsOf(storage, await heads()),
    close: store.close,
    [Symbol.asyncDispose]: store.close,
  };
}

async function contentsOf(storage: Storage, heads: readonly ShardHead[]): Promise<readonly ShardContents[]> {
  const headers = await storage.get(heads.map(({ shard }) => headerKey(shard)));
  return heads.map(({ shard, epoch, sequence }, place) => {
    const text = headers[place];
    if (text === undefined) return { shard, epoch, sequence };
    const { sequence: last, parents } = headerIn(shard, text);
    return { shard, epoch, sequence, snapshot: { sequence: last, parents } };
  });
}
