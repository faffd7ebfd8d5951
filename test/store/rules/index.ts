export { testOrderStore } from "./order-store.ts";
export type { OrderStorePlace, OrderStoreSubject, OrderStoreSupport } from "./world.ts";
