import { type DayOrder, quantityOf } from "./recompute.ts";

/** Returns the four orders of the day, with levels relative to the first quote of the file, in 1e-8 USD. */
export function dayOrders(first: Readonly<{ bid: bigint; ask: bigint }>): readonly DayOrder[] {
  const bps = (price: bigint, change: bigint): bigint => (price * (10_000n + change)) / 10_000n;
  return [
    { id: "trailing", side: "SELL", kind: "trailing", quantity: quantityOf("7.5"), trailingBps: 150n },
    {
      id: "stop-limit",
      side: "BUY",
      kind: "stop-limit",
      quantity: quantityOf("12.25"),
      stopPrice: bps(first.ask, 20n),
      limit: bps(first.ask, 25n),
    },
    {
      id: "take-profit",
      side: "BUY",
      kind: "take-profit-limit",
      quantity: quantityOf("130"),
      stopPrice: bps(first.ask, -450n),
      limit: bps(first.ask, -400n),
    },
    { id: "limit", side: "BUY", kind: "limit", quantity: quantityOf("45.5"), limit: bps(first.ask, -300n) },
  ];
}
