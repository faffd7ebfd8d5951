import { loadDriver, type PgClient } from "../../src/adapters/postgres/connection.ts";
import type { Server } from "./server.ts";

/** Opens a connection for the test itself. */
export async function session(server: Pick<Server, "url">): Promise<PgClient> {
  const client = loadDriver()({
    connectionString: server.url(),
    ...{ keepAlive: true, keepAliveInitialDelayMillis: 10_000, application_name: "test" },
  });
  client.on("error", () => undefined);
  await client.connect();
  return client;
}

/** Runs one statement and returns its rows. */
export async function rowsOf(
  client: PgClient,
  text: string,
): Promise<readonly (readonly (string | null)[])[]> {
  const types = { getTypeParser: () => (value: string) => value };
  return (await client.query({ text, values: [], rowMode: "array", types })).rows;
}
