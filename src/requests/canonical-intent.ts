import { formatPrice, formatQuantity, type Price } from "../decimal/index.ts";
import type { ListIntent, ParentIntent, ScheduleTerms, TrailingDistance } from "../model/index.ts";

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

function scheduleTerms(schedule: ScheduleTerms | undefined): readonly unknown[] | null {
  if (schedule === undefined) return null;
  const { intervalMs, intervalCount, intervalDelayMs, weights } = schedule;
  return [intervalMs, intervalCount ?? null, intervalDelayMs, weights ?? null];
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
    intent.icebergQuantity === undefined ? null : formatQuantity(intent.icebergQuantity),
    scheduleTerms(intent.schedule),
    intent.participationBips ?? null,
    intent.timeInForce,
    intent.expireTimeMs ?? null,
    intent.reduceOnly,
    intent.childTimeInForce,
  ]);
}

/**
 * One text per intent of a list: equal for two lists if and only if they ask for the same orders in the same roles;
 * the contingency and the place of a leg say its role. A leg's client id is part of it where the caller gave it; the
 * list's own id is not. Source: decision 1.
 *
 * @example
 * ```ts
 * import { canonicalList, listIntent, type OcoFields } from "managed-orders";
 * const exit: OcoFields = {
 *   symbol: "BTC/USD",
 *   side: "SELL",
 *   quantity: "0.5",
 *   aboveType: "LIMIT",
 *   abovePrice: "8000",
 *   aboveClientOrderId: "exit-1-high",
 *   belowType: "STOP",
 *   belowStopPrice: "7000",
 *   belowClientOrderId: "exit-1-low",
 *   listClientOrderId: "exit-1",
 * };
 * const again = listIntent("oco", { ...exit, aboveType: "SYNTHETIC_LIMIT", quantity: "0.50" });
 * console.log(canonicalList(listIntent("oco", exit)) === canonicalList(again)); // true
 * ```
 */
export function canonicalList({ contingency, legs }: Pick<ListIntent, "contingency" | "legs">): string {
  return JSON.stringify([
    contingency,
    legs.map(({ intent, generatedClientId }) => [
      canonicalIntent(intent),
      generatedClientId ? null : intent.clientOrderId,
    ]),
  ]);
}
