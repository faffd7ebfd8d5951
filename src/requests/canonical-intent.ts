import { formatPrice, formatQuantity, type Price } from "../decimal/index.ts";
import type { ParentIntent, TrailingDistance } from "../model/index.ts";

const optional = (value: Price | undefined): string | null =>
  value === undefined ? null : formatPrice(value);

function trailingText(trailing: TrailingDistance | undefined): string | null {
  if (trailing === undefined) return null;
  switch (trailing.kind) {
    case "bps":
      return `${trailing.bps} bps`;
    case "percent":
      return `${formatPrice(trailing.percent)} %`;
    case "amount":
      return `${formatPrice(trailing.amount)} USD`;
  }
}

/**
 * One text per intent: equal for two placements if and only if they ask for the same order, whatever aliases,
 * defaults and decimal spellings they used. The client id is not part of it. Source: decision 1.
 *
 * @example
 * ```ts
 * import { canonicalIntent, orderIntent } from "managed-orders";
 * const common = { symbol: "BTC/USD", side: "BUY", price: "7000", newClientOrderId: "entry-1" } as const;
 * const first = orderIntent({ ...common, type: "SYNTHETIC_LIMIT", quantity: "0.5" });
 * const again = orderIntent({ ...common, type: "LIMIT", apiManaged: true, quantity: "0.500" });
 * console.log(canonicalIntent(first) === canonicalIntent(again)); // true
 * ```
 */
export function canonicalIntent(intent: ParentIntent): string {
  return JSON.stringify([
    intent.symbol,
    intent.side,
    intent.type,
    formatQuantity(intent.quantity),
    optional(intent.price),
    optional(intent.stopPrice),
    trailingText(intent.trailing),
    optional(intent.limitOffset),
    intent.timeInForce,
    intent.expireTimeMs ?? null,
    intent.reduceOnly,
    intent.childTimeInForce,
  ]);
}
