export * from "./managed-order.ts";
export * from "./market.ts";
export * from "./native-order.ts";
export * from "./order-list.ts";
export type * from "./table.ts";
