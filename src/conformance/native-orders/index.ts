export { nativeOrdersRules, testNativeOrders } from "./native-orders.ts";
export type {
  NativeMarket,
  NativeOrdersPlace,
  NativeOrdersSubject,
  NativeOrdersSupport,
  OpenNativeOrders,
} from "./place.ts";
export { lineOf, type NativeLimit, nativeOf, refusalOf } from "./world.ts";
