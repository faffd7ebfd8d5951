import type { Rejection } from "../../model/index.ts";
import {
  type RejectionBounds,
  type RejectionRow,
  type RejectionTable,
  rejectionIn,
  rejectionRow,
} from "../shared/index.ts";
import type { Database } from "./database.ts";
import { wholeText } from "./whole-text.ts";

/** Texts of strangers are read as bytes. */
const COLUMNS = `rejection_id AS rejectionId, account_id AS accountId, CAST(symbol AS BLOB) AS symbol,
  CAST(client_order_id AS BLOB) AS clientOrderId, side, CAST(type AS BLOB) AS type,
  CAST(time_in_force AS BLOB) AS timeInForce, price, stop_price AS stopPrice, quantity, code,
  reject_reason AS rejectReason, CAST(error_message AS BLOB) AS errorMessage, time_ms AS timeMs`;

type Strangers = "symbol" | "clientOrderId" | "type" | "timeInForce" | "errorMessage";
type Stored = {
  readonly [K in keyof RejectionRow]: K extends Strangers ? Bytes<RejectionRow[K]> : RejectionRow[K];
};
type Bytes<T> = T extends string ? Uint8Array : T;

function storedIn({ symbol, clientOrderId, type, timeInForce, errorMessage, ...row }: Stored): Rejection {
  return rejectionIn({
    ...row,
    symbol: wholeText(symbol),
    clientOrderId: wholeText(clientOrderId),
    type: type && wholeText(type),
    timeInForce: timeInForce && wholeText(timeInForce),
    errorMessage: wholeText(errorMessage),
  });
}

/** Returns a function that reads rejections after a position, oldest first, each with its position. */
export function rejectionPages(
  database: Database,
): (after: number, limit: number) => readonly (readonly [position: number, rejection: Rejection])[] {
  const page = database.prepare<[after: number, limit: number], Stored & { readonly position: number }>(
    `SELECT position, ${COLUMNS} FROM api_order_reject WHERE position > ? ORDER BY position LIMIT ?`,
  );
  return (after, limit) => page.all(after, limit).map(({ position, ...row }) => [position, storedIn(row)]);
}

/** Maximum number of rows that one write deletes, so that it stays short. */
const DELETED_AT_ONCE = 200;

/** Prepares the statements for retained rejections. */
export function rejectionTable(database: Database): RejectionTable {
  const insert = database.prepare<[RejectionRow]>(
    `INSERT INTO api_order_reject (rejection_id, account_id, symbol, client_order_id, side, type, time_in_force, price,
       stop_price, quantity, code, reject_reason, error_message, time_ms)
     VALUES (@rejectionId, @accountId, @symbol, @clientOrderId, @side, @type, @timeInForce, @price,
       @stopPrice, @quantity, @code, @rejectReason, @errorMessage, @timeMs)`,
  );
  const drop = database.prepare<[beforeMs: number, limit: number]>(
    `DELETE FROM api_order_reject WHERE position IN
       (SELECT position FROM api_order_reject WHERE time_ms < ? ORDER BY time_ms LIMIT ?)`,
  );
  const trim = database.prepare<[Readonly<{ accountId: number; perAccount: number }>]>(
    `DELETE FROM api_order_reject WHERE account_id = @accountId AND position <=
       (SELECT position FROM api_order_reject WHERE account_id = @accountId
        ORDER BY position DESC LIMIT 1 OFFSET @perAccount)`,
  );
  const add = database.transaction((rejections: readonly Rejection[], bounds: RejectionBounds) => {
    const { beforeMs, perAccount } = bounds;
    for (const rejection of rejections) insert.run(rejectionRow(rejection));
    for (const accountId of new Set(rejections.map((one) => one.accountId)))
      trim.run({ accountId, perAccount });
    drop.run(beforeMs, DELETED_AT_ONCE);
  });
  return { add: add.immediate, list: listing(database) };
}

type Bounds = Readonly<{
  accountId: number;
  clientOrderId?: string | undefined;
  symbol: string | null;
  startTimeMs: number;
  endTimeMs: number;
  limit: number;
}>;

function listing(database: Database): RejectionTable["list"] {
  const select = (where: string) =>
    database.prepare<[Bounds], Stored>(
      `SELECT ${COLUMNS} FROM api_order_reject
       WHERE ${where} AND time_ms >= @startTimeMs AND time_ms <= @endTimeMs AND (@symbol IS NULL OR symbol = @symbol)
       ORDER BY position DESC LIMIT @limit`,
    );
  const ofAccount = select("account_id = @accountId");
  const ofClientId = select("account_id = @accountId AND client_order_id = @clientOrderId");
  return ({ accountId, clientOrderId, symbol = null, startTimeMs = 0, endTimeMs = Infinity, limit }) => {
    const bounds = { accountId, symbol, startTimeMs, endTimeMs, limit };
    const rows =
      clientOrderId === undefined ? ofAccount.all(bounds) : ofClientId.all({ ...bounds, clientOrderId });
    return rows.reverse().map(storedIn);
  };
}
