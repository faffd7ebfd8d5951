import {
  CANCELED_MANAGED_ORDER,
  type CanceledManagedOrderReply,
  MANAGED_ORDER,
  type ManagedOrder,
  type ManagedOrderReply,
} from "./managed-order.ts";
import type { ReadOf, WrittenOf } from "./table.ts";

/** The members of a list but the reports of its legs. */
const LIST = {
  /** Negative. */
  orderListId: "id",
  contingencyType: "Contingency",
  listStatusType: "ListStatusType",
  listOrderStatus: "ListOrderStatus",
  listClientOrderId: "text",
  /** Time of acceptance. */
  transactionTime: "time",
  symbol: "text",
  /** The working leg, the protective leg, then the other leg. */
  orders: [{ symbol: "text", orderId: "id", clientOrderId: "text" }],
} as const;

type Leg = (typeof LIST)["orders"][0];

/** A list of linked orders. Source: contract, Linked order list reply. */
export const ORDER_LIST: typeof LIST & { readonly orderReports: readonly [typeof MANAGED_ORDER] } =
  /* @__PURE__ */ Object.assign({}, LIST, { orderReports: [MANAGED_ORDER] } as const);

/** A list after its cancel. */
export const CANCELED_ORDER_LIST: typeof LIST & {
  readonly orderReports: readonly [typeof CANCELED_MANAGED_ORDER];
} = /* @__PURE__ */ Object.assign({}, LIST, { orderReports: [CANCELED_MANAGED_ORDER] } as const);

/** The ids of a leg of a list. */
export type LegIdentity = WrittenOf<Leg>;

/**
 * An order list as clients see it. Times are epoch milliseconds. Both members list the legs in the same order: working,
 * protective, then the other. Source: contract, Linked order list reply; decisions 6 and 35.
 */
export type OrderListView = WrittenOf<typeof LIST> & Readonly<{ orderReports: readonly ManagedOrder[] }>;

/** The ids of a leg. */
export interface LegIdentityReply extends ReadOf<Leg> {}

/** A list of linked orders; `Report` is the type of its legs. Source: contract, Linked order list reply. */
export interface OrderListReply<Report = ManagedOrderReply> extends ReadOf<typeof LIST> {
  /** The same legs in full. */
  readonly orderReports: readonly Report[];
}

/** A list after its cancel. */
export type CanceledOrderListReply = OrderListReply<CanceledManagedOrderReply>;
