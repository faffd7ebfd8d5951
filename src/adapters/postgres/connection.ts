import { createRequire } from "node:module";
import { errorMessage, withDeadline } from "../../common/index.ts";
import { InvariantError } from "../../errors/index.ts";
import { isDefiniteNo, PostgresStoreError, UnknownOutcome } from "./postgres-error.ts";

/** A row as the store reads it: every value is the text that the server sent. */
export type Row = readonly (string | null)[];

/** Returns a value that is never NULL as text. Throws an InvariantError I53 if it is missing. */
export function textIn(row: Row | undefined, column: number): string {
  const text = row?.[column];
  if (text === undefined || text === null)
    throw new InvariantError("I53", "a row of the database lacks a value");
  return text;
}

/** Returns an id, time or counter. Throws an InvariantError I53 for one beyond those that a double represents exactly. */
export function wholeIn(row: Row | undefined, column: number): number {
  const text = textIn(row, column);
  const value = Number.parseInt(text, 10);
  if (!Number.isSafeInteger(value) || String(value) !== text)
    throw new InvariantError("I53", `a row of the database has ${text} where a whole number is expected`);
  return value;
}

/**
 * A statement for the driver. With `rowMode` "array" a row is a list of its values. One with a name is prepared once on
 * each connection.
 */
type DriverQuery = Readonly<{
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

/**
 * Loads the package pg. Throws a PostgresStoreError that says what to install if it cannot be loaded. Not postgres.js,
 * which resolves a query before its commit (porsager/postgres#1090), and repeats statements.
 */
export function loadDriver(load: (name: string) => unknown = requireHere()): Driver {
  try {
    const { Client } = load("pg") as Readonly<{ Client: new (options: PgClientOptions) => PgClient }>;
    return (options) => new Client(options);
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

/** Milliseconds of a clock that is never set. */
export const monotonicMs = (): number => performance.now();

/** Starts a timer for {@link withDeadline}. */
export const after =
  (ms: number) =>
  (over: () => void): (() => void) => {
    const timer = setTimeout(over, ms);
    return () => clearTimeout(timer);
  };

/** How to reach a database. */
export type ConnectionOptions = Readonly<{ driver: Driver; url: string; connectTimeoutMs: number }>;

const KEEP_ALIVE_MS = 10_000;

/** Values are read as texts: a parser that the host has set for a type must not turn an id or amount into a double. */
const TEXTS: DriverQuery["types"] = { getTypeParser: () => (text) => text };

/** The class of the codes that mean success, and of plain notices. */
const SUCCESS = "00";

/**
 * Functions of the server that warn, in every transaction that writes, of numbers that run out unless the database is
 * vacuumed. They say nothing about the commit; their code and severity are those of the warnings that do.
 */
const OF_NUMBERS = ["GetNewTransactionId", "GetNewMultiXactId"];

const isAboutCommit = ({ code, routine = "" }: Notice): boolean =>
  code?.startsWith(SUCCESS) !== true && !OF_NUMBERS.includes(routine);

/** One connection. It runs one statement at a time. */
export class PostgresConnection {
  readonly #client: PgClient;
  #warning: Notice | undefined;
  #isOpen = true;
  #isCut = false;

  private constructor(client: PgClient) {
    this.#client = client;
    // Without a listener, the loss of an idle connection would end the process. A statement under way rejects.
    client.on("error", () => {
      this.#isOpen = false;
    });
    client.on("end", () => {
      this.#isOpen = false;
    });
    client.on("notice", (notice) => {
      if (isAboutCommit(notice)) this.#warning = notice;
    });
  }

  /** Connects. Rejects with the error of the driver. */
  static async open({ driver, url, connectTimeoutMs }: ConnectionOptions): Promise<PostgresConnection> {
    const client = driver({
      connectionString: url,
      keepAlive: true,
      keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
      application_name: "managed-orders",
    });
    const connection = new PostgresConnection(client);
    const late = (): Error => {
      connection.destroy();
      return new PostgresStoreError(`the server has not answered for ${connectTimeoutMs} ms`, "ETIMEDOUT");
    };
    try {
      await withDeadline(client.connect(), after(connectTimeoutMs), late);
    } catch (error) {
      connection.destroy();
      throw error;
    }
    return connection;
  }

  /** Whether it can run another statement. */
  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** Runs a statement that changes nothing. */
  async read(text: string, values: readonly unknown[], name?: string): Promise<readonly Row[]> {
    const query = { text, values, rowMode: "array", types: TEXTS } as const;
    const { rows } = await this.#client.query(name === undefined ? query : { ...query, name });
    return rows;
  }

  /**
   * Runs a statement that writes, and resolves when it is committed. A definite no rejects with the error of the server,
   * everything else with an UnknownOutcome: a warning too, because a commit that did not reach the standby is told as
   * one. With a name, the statement is prepared under it.
   */
  async write(text: string, values: readonly unknown[], name?: string): Promise<readonly Row[]> {
    this.#warning = undefined;
    try {
      const rows = await this.read(text, values, name);
      if (this.#warning === undefined) return rows;
    } catch (error) {
      if (isDefiniteNo(error)) throw error;
      this.destroy();
      throw new UnknownOutcome(`the connection was lost under a statement: ${errorMessage(error)}`, {
        cause: error,
      });
    }
    const { message = "", code = "" } = this.#warning;
    throw new UnknownOutcome(`the server warned about a commit: ${message} (${code})`);
  }

  /** Runs several statements as one transaction. */
  async script(statements: readonly string[]): Promise<void> {
    await this.#client.query(statements.join(";\n"));
  }

  /** Ends the connection when its statement is answered. */
  async close(): Promise<void> {
    this.#isOpen = false;
    await this.#client.end();
  }

  /** Cuts the connection. The server does not learn of it before it answers; a statement under way is not canceled. */
  destroy(): void {
    this.#isOpen = false;
    if (this.#isCut) return;
    this.#isCut = true;
    this.#client.connection.stream.destroy();
  }
}
