export {
  CANCEL_ALL,
  CANCELED_MANAGED_ORDER,
  type CancelAllReply,
  type CanceledManagedOrderReply,
  MANAGED_ORDER,
  MANAGED_ORDER_PAGE,
  type ManagedOrder,
  type ManagedOrderReply,
  type OpenOrdersReply,
} from "./managed-order.ts";
export {
  CANCELED_ORDER_LIST,
  type CanceledOrderListReply,
  type LegIdentity,
  type LegIdentityReply,
  ORDER_LIST,
  type OrderListReply,
  type OrderListView,
} from "./order-list.ts";
export type {
  CompleteOf,
  Kind,
  KindName,
  LevelReply,
  MembersOfKind,
  ReadOf,
  Table,
  WholeText,
  Words,
  WrittenOf,
} from "./table.ts";
