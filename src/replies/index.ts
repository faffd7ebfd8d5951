export * from "./managed-order.ts";
export * from "./market.ts";
export * from "./market-events.ts";
export * from "./native-order.ts";
export * from "./order-events.ts";
export * from "./order-list.ts";
export * from "./subscription.ts";
export * from "./table.ts";
