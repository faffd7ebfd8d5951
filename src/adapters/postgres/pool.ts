import { Connection, type ConnectionOptions } from "./connection.ts";
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

type Idle = Readonly<{ connection: Connection; sinceMs: number }>;
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

  /** Runs work that must not be given up, on a connection of its own. Rejects like the work or the connecting. */
  async patient<T>(
    lane: Lane,
    work: (connection: Connection) => Promise<T>,
    limitMs: number = Number.POSITIVE_INFINITY,
  ): Promise<T> {
    const connectTimeoutMs = Math.min(this.#options.connectTimeoutMs, limitMs);
    const place = {};
    await this.#enter(lane, place);
    let connection: Connection | undefined;
    try {
      connection = this.#takeIdle() ?? (await Connection.open({ ...this.#options, connectTimeoutMs }));
      return await work(connection);
    } finally {
      if (connection?.isOpen === true && !this.#isClosed)
        this.#idle.push({ connection, sinceMs: monotonicMs() });
      else connection?.destroy();
      this.#leave(lane, place);
    }
  }

  /** Runs work that may be given up. Cuts the connection after `limitMs`, `answerTimeoutMs` at most, and rejects. */
  async use<T>(
    lane: Lane,
    work: (connection: Connection) => Promise<T>,
    limitMs: number = Number.POSITIVE_INFINITY,
  ): Promise<T> {
    const mostMs = Math.min(this.#options.answerTimeoutMs, limitMs);
    const inTime = (connection: Connection): Promise<T> =>
      withDeadline(work(connection), mostMs, () => {
        connection.destroy();
        this.#destroyIdle();
        return new PostgresStoreError(`the server has not answered for ${mostMs} ms`, "ETIMEDOUT");
      });
    return await this.patient(lane, inTime, mostMs);
  }

  /** Closes idle connections now and the others when they are given back. Statements that wait are rejected. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const closed = new Error("the store is closed");
    for (const lane of ["first", "other"] as const)
      for (const { give } of this.#waiting[lane].splice(0)) give(closed);
    await Promise.all(
      this.#idle.splice(0).map(({ connection }) => connection.close().catch(() => undefined)),
    );
  }

  /** A network that was cut has cut the idle connections too, and each would take the whole limit to show it. */
  #destroyIdle(): void {
    for (const { connection } of this.#idle.splice(0)) connection.destroy();
  }

  #takeIdle(): Connection | undefined {
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

  async #enter(lane: Lane, place: object): Promise<void> {
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
          this.#used[lane].add(place);
          resolve();
        };
        waiting.push({ start, give: reject });
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
