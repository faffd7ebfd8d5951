import { createRequire } from "node:module";
import { PostgresStoreError } from "./postgres-error.ts";

/** A row as the store reads it: every value is the text that the server sent. */
export type Row = readonly (string | null)[];

/**
 * A statement for the driver. With `rowMode` "array" a row is a list of its values. One with a name is prepared once on
 * each connection.
 */
export type DriverQuery = Readonly<{
  name?: string;
  text: string;
  values: readonly unknown[];
  rowMode: "array";
  types: Readonly<{ getTypeParser: () => (text: string) => string }>;
}>;

/**
 * A message of the server beside an answer. `severity` and `message` may be in the language of the server; `code` and
 * `routine`, the function that sent it, are not.
 */
export type Notice = Readonly<{
  severity?: string | undefined;
  code?: string | undefined;
  message?: string;
  routine?: string | undefined;
}>;

/** The part of a client of the package pg that the store uses. */
export interface PgClient {
  connect(): Promise<unknown>;
  query(query: DriverQuery): Promise<Readonly<{ rows: readonly Row[] }>>;
  query(script: string): Promise<unknown>;
  on(event: "error", listener: (error: Error) => void): unknown;
  on(event: "end", listener: () => void): unknown;
  on(event: "notice", listener: (notice: Notice) => void): unknown;
  end(): Promise<void>;
  readonly connection: Readonly<{ stream: Readonly<{ destroy(): unknown }> }>;
}

/** Options of a client of the package pg that the store uses. */
export type PgClientOptions = Readonly<{
  connectionString: string;
  keepAlive: boolean;
  keepAliveInitialDelayMillis: number;
  application_name: string;
}>;

/** Creates a client. */
export type Driver = (options: PgClientOptions) => PgClient;

/** Loads the package pg. Throws a PostgresStoreError that says what to install if it cannot be loaded. */
export function loadDriver(load: (name: string) => unknown = requireHere()): Driver {
  const { Client } = loadPackage(load);
  return (options) => new Client(options);
}

type Package = Readonly<{ Client: new (options: PgClientOptions) => PgClient }>;

function loadPackage(load: (name: string) => unknown): Package {
  try {
    return load("pg") as Package;
  } catch (error) {
    throw new PostgresStoreError(
      "The Postgres store needs the package pg, which cannot be loaded. Install it: npm install pg",
      "DRIVER_MISSING",
      error,
    );
  }
}

/** The built package also contains this file as CommonJS, which has no `import.meta`. */
function requireHere(): (name: string) => unknown {
  return createRequire(typeof __filename === "string" ? __filename : import.meta.url);
}
