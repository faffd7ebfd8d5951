/// <reference lib="esnext.disposable" preserve="true" />
import { type OptionCheck, optional, optionsOf, wholeOption } from "../../common/index.ts";
import type { ShardLeases } from "../../ports/index.ts";
import type { Database } from "./database.ts";
import { headsOf } from "./journal.ts";
import { LEASES } from "./lease-statements.ts";
import { leases } from "./leases.ts";
import { databaseOn, requireCurrent } from "./opening.ts";
import { type PostgresStoreOptions, resolved, schemaOption, urlOption } from "./options.ts";
import { Owner } from "./owner.ts";
import { wholeIn } from "./reading.ts";

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
  schema: optional(schemaOption),
  answerTimeoutMs: optional(MILLISECONDS),
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
  const { heads, nodes, want, assign } = leases(database, new Owner());
  const close = (): Promise<void> => database.close();
  return {
    leases: { heads, nodes, want, assign },
    contents: () => contentsOf(database),
    close,
    [Symbol.asyncDispose]: close,
  };
}

async function contentsOf(database: Database): Promise<readonly ShardContents[]> {
  const images = new Map(
    (await database.read(LEASES.images)).map((row) => [
      wholeIn(row, 0),
      { sequence: wholeIn(row, 1), parents: wholeIn(row, 2) },
    ]),
  );
  return (await headsOf(database)).map(({ shard, epoch, sequence }) => {
    const snapshot = images.get(shard);
    return {
      shard,
      epoch,
      sequence,
      ...(snapshot !== undefined && { snapshot }),
    };
  });
}
