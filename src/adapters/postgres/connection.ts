import { errorMessage } from "../../common/index.ts";
import { withDeadline } from "./deadline.ts";
import type { Driver, DriverQuery, Notice, PgClient, Row } from "./driver.ts";
import { isDefiniteNo, PostgresStoreError, UnknownOutcome } from "./postgres-error.ts";

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
      await withDeadline(client.connect(), connectTimeoutMs, late);
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
