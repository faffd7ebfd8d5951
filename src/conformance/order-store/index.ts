export { orderStoreRules, testOrderStore } from "./order-store.ts";
export {
  endedLegs,
  endedList,
  endedOrder,
  keepEnded,
  keepLists,
  openOrder,
  part,
  QUOTE,
  recordsOfOrders,
  type SampleOrder,
  sampleMark,
  samplePrint,
  sampleRecord,
  sampleRecords,
} from "./samples.ts";
export type { OrderStorePlace, OrderStoreSubject, OrderStoreSupport } from "./world.ts";
