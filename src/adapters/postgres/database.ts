import { createHash } from "node:crypto";
import { withDeadline } from "../../common/index.ts";
import { afterMs } from "../../store/internal.ts";
import { after, type ConnectionOptions, monotonicMs, PostgresConnection, type Row } from "./connection.ts";
import { explained, isUnprepared, mayPass, type Place, PostgresStoreError } from "./postgres-error.ts";

/** Bounds of a pool. */
type PoolBounds = Readonly<{
  /** Number of connections. Two of them are for appends and fences only. */
  connections: number;
  /** Number of statements that may wait for a connection. */
  waiting: number;
  /** Milliseconds within which a statement besides an append must be answered. */
  answerTimeoutMs: number;
}>;

/** "first" is for appends, fences and takeovers: they never wait for reads. */
type Lane = "first" | "other";

/** Connections that only the first lane may use, so that a fence finds one while an append is under way. */
const RESERVED = 2;

/** An idle connection that is older is not used again: routers drop idle connections without notice. */
const IDLE_MS = 60_000;

/** The longest time of a timer. */
const LONGEST_MS = 2 ** 31 - 1;
/** Limits in milliseconds: for making a connection, and for the wait for one that is free. */
type Waits = Readonly<{ connectMs?: number; waitMs?: number }>;

type Waiting = Readonly<{ start: () => void; give: (error: Error) => void }>;

/** Connections to one database, shared by the statements of a store. */
export class Pool {
  readonly #options: ConnectionOptions & PoolBounds;
  readonly #idle: Readonly<{ connection: PostgresConnection; sinceMs: number }>[] = [];
  readonly #used: Readonly<Record<Lane, Set<object>>> = { first: new Set(), other: new Set() };
  readonly #waiting: Readonly<Record<Lane, Waiting[]>> = { first: [], other: [] };
  #isClosed = false;

  constructor(options: ConnectionOptions & PoolBounds) {
    this.#options = options;
  }

  /**
   * Runs work that must not be given up, on a connection of its own. Rejects like the work or the connecting, and if no
   * connection is free for `waitMs`.
   */
  async patient<T>(
    lane: Lane,
    work: (connection: PostgresConnection) => Promise<T>,
    { connectMs = Number.POSITIVE_INFINITY, waitMs = Number.POSITIVE_INFINITY }: Waits = {},
  ): Promise<T> {
    const connectTimeoutMs = Math.min(this.#options.connectTimeoutMs, connectMs);
    const place = {};
    await this.#enter(lane, place, waitMs);
    let connection: PostgresConnection | undefined;
    try {
      connection =
        this.#takeIdle() ?? (await PostgresConnection.open({ ...this.#options, connectTimeoutMs }));
      return await work(connection);
    } finally {
      if (connection?.isOpen === true && !this.#isClosed)
        this.#idle.push({ connection, sinceMs: monotonicMs() });
      else connection?.destroy();
      this.#leave(lane, place);
    }
  }

  /**
   * Runs work that may be given up. Cuts the connection after `limitMs`, `answerTimeoutMs` at most, and rejects. `limitMs` is
   * also the limit of the wait for a connection, which else has none.
   */
  async use<T>(
    lane: Lane,
    work: (connection: PostgresConnection) => Promise<T>,
    limitMs: number = Number.POSITIVE_INFINITY,
  ): Promise<T> {
    const mostMs = Math.min(this.#options.answerTimeoutMs, limitMs);
    const inTime = (connection: PostgresConnection): Promise<T> =>
      withDeadline(work(connection), after(mostMs), () => {
        connection.destroy();
        this.#destroyIdle();
        return new PostgresStoreError(`the server has not answered for ${mostMs} ms`, "ETIMEDOUT");
      });
    return await this.patient(lane, inTime, { connectMs: mostMs, waitMs: limitMs });
  }

  /**
   * Closes idle connections now and the others when they are given back. Statements that wait are rejected. A connection
   * whose server does not answer the goodbye, because the network was cut, is cut after `connectTimeoutMs`.
   */
  async close(): Promise<void> {
    this.#isClosed = true;
    const closed = new Error("the store is closed");
    for (const lane of ["first", "other"] as const)
      for (const { give } of this.#waiting[lane].splice(0)) give(closed);
    await Promise.all(this.#idle.splice(0).map(({ connection }) => this.#end(connection)));
  }

  async #end(connection: PostgresConnection): Promise<void> {
    const late = (): Error => new Error("the server has not answered the goodbye");
    try {
      await withDeadline(connection.close(), after(this.#options.connectTimeoutMs), late);
    } catch {
      connection.destroy();
    }
  }

  /** A network that was cut has cut the idle connections too, and each would take the whole limit to show it. */
  #destroyIdle(): void {
    for (const { connection } of this.#idle.splice(0)) connection.destroy();
  }

  #takeIdle(): PostgresConnection | undefined {
    for (let last = this.#idle.pop(); last !== undefined; last = this.#idle.pop()) {
      const { connection, sinceMs } = last;
      if (connection.isOpen && monotonicMs() - sinceMs < IDLE_MS) return connection;
      connection.destroy();
    }
    return undefined;
  }

  #hasRoom(lane: Lane): boolean {
    const { first, other } = this.#used;
    const { connections } = this.#options;
    if (first.size + other.size >= connections) return false;
    return lane === "first" || other.size < connections - RESERVED;
  }

  async #enter(lane: Lane, place: object, waitMs: number): Promise<void> {
    if (this.#isClosed) throw new Error("the store is closed");
    const waiting = this.#waiting[lane];
    if (waiting.length > 0 || !this.#hasRoom(lane)) {
      if (waiting.length >= this.#options.waiting)
        throw new PostgresStoreError(
          `more than ${this.#options.waiting} statements wait for a connection: raise \`connections\``,
          "QUEUE_FULL",
        );
      return await new Promise((resolve, reject) => {
        const start = (): void => {
          cancel();
          this.#used[lane].add(place);
          resolve();
        };
        const give = (error: Error): void => {
          cancel();
          reject(error);
        };
        const one = { start, give };
        const late = (): void => {
          waiting.splice(waiting.indexOf(one), 1);
          reject(new PostgresStoreError(`no connection was free for ${waitMs} ms`, "ETIMEDOUT"));
        };
        const cancel = waitMs > LONGEST_MS ? (): void => undefined : afterMs(waitMs, late);
        waiting.push(one);
      });
    }
    this.#used[lane].add(place);
  }

  #leave(lane: Lane, place: object): void {
    this.#used[lane].delete(place);
    for (const next of ["first", "other"] as const)
      while (this.#waiting[next].length > 0 && this.#hasRoom(next)) this.#waiting[next].shift()?.start();
  }
}

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
