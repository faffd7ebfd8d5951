import { formatPrice, formatQuantity, parsePrice, parseQuantity } from "../../decimal/index.ts";
import { invariant } from "../../errors/index.ts";
import type { Rejection, Side } from "../../model/index.ts";
import type { RejectionQuery } from "../../ports/index.ts";
import type { Database } from "./database.ts";

/** Retained rejections, the table `api_order_reject`. */
export type RejectionTable = Readonly<{
  /**
   * Adds rejections, and deletes up to 200 that are too old and those beyond an account's limit, in one transaction.
   */
  add(rejections: readonly Rejection[], bounds: RejectionBounds): void;
  /** Returns the newest `limit` rejections, oldest first. */
  list(query: RejectionQuery): readonly Rejection[];
}>;

/** Retention bounds: rejections from `beforeMs` on, and the newest `perAccount` of an account. */
export type RejectionBounds = Readonly<{ beforeMs: number; perAccount: number }>;

type Row = Readonly<{
  rejectionId: string;
  accountId: number;
  symbol: string;
  clientOrderId: string;
  side: Side | null;
  type: string | null;
  timeInForce: string | null;
  price: string | null;
  stopPrice: string | null;
  quantity: string | null;
  code: number;
  rejectReason: Rejection["rejectReason"];
  errorMessage: string;
  timeMs: number;
}>;

const COLUMNS = `rejection_id AS rejectionId, account_id AS accountId, symbol, client_order_id AS clientOrderId, side,
  type, time_in_force AS timeInForce, price, stop_price AS stopPrice, quantity, code, reject_reason AS rejectReason,
  error_message AS errorMessage, time_ms AS timeMs`;

/** Maximum number of rows that one write deletes, so that it stays short. */
const DELETED_AT_ONCE = 200;

/** Prepares the statements for retained rejections. */
export function rejectionTable(database: Database): RejectionTable {
  const insert = database.prepare<[Row]>(
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
    for (const rejection of rejections) insert.run(rowOf(rejection));
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
    database.prepare<[Bounds], Row>(
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
    return rows.reverse().map(rejectionOf);
  };
}

function rowOf(rejection: Rejection): Row {
  const { side = null, type = null, timeInForce = null, price, stopPrice, quantity } = rejection;
  const { rejectionId, accountId, symbol, clientOrderId, code, rejectReason, errorMessage, timeMs } =
    rejection;
  return {
    ...{ rejectionId, accountId, symbol, clientOrderId, side, type, timeInForce },
    ...{ code, rejectReason, errorMessage, timeMs },
    price: price === undefined ? null : formatPrice(price),
    stopPrice: stopPrice === undefined ? null : formatPrice(stopPrice),
    quantity: quantity === undefined ? null : formatQuantity(quantity),
  };
}

function rejectionOf({ side, type, timeInForce, price, stopPrice, quantity, ...row }: Row): Rejection {
  return {
    ...row,
    ...(side !== null && { side }),
    ...(type !== null && { type }),
    ...(timeInForce !== null && { timeInForce }),
    ...(price !== null && { price: read(price, parsePrice) }),
    ...(stopPrice !== null && { stopPrice: read(stopPrice, parsePrice) }),
    ...(quantity !== null && { quantity: read(quantity, parseQuantity) }),
  };
}

function read<T>(text: string, parse: (text: string) => T | undefined): T {
  const value = parse(text);
  invariant(value !== undefined, "I16", `a stored rejection has an invalid amount: ${text}`);
  return value;
}
