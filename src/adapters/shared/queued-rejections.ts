import { nextTurn } from "../../common/index.ts";
import { QuietTelemetry } from "../../host-answers/index.ts";
import type { Rejection } from "../../model/index.ts";
import type { Awaitable, RejectionQuery, Rejections, Telemetry } from "../../ports/index.ts";

/** Options of a queue: its capacity, how long and how many rejections of an account are kept, who hears of losses. */
type RetentionOptions = Readonly<{
  capacity?: number;
  retentionDays?: number;
  perAccount?: number;
  telemetry?: Telemetry;
}>;

/** Retention bounds: rejections from `beforeMs` on, and the newest `perAccount` of an account. */
export type RejectionBounds = Readonly<{ beforeMs: number; perAccount: number }>;

/** The table `api_order_reject` of a database. */
export type RejectionTable = Readonly<{
  /** Adds rejections, and deletes some that are too old and those beyond an account's limit. */
  add(rejections: readonly Rejection[], bounds: RejectionBounds): Awaitable<void>;
  /** Returns the newest `limit` rejections, oldest first. */
  list(query: RejectionQuery): Awaitable<readonly Rejection[]>;
}>;

const DAY_MS = 86_400_000;
const WRITTEN_AT_ONCE = 100;

/**
 * Retains rejections in the table `api_order_reject`. They are written in a later turn, in batches, so that no caller
 * waits for the disk. Queries also find waiting rejections; these are lost if the process dies. A failed write is not
 * retried. Source: contract, Errors ("Persisted writes are asynchronous") and Versioning.
 */
export class QueuedRejections implements Rejections {
  readonly #table: RejectionTable;
  readonly #capacity: number;
  readonly #retentionMs: number;
  readonly #perAccount: number;
  readonly #telemetry: QuietTelemetry;
  readonly #waiting: Rejection[] = [];
  #writing: Promise<void> | undefined;
  #retained = 0;
  #lost = 0;

  constructor(table: RejectionTable, options: RetentionOptions) {
    this.#table = table;
    this.#capacity = options.capacity ?? 1_000;
    this.#retentionMs = (options.retentionDays ?? 30) * DAY_MS;
    this.#perAccount = options.perAccount ?? 10_000;
    this.#telemetry = new QuietTelemetry(options.telemetry);
  }

  get counts(): Readonly<{ retained: number; lost: number }> {
    return { retained: this.#retained, lost: this.#lost };
  }

  retain(rejection: Rejection): void {
    if (this.#waiting.length >= this.#capacity) {
      this.#lose("rejections.overflow", 1);
      return;
    }
    this.#waiting.push(rejection);
    this.#writing ??= this.#write();
  }

  async list(query: RejectionQuery): Promise<readonly Rejection[]> {
    // Taken first: a rejection that is written meanwhile is in both, and none is in neither.
    const waiting = this.#waiting.filter((rejection) => matches(rejection, query));
    const written = await this.#table.list(query);
    const ids = new Set(written.map(({ rejectionId }) => rejectionId));
    // They are written in their order: those before the last written one are written too, or cut off by the limit.
    const last = waiting.findLastIndex(({ rejectionId }) => ids.has(rejectionId));
    return [...written, ...waiting.slice(last + 1)].slice(-query.limit);
  }

  async flush(): Promise<void> {
    await this.#writing;
  }

  async #write(): Promise<void> {
    while (this.#waiting.length > 0) {
      await nextTurn();
      const batch = this.#waiting.slice(0, WRITTEN_AT_ONCE);
      await this.#store(batch);
      this.#waiting.splice(0, batch.length);
    }
    this.#writing = undefined;
  }

  async #store(batch: readonly Rejection[]): Promise<void> {
    try {
      const beforeMs = (batch.at(-1)?.timeMs ?? 0) - this.#retentionMs;
      await this.#table.add(batch, { beforeMs, perAccount: this.#perAccount });
      this.#retained += batch.length;
    } catch (error) {
      this.#lose("rejections.unwritten", batch.length, error);
    }
  }

  #lose(name: string, count: number, error?: unknown): void {
    this.#lost += count;
    const why = error instanceof Error ? { error: error.name } : {};
    this.#telemetry.event("warn", name, { count, lost: this.#lost, ...why });
  }
}

/** Returns whether a query asks for a rejection. */
export function matches(rejection: Rejection, query: RejectionQuery): boolean {
  const { accountId, symbol, clientOrderId, startTimeMs = 0, endTimeMs = Number.POSITIVE_INFINITY } = query;
  return (
    rejection.accountId === accountId &&
    (symbol === undefined || rejection.symbol === symbol) &&
    (clientOrderId === undefined || rejection.clientOrderId === clientOrderId) &&
    rejection.timeMs >= startTimeMs &&
    rejection.timeMs <= endTimeMs
  );
}
