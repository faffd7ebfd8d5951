/**
 * Orders, lists, prices and quantities, without I/O, clock or Node built-ins. The same code runs on server and client.
 * The rules that the engine applies to an order are in `managed-orders/rules`.
 *
 * @module managed-orders
 */
export { Notional, Price, Quantity } from "./decimal/index.ts";
export {
  ERRORS,
  type ErrorBody,
  type ErrorDetails,
  type ErrorName,
  type ErrorRow,
  InvariantError,
  OrderError,
  type RetryClass,
} from "./errors/index.ts";
export {
  type AmendableOrder,
  type AmendPreview,
  type ApiState,
  amendableFields,
  type ListStatusView,
  listStatusOf,
  type OrderPreview,
  type OrderStatus,
  type PreviewContext,
  type PreviewSlot,
  previewAmend,
  previewOrder,
  type QuoteText,
  type StatusView,
  statusOf,
} from "./lifecycle/index.ts";
export type {
  AmendedTerms,
  Amends,
  Cause,
  ChildOrder,
  ChildReport,
  ChildRequest,
  Fact,
  Fill,
  Instrument,
  JournalRecord,
  ListIntent,
  NativeOrder,
  OrderList,
  OrderTypeAlias,
  ParentIntent,
  ParentOrder,
  ParentType,
  Quote,
  Replaced,
  Side,
  TimeInForce,
} from "./model/index.ts";
export {
  type AmendFields,
  bracket,
  type LegacyOcoFields,
  type ListFields,
  type ListForm,
  listIntent,
  type OcoFields,
  type OrderFields,
  type OrderIntentOptions,
  type Orders,
  type OtocoFields,
  type OtoFields,
  oco,
  orderIntent,
  oto,
} from "./requests/index.ts";
