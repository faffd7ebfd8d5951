import { createHash } from "node:crypto";
import type { PostgresConnection } from "./connection.ts";
import type { Row } from "./driver.ts";
import type { Lane, Pool } from "./pool.ts";
import { explained, isUnprepared, mayPass, type Place } from "./postgres-error.ts";

/** How often the same bytes are sent when they were rolled back for a passing reason. */
const ATTEMPTS = 5;

/** The statements of one store: in its schema, with its errors. */
export class Database {
  readonly place: Place;
  readonly #pool: Pool;
  readonly #texts: Map<string, string> = new Map();
  readonly #names: Map<string, string> = new Map();
  #prepares = true;
  #isClosed = false;

  constructor(pool: Pool, place: Place) {
    this.#pool = pool;
    this.place = place;
  }

  /** Throws if the store is closed. */
  requireOpen(): void {
    if (this.#isClosed) throw new Error("the store is closed");
  }

  /** Returns a statement with the schema of the store. */
  inSchema(text: string): string {
    const known = this.#texts.get(text);
    if (known !== undefined) return known;
    const changed = text.replace(/\bmanaged_orders\b/g, `"${this.place.schema}"`);
    this.#texts.set(text, changed);
    return changed;
  }

  /**
   * Reads. Rejects with an error that names the database. `limitMs` shortens `answerTimeoutMs`, and limits the wait for a
   * connection.
   */
  async read(
    text: string,
    values: readonly unknown[] = [],
    lane: Lane = "other",
    limitMs?: number,
  ): Promise<readonly Row[]> {
    return await this.#guarded(() =>
      this.#pool.use(lane, (connection) => connection.read(this.inSchema(text), values), limitMs),
    );
  }

  /**
   * Writes, and resolves when it is committed. What was rolled back for a passing reason is sent again. Rejects with an
   * UnknownOutcome if it may be kept, or else with an error that names the database. `limitMs` shortens
   * `answerTimeoutMs`, and limits the wait for a connection.
   */
  async write(
    text: string,
    values: readonly unknown[] = [],
    lane: Lane = "other",
    limitMs?: number,
  ): Promise<readonly Row[]> {
    return await this.#again(() =>
      this.#pool.use(lane, (connection) => connection.write(this.inSchema(text), values), limitMs),
    );
  }

  /**
   * Writes like `write`, but never gives up: the statement is neither canceled nor cut off while its answer may come.
   * `cutter` is told how to cut the connection, for a caller that knows that the answer matters no more; `limitMs` is for one
   * that gives up after a time, as `write` does. The statement is prepared, unless `isRare`, until the server says that it does
   * not know a prepared one: a definite no, after which the same bytes are sent without a name.
   */
  async append(
    text: string,
    values: readonly unknown[],
    cutter: (cut: () => void) => void,
    { limitMs, isRare = false }: Readonly<{ limitMs?: number | undefined; isRare?: boolean }> = {},
  ): Promise<readonly Row[]> {
    const sent = this.inSchema(text);
    const send = (name: string | undefined): Promise<readonly Row[]> => {
      const write = (connection: PostgresConnection): Promise<readonly Row[]> => {
        cutter(() => connection.destroy());
        return connection.write(sent, values, name);
      };
      return limitMs === undefined
        ? this.#pool.patient("first", write)
        : this.#pool.use("first", write, limitMs);
    };
    return await this.#again(async () => {
      if (isRare || !this.#prepares) return await send(undefined);
      try {
        return await send(this.#nameOf(sent));
      } catch (error) {
        if (!isUnprepared(error)) throw error;
        this.#prepares = false;
        return await send(undefined);
      }
    });
  }

  /** Equal names mean equal texts, also of other programs: a pooler may share a session between them. */
  #nameOf(text: string): string {
    const known = this.#names.get(text);
    if (known !== undefined) return known;
    const name = `managed_orders_${createHash("sha256").update(text).digest("hex").slice(0, 32)}`;
    this.#names.set(text, name);
    return name;
  }

  /** Runs several statements as one transaction. */
  async script(statements: readonly string[]): Promise<void> {
    await this.#guarded(() =>
      this.#pool.use("first", (connection) =>
        connection.script(statements.map((text) => this.inSchema(text))),
      ),
    );
  }

  /** Ends all connections that are not in use, and the others when they are given back. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#pool.close();
  }

  async #again<T>(work: () => Promise<T>): Promise<T> {
    return await this.#guarded(async () => {
      for (let attempt = 1; ; attempt++) {
        try {
          return await work();
        } catch (error) {
          if (attempt === ATTEMPTS || !mayPass(error)) throw error;
        }
      }
    });
  }

  async #guarded<T>(work: () => Promise<T>): Promise<T> {
    this.requireOpen();
    try {
      return await work();
    } catch (error) {
      throw explained(error, this.place);
    }
  }
}
