import { averagePriceText, formatPrice, formatQuantity, type Price } from "../../decimal/index.ts";
import { type ParentIntent, TRAITS } from "../../model/index.ts";
import type { JsonInput } from "../../wire/index.ts";
import { membersInEvents, NO_LIST } from "../views/managed-order.ts";
import type { OrderEvent } from "./order-events.ts";

/** What every event of the private stream bears: its number within the account, and when it went out. */
export type EventStamp = Readonly<{ sequence: number; nowMs: number }>;

/** What stands where nothing is. */
export const NONE = "0";

/** Letters of the convention for things that are not here. */
export const NOT_HERE: Readonly<Record<string, JsonInput>> = {
  b: NONE,
  a: NONE,
  m: false,
  wt: "CONTRACT_PRICE",
  cp: false,
  pP: false,
  si: 0,
  ss: 0,
  rp: NONE,
  V: "NONE",
  pm: "NONE",
};

const EXECUTION_NUMBER = /^[1-9][0-9]{0,17}$/;

/** One basis point as a percentage, in the steps of a price. */
const PERCENT_STEPS_PER_BPS = 1_000_000;

/**
 * An ORDER_TRADE_UPDATE. The letters are the convention's; `sequence` and the spelled-out members of `o` are ours:
 * accountId, executionId (unique at the venue; `t` is it where it is a number), g (list), apiState, held, cancelPending,
 * reason and alert. Source: convention 4.9; decisions 11, 15, 43, 45.
 */
export function orderTradeUpdate(event: OrderEvent, { sequence, nowMs }: EventStamp): JsonInput {
  const { order, timeMs, execution, view, fill } = event;
  const { intent, accountId, orderId } = order;
  return {
    e: "ORDER_TRADE_UPDATE",
    E: nowMs,
    T: timeMs,
    sequence,
    o: {
      s: intent.symbol,
      c: intent.clientOrderId,
      S: intent.side,
      o: intent.type,
      f: intent.timeInForce,
      q: formatQuantity(intent.quantity),
      p: priceText(intent.price),
      ap: averagePriceText(event.executedNotional, event.executedQuantity),
      sp: priceText(intent.stopPrice),
      x: execution,
      X: view.status,
      i: orderId,
      l: fill === undefined ? NONE : formatQuantity(fill.quantity),
      z: formatQuantity(event.executedQuantity),
      L: priceText(fill?.price),
      T: fill?.timeMs ?? timeMs,
      t: tradeNumber(fill?.executionId ?? ""),
      R: intent.reduceOnly,
      ot: intent.type,
      ...NOT_HERE,
      ...trailingOf(intent),
      gtd: intent.expireTimeMs ?? 0,
      er: expiryNumber(event),
      g: order.list?.listId ?? NO_LIST,
      accountId,
      ...membersInEvents(event),
      executionId: fill?.executionId,
      reason: event.reason,
      alert: event.alert,
    },
  };
}

/** A price, or what stands where there is none. */
export const priceText = (price: Price | undefined): string =>
  price === undefined ? NONE : formatPrice(price);

/** The number of an execution whose id is one, else 0. */
export function tradeNumber(executionId: string): JsonInput {
  return EXECUTION_NUMBER.test(executionId) ? BigInt(executionId) : 0;
}

/** Activation price and callback rate in percent, of the trailing types only; an absolute distance has no rate. */
function trailingOf({ type, trailing, stopPrice }: ParentIntent): Readonly<Record<string, JsonInput>> {
  if (trailing === undefined) return {};
  const gated = TRAITS[type].trigger === "trailing";
  const rate =
    trailing.kind === "bps"
      ? formatPrice((trailing.bps * PERCENT_STEPS_PER_BPS) as unknown as Price)
      : trailing.kind === "percent"
        ? formatPrice(trailing.percent)
        : undefined;
  return { ...(gated && { AP: priceText(stopPrice) }), ...(rate !== undefined && { cr: rate }) };
}

/** The convention's number of an expiry: 2 for the rest of a limit order, 9 for that of a market order, 0 for all else. */
function expiryNumber({ execution, reason, order }: OrderEvent): string {
  if (execution !== "EXPIRED" || reason !== "RESIDUAL_BELOW_MIN_NOTIONAL") return "0";
  return order.intent.price === undefined && order.intent.limitOffset === undefined ? "9" : "2";
}
