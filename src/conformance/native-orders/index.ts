export { testNativeOrders } from "./native-orders.ts";
export type {
  NativeMarket,
  NativeOrdersPlace,
  NativeOrdersSubject,
  NativeOrdersSupport,
  OpenNativeOrders,
} from "./place.ts";
