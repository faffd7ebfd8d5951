import { loadDriver, type PgClient } from "../../../src/adapters/postgres/connection.ts";
import { Database, Pool } from "../../../src/adapters/postgres/database.ts";
import type { PostgresStoreOptions } from "../../../src/adapters/postgres/index.ts";
import { openedDatabase, resolved } from "../../../src/adapters/postgres/opening.ts";
import { PostgresStorage } from "../../../src/adapters/postgres/storage.ts";
import type { Storage } from "../../../src/ports/index.ts";

/** Opens the storage of a store, with values as they are stored. */
export async function openPostgresStorage(options: PostgresStoreOptions): Promise<Storage> {
  const all = resolved(options);
  return new PostgresStorage(await openedDatabase(all), all);
}

/** An empty place: a schema that does not exist yet. */
export type Place = Readonly<{ options: PostgresStoreOptions; schema: string; remove: () => Promise<void> }>;

/** Places in one database, and a connection of the tests to it. */
export type Places = Readonly<{
  url: string;
  create(): Place;
  /** Opens the statements of a schema. */
  database(schema: string): Database;
  /** Runs SQL through a connection of its own. */
  execute(sql: string): Promise<readonly (readonly (string | null)[])[]>;
  close(): Promise<void>;
}>;

/** Creates places in a database. */
export function placesOn(url: string): Places {
  let client: PgClient | undefined;
  let made = 0;
  const execute: Places["execute"] = async (text) => {
    if (client === undefined) {
      client = loadDriver()({
        connectionString: url,
        keepAlive: true,
        keepAliveInitialDelayMillis: 10_000,
        application_name: "managed-orders tests",
      });
      client.on("error", () => undefined);
      await client.connect();
    }
    const types = { getTypeParser: () => (value: string) => value };
    return (await client.query({ text, values: [], rowMode: "array", types })).rows;
  };
  return {
    url,
    database(schema) {
      const pool = new Pool({
        ...{ driver: loadDriver(), url, connectTimeoutMs: 5_000 },
        ...{ connections: 3, waiting: 9, answerTimeoutMs: 5_000 },
      });
      return new Database(pool, { database: "here", schema });
    },
    create() {
      const schema = `place_${process.pid}_${++made}`;
      return {
        schema,
        options: { url, schema, connections: 4, requireDurability: false },
        remove: async () => void (await execute(`DROP SCHEMA IF EXISTS ${schema} CASCADE`)),
      };
    },
    execute,
    close: async () => void (await client?.end()),
  };
}
