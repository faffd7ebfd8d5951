import type { ListStatusView } from "../lifecycle/index.ts";
import type { Contingency } from "../model/index.ts";
import {
  CANCELED_MANAGED_ORDER,
  type CanceledManagedOrderReply,
  MANAGED_ORDER,
  type ManagedOrder,
  type ManagedOrderReply,
} from "./managed-order.ts";
import { type Count, type Id, number, type ReadOf, type Text, text, type WrittenOf, whole } from "./table.ts";

/** The members of a list but the reports of its legs. */
const LIST = {
  /** Negative. */
  orderListId: whole as Id,
  contingencyType: text as Text<Contingency>,
  listStatusType: text as Text<ListStatusView["listStatusType"]>,
  listOrderStatus: text as Text<ListStatusView["listOrderStatus"]>,
  listClientOrderId: text as Text,
  /** Time of acceptance. */
  transactionTime: number as Count,
  symbol: text as Text,
  /** The working leg, the protective leg, then the other leg. */
  orders: [{ symbol: text as Text, orderId: whole as Id, clientOrderId: text as Text }],
} as const;

type Leg = (typeof LIST)["orders"][0];

/** A list of linked orders. Source: contract, Linked order list reply. */
export const ORDER_LIST: typeof LIST & { readonly orderReports: readonly [typeof MANAGED_ORDER] } = {
  ...LIST,
  orderReports: [MANAGED_ORDER],
};

/** A list after its cancel. */
export const CANCELED_ORDER_LIST: typeof LIST & {
  readonly orderReports: readonly [typeof CANCELED_MANAGED_ORDER];
} = { ...LIST, orderReports: [CANCELED_MANAGED_ORDER] };

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
