/** Direction of an order. */
export type Side = "BUY" | "SELL";
