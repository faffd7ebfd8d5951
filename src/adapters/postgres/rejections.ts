import type { Rejection } from "../../model/index.ts";
import type { Rejections, Telemetry } from "../../ports/index.ts";
import { type RejectionRow, type RejectionTable, rejectionIn, rejectionRow } from "../shared/index.ts";
import { transposed } from "./append-columns.ts";
import type { Database } from "./database.ts";
import type { Row } from "./driver.ts";
import { asGiven, storable, textIn, wholeIn } from "./reading.ts";
import { VALUES } from "./statements.ts";

/** Rejections that survive a restart of the process. */
export interface PostgresRejections extends Rejections {
  /** Resolves when all waiting rejections are written or lost. */
  flush(): Promise<void>;
}

/** Options for retained rejections. */
export interface PostgresRejectionOptions {
  /**
   * Number of rejections that may wait to be written; default 1000. Further rejections are lost, and counted as lost.
   */
  readonly capacity?: number;
  /** Number of days for which a rejection is kept; default 30. */
  readonly retentionDays?: number;
  /** Rejections kept per account; default 10000. Beyond it the oldest are deleted. */
  readonly perAccount?: number;
  /** Receives an event for lost rejections. */
  readonly telemetry?: Telemetry;
}

/** Maximum number of old rows that one write deletes. */
const DELETED_AT_ONCE = 200;

/** The table `api_order_reject` of a database. */
export function rejectionTable(database: Database): RejectionTable {
  return {
    async add(rejections, { beforeMs, perAccount }) {
      await database.write(VALUES.addRejections, transposed(rowsOf(rejections), 15));
      for (const accountId of new Set(rejections.map((one) => one.accountId)))
        await database.write(VALUES.trimRejections, [accountId, perAccount]);
      await database.write(VALUES.dropRejections, [Math.floor(beforeMs), DELETED_AT_ONCE]);
    },
    async list({ accountId, symbol, clientOrderId, startTimeMs, endTimeMs, limit }) {
      const values = [
        accountId,
        symbol === undefined ? null : storable(symbol),
        startTimeMs ?? Number.MIN_SAFE_INTEGER,
        endTimeMs ?? Number.MAX_SAFE_INTEGER,
        limit,
      ];
      const rows =
        clientOrderId === undefined
          ? await database.read(VALUES.rejections, values)
          : await database.read(VALUES.rejectionsByName, [...values, storable(clientOrderId)]);
      return rows.map(rejectionOf).reverse();
    },
  };
}

/** Each row has its number among those of its account. */
function rowsOf(rejections: readonly Rejection[]): readonly (readonly unknown[])[] {
  const numbers = new Map<number, number>();
  return rejections.map((rejection) => {
    const row = rejectionRow(rejection);
    const number = (numbers.get(row.accountId) ?? 0) + 1;
    numbers.set(row.accountId, number);
    const text = (value: string | null): string | null => (value === null ? null : storable(value));
    return [
      ...[row.accountId, number, text(row.rejectionId), text(row.symbol), text(row.clientOrderId), row.side],
      ...[text(row.type), text(row.timeInForce), row.price, row.stopPrice, row.quantity, row.code],
      ...[row.rejectReason, text(row.errorMessage), row.timeMs],
    ];
  });
}

/** Returns a rejection of a row. */
export function rejectionOf(row: Row): Rejection {
  const given = (column: number): string | null => {
    const value = row[column];
    return value === null || value === undefined ? null : asGiven(value);
  };
  return rejectionIn({
    rejectionId: asGiven(textIn(row, 0)),
    accountId: wholeIn(row, 1),
    symbol: asGiven(textIn(row, 2)),
    clientOrderId: asGiven(textIn(row, 3)),
    side: given(4) as RejectionRow["side"],
    type: given(5),
    timeInForce: given(6),
    price: given(7),
    stopPrice: given(8),
    quantity: given(9),
    code: wholeIn(row, 10),
    rejectReason: textIn(row, 11) as RejectionRow["rejectReason"],
    errorMessage: asGiven(textIn(row, 12)),
    timeMs: wholeIn(row, 13),
  });
}
