import { afterMs } from "../../store/internal.ts";
import { type ConnectionOptions, PostgresConnection } from "./connection.ts";
import { monotonicMs, withDeadline } from "./deadline.ts";
import { PostgresStoreError } from "./postgres-error.ts";

/** Bounds of a pool. */
export type PoolBounds = Readonly<{
  /** Number of connections. Two of them are for appends and fences only. */
  connections: number;
  /** Number of statements that may wait for a connection. */
  waiting: number;
  /** Milliseconds within which a statement besides an append must be answered. */
  answerTimeoutMs: number;
}>;

/** "first" is for appends, fences and takeovers: they never wait for reads. */
export type Lane = "first" | "other";

/** Connections that only the first lane may use, so that a fence finds one while an append is under way. */
const RESERVED = 2;

/** An idle connection that is older is not used again: routers drop idle connections without notice. */
const IDLE_MS = 60_000;

/** The longest time of a timer. */
const LONGEST_MS = 2 ** 31 - 1;

type Idle = Readonly<{ connection: PostgresConnection; sinceMs: number }>;
/** Limits in milliseconds: for making a connection, and for the wait for one that is free. */
type Waits = Readonly<{ connectMs?: number; waitMs?: number }>;

type Waiting = Readonly<{ start: () => void; give: (error: Error) => void }>;

/** Connections to one database, shared by the statements of a store. */
export class Pool {
  readonly #options: ConnectionOptions & PoolBounds;
  readonly #idle: Idle[] = [];
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
      withDeadline(work(connection), mostMs, () => {
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
      await withDeadline(connection.close(), this.#options.connectTimeoutMs, late);
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
