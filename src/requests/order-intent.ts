import type { Price } from "../decimal/index.ts";
import { OrderError } from "../errors/index.ts";
import type {
  ChildTimeInForce,
  ParentIntent,
  ParentType,
  Side,
  TimeInForce,
  TrailingDistance,
} from "../model/index.ts";
import { ORDER_NAMES } from "./known-names.ts";
import { type OrderFieldValues, orderSchema } from "./order-schema.ts";
import { canonicalType, type OrderTypeAlias } from "./order-type.ts";
import type { PlainFields } from "./plain-fields.ts";
import { readWith } from "./read-with.ts";
import { conflict, unread } from "./refusals.ts";

/**
 * An order in the words of the contract's input fields: decimals as strings, times, ids and basis points as numbers.
 * `symbol` is canonical here. Source: contract, Order input fields.
 */
export type OrderFields = Readonly<{
  symbol: string;
  side: Side;
  type: ParentType | OrderTypeAlias;
  quantity: string;
  price?: string;
  stopPrice?: string;
  trailingDelta?: number;
  price2?: string;
  trailingAmount?: string;
  limitOffset?: string;
  timeInForce?: TimeInForce;
  expireTime?: number;
  goodTillDate?: number;
  reduceOnly?: boolean;
  childTimeInForce?: ChildTimeInForce;
  apiManaged?: boolean;
  newClientOrderId?: string;
}>;

/** `clientId` makes the id of an order that names none. */
export type OrderIntentOptions = Readonly<{ clientId?: () => string }>;

/**
 * The canonical intent of an order given in process; the same rules and errors as on the wire.
 * Without newClientOrderId the id is taken from `options.clientId`; without both PARAMETER_MISSING (-1102) is thrown.
 * Throws an OrderError that names the field at fault. Source: contract, Order input fields; decisions 7, 10, 18, 19.
 *
 * @example
 * ```ts
 * import { orderIntent } from "managed-orders";
 * const intent = orderIntent({
 *   symbol: "BTC/USD",
 *   side: "SELL",
 *   type: "STOP_LOSS",
 *   quantity: "0.010",
 *   stopPrice: "7400",
 *   newClientOrderId: "stop-1",
 * });
 * console.log(intent.type, intent.timeInForce); // STOP_MARKET GTC
 * ```
 */
export function orderIntent(fields: OrderFields, options: OrderIntentOptions = {}): ParentIntent {
  const sent = Object.entries(fields).filter(([, value]) => value !== undefined);
  const unknown = sent.map(([name]) => name).filter((name) => !ORDER_NAMES.has(name));
  if (unknown.length > 0) throw unread(unknown, sent.length);
  const plain: PlainFields = Object.fromEntries(sent);
  if (plain.newClientOrderId !== undefined || options.clientId === undefined) return intentOf(plain);
  return intentOf({ ...plain, newClientOrderId: options.clientId() });
}

/** The intent that plain fields express; throws the OrderError of what is wrong with them. */
export function intentOf(fields: PlainFields): ParentIntent {
  const order = readWith(orderSchema, { ...fields, type: canonicalType(fields) });
  const { price, stopPrice } = order;
  const trailing = trailingDistance(order);
  const limitOffset = dynamicOffset(order);
  return {
    symbol: order.symbol,
    side: order.side,
    type: order.type,
    quantity: order.quantity,
    ...(price !== undefined && { price }),
    ...(stopPrice !== undefined && { stopPrice }),
    ...(trailing !== undefined && { trailing }),
    ...(limitOffset !== undefined && { limitOffset }),
    ...lifetime(order),
    reduceOnly: order.reduceOnly,
    childTimeInForce: order.childTimeInForce,
    clientOrderId: order.newClientOrderId,
  };
}

const TRAILING: ReadonlySet<ParentType> = new Set(["TRAILING_STOP_MARKET", "TRAILING_STOP_LIMIT"]);

function trailingDistance(order: OrderFieldValues): TrailingDistance | undefined {
  if (!TRAILING.has(order.type)) return undefined;
  requireOne(order, ["trailingDelta", "price2", "trailingAmount"]);
  const { trailingDelta, price2, trailingAmount } = order;
  if (trailingDelta !== undefined) return { kind: "bps", bps: trailingDelta };
  if (price2 !== undefined) return { kind: "percent", percent: price2 };
  return trailingAmount === undefined ? undefined : { kind: "amount", amount: trailingAmount };
}

function dynamicOffset(order: OrderFieldValues): Price | undefined {
  if (order.type === "TRAILING_STOP_LIMIT") requireOne(order, ["price", "limitOffset"]);
  return order.limitOffset;
}

/** Exactly one of the fields must be there (-1128). */
function requireOne(order: OrderFieldValues, fields: readonly (keyof OrderFieldValues)[]): void {
  const sent = fields.filter((field) => order[field] !== undefined);
  if (sent.length === 1) return;
  throw conflict(sent.length === 0 ? fields : sent, `Send exactly one of ${fields.join(", ")}.`);
}

/** Lifetime and expiry (decision 10): two names of one expiry, GTD if and only if there is one. */
function lifetime(order: OrderFieldValues): Pick<ParentIntent, "timeInForce" | "expireTimeMs"> {
  const { expireTime, goodTillDate } = order;
  const expireTimeMs = expireTime ?? goodTillDate;
  if (goodTillDate !== undefined && goodTillDate !== expireTimeMs) {
    throw conflict(["expireTime", "goodTillDate"], "Send one of them, or the same time in both.");
  }
  const timeInForce = order.timeInForce ?? (expireTimeMs === undefined ? "GTC" : "GTD");
  if (expireTimeMs === undefined) {
    if (timeInForce === "GTC") return { timeInForce };
    throw new OrderError("PARAMETER_MISSING_BOTH", { field: "expireTime", other: "goodTillDate" });
  }
  if (timeInForce === "GTD") return { timeInForce, expireTimeMs };
  const expiry = expireTime === undefined ? "goodTillDate" : "expireTime";
  throw conflict(["timeInForce", expiry], "An order with an expiry is GTD; leave the expiry or GTC out.");
}
