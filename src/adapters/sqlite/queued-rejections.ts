import type { Rejection } from "../../model/index.ts";
import type { RejectionQuery, Telemetry } from "../../ports/index.ts";
import { nextTurn } from "../shared/index.ts";
import type { RejectionTable } from "./rejection-table.ts";
import type { SqliteRejectionOptions, SqliteRejections } from "./rejections.ts";

const DAY_MS = 86_400_000;
const WRITTEN_AT_ONCE = 100;

/**
 * Retains rejections in the table `api_order_reject`. They are written in a later turn, in batches, so that no caller
 * waits for the disk. Queries also find waiting rejections; these are lost if the process dies. A failed write is not
 * retried. Source: contract, Errors ("Persisted writes are asynchronous") and Versioning.
 */
export class QueuedRejections implements SqliteRejections {
  readonly #table: RejectionTable;
  readonly #capacity: number;
  readonly #retentionMs: number;
  readonly #perAccount: number;
  readonly #telemetry: Telemetry | undefined;
  readonly #waiting: Rejection[] = [];
  #writing: Promise<void> | undefined;
  #retained = 0;
  #lost = 0;

  constructor(table: RejectionTable, options: SqliteRejectionOptions) {
    this.#table = table;
    this.#capacity = options.capacity ?? 1_000;
    this.#retentionMs = (options.retentionDays ?? 30) * DAY_MS;
    this.#perAccount = options.perAccount ?? 10_000;
    this.#telemetry = options.telemetry;
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
    const waiting = this.#waiting.filter((rejection) => matches(rejection, query));
    return [...this.#table.list(query), ...waiting].slice(-query.limit);
  }

  async flush(): Promise<void> {
    await this.#writing;
  }

  async #write(): Promise<void> {
    while (this.#waiting.length > 0) {
      await nextTurn();
      const batch = this.#waiting.slice(0, WRITTEN_AT_ONCE);
      this.#keep(batch);
      this.#waiting.splice(0, batch.length);
    }
    this.#writing = undefined;
  }

  #keep(batch: readonly Rejection[]): void {
    try {
      const beforeMs = (batch.at(-1)?.timeMs ?? 0) - this.#retentionMs;
      this.#table.add(batch, { beforeMs, perAccount: this.#perAccount });
      this.#retained += batch.length;
    } catch (error) {
      this.#lose("rejections.unwritten", batch.length, error);
    }
  }

  #lose(name: string, count: number, error?: unknown): void {
    this.#lost += count;
    const why = error instanceof Error ? { error: error.name } : {};
    this.#telemetry?.event("warn", name, { count, lost: this.#lost, ...why });
  }
}

function matches(rejection: Rejection, query: RejectionQuery): boolean {
  const { accountId, symbol, clientOrderId, startTimeMs = 0, endTimeMs = Number.POSITIVE_INFINITY } = query;
  return (
    rejection.accountId === accountId &&
    (symbol === undefined || rejection.symbol === symbol) &&
    (clientOrderId === undefined || rejection.clientOrderId === clientOrderId) &&
    rejection.timeMs >= startTimeMs &&
    rejection.timeMs <= endTimeMs
  );
}
