import {
  exactQuantityText,
  executedPriceText,
  executedText,
  formatPrice,
  formatQuantity,
  type Price,
} from "../../decimal/index.ts";
import { type ParentIntent, TRAITS } from "../../model/index.ts";
import { type CompleteOf, type MANAGED_UPDATE, UNUSED_LETTERS } from "../../replies/index.ts";
import type { JsonInput } from "../../wire/index.ts";
import { membersInEvents, NO_LIST, triggerInEvents } from "../views/managed-order.ts";
import { tradeIdOf } from "../views/trade-id.ts";
import type { OrderEvent } from "./order-events.ts";

/** Members of every event of the private stream: its number within the account, and its sending time. */
export type EventStamp = Readonly<{ sequence: number; nowMs: number }>;

/** Text for an absent value. */
export const NONE = "0";

/** Trade id of an event that is not a trade. */
export const NO_TRADE = 0;

/** One basis point as a percentage, in units of 1e-8. */
const PERCENT_STEPS_PER_BPS = 1_000_000;

/**
 * Builds an ORDER_TRADE_UPDATE. The single-letter members are the convention's. `sequence` and the spelled-out members
 * of `o` are additions: accountId, executionId (unique at the venue; `t` is its number), g (list), apiState, held,
 * cancelPending, triggerLevel, triggerTime, reason and alerts. Source: convention 4.9; decisions 11, 15, 43, 45, MB.
 */
export function orderTradeUpdate(event: OrderEvent, { sequence, nowMs }: EventStamp): JsonInput {
  return { e: "ORDER_TRADE_UPDATE", E: nowMs, T: event.timeMs, sequence, o: updateOf(event) };
}

function updateOf(event: OrderEvent): CompleteOf<typeof MANAGED_UPDATE> {
  const { order, timeMs, execution, view, fill } = event;
  const { intent, accountId, orderId } = order;
  return {
    s: intent.symbol,
    c: intent.clientOrderId,
    S: intent.side,
    o: intent.type,
    f: intent.timeInForce,
    q: formatQuantity(intent.quantity),
    p: priceText(intent.price),
    ap: executedPriceText(event.executed),
    sp: priceText(intent.stopPrice),
    x: execution,
    X: view.status,
    i: orderId,
    l: fill === undefined ? NONE : exactQuantityText(fill),
    z: executedText(event.executed),
    L: priceText(fill?.price),
    T: fill?.timeMs ?? timeMs,
    t: fill === undefined ? NO_TRADE : tradeIdOf(fill.executionId),
    R: intent.reduceOnly,
    ot: intent.type,
    ...UNUSED_LETTERS,
    ...trailingOf(intent),
    gtd: intent.expireTimeMs ?? 0,
    er: expiryNumber(event),
    g: order.list?.listId ?? NO_LIST,
    accountId,
    ...membersInEvents(event),
    ...triggerInEvents(order),
    executionId: fill?.executionId,
    reason: event.reason,
    alerts: event.alerts,
  };
}

/** Formats a price, or returns the text for an absent value. */
export const priceText = (price: Price | undefined): string =>
  price === undefined ? NONE : formatPrice(price);

const NOT_TRAILING = { AP: undefined, cr: undefined };

/** Returns activation price and callback rate in percent for trailing types only. An absolute distance has no rate. */
function trailingOf({
  type,
  trailing,
  stopPrice,
}: ParentIntent): Pick<CompleteOf<typeof MANAGED_UPDATE>, "AP" | "cr"> {
  if (trailing === undefined) return NOT_TRAILING;
  const gated = TRAITS[type].trigger === "trailing";
  const rate =
    trailing.kind === "bps"
      ? formatPrice((trailing.bps * PERCENT_STEPS_PER_BPS) as Price)
      : trailing.kind === "percent"
        ? formatPrice(trailing.percent)
        : undefined;
  return { AP: gated ? priceText(stopPrice) : undefined, cr: rate };
}

/**
 * Returns the convention's expiry number: 2 for the remainder of a limit order, 9 for that of a market order, otherwise
 * 0.
 */
function expiryNumber({ execution, reason, order }: OrderEvent): string {
  if (execution !== "EXPIRED" || reason !== "RESIDUAL_BELOW_MIN_NOTIONAL") return "0";
  return order.intent.price === undefined && order.intent.limitOffset === undefined ? "9" : "2";
}
