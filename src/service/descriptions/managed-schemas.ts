import type { JsonSchema } from "../../requests/schemas/index.ts";
import { MANAGED_ORDER } from "../views/managed-order.ts";
import type { LegIdentity, OrderListView } from "../views/order-list-view.ts";
import {
  flag,
  int64,
  integer,
  list,
  long,
  type Members,
  type MembersOf,
  object,
  oneOf,
  only,
  optional,
  ref,
  text,
  time,
} from "../views/schema.ts";

/** Members that the reply of a cancel has besides the order's. */
const CANCELED: Members = { origClientOrderId: text("The client id that the order was canceled by.") };

/** Scales of the whole numbers that represent decimals. */
export const SCALES: Readonly<Record<"priceScale" | "quantityScale", JsonSchema>> = {
  priceScale: only(8, "Decimals of the prices."),
  quantityScale: only(6, "Decimals of the quantities."),
};

const {
  origQty: _origQty,
  executedQty: _executedQty,
  price: _price,
  stopPrice: _stop,
  ...UNSCALED
} = MANAGED_ORDER;

const LEG: MembersOf<LegIdentity> = {
  symbol: text("Symbol of the market."),
  orderId: long("Id of the leg.", { maximum: -1 }),
  clientOrderId: text("Client id of the leg."),
};

const LEGS = list(object("A leg.", LEG), "The legs: working, protective, then the other.");

const orderList = (report: string): MembersOf<OrderListView> => ({
  orderListId: long("Id of the list: negative.", { maximum: -2 }),
  contingencyType: oneOf(["OCO", "OTO", "OTOCO"], "How the legs depend on each other."),
  listStatusType: oneOf(["EXEC_STARTED", "ALL_DONE"], "Whether all legs have ended."),
  listOrderStatus: oneOf(["EXECUTING", "ALL_DONE"], "The same."),
  listClientOrderId: text("Your id of the list."),
  transactionTime: time("When the list was accepted."),
  symbol: text("Symbol of the market."),
  orders: LEGS,
  orderReports: list(ref(report), "The legs in full, in the same order."),
});

/** Schemas of managed orders, lists and pages. Source: contract, Resources and their fields. */
export const MANAGED_SCHEMAS: Readonly<Record<string, JsonSchema>> = {
  ManagedOrder: object("A managed order. A member that does not apply is left out.", MANAGED_ORDER),
  CanceledManagedOrder: object("A managed order after its cancel.", { ...MANAGED_ORDER, ...CANCELED }),
  ScaledManagedOrder: object("A managed order with prices and quantities as whole numbers.", {
    ...UNSCALED,
    origQty: int64("Quantity that was asked for, in millionths."),
    executedQty: int64("Quantity that was executed, in millionths."),
    price: optional(int64("Limit price, in 1e-8 USD.")),
    stopPrice: optional(int64("Stop price, in 1e-8 USD.")),
    ...SCALES,
  }),
  OrderList: object("A list of linked orders.", orderList("ManagedOrder")),
  CanceledOrderList: object("A list after its cancel.", orderList("CanceledManagedOrder")),
  ManagedOrderPage: object("A page of managed orders over all markets.", {
    apiManaged: only(true, "The orders are managed by the service."),
    includesHistory: flag("Whether ended orders are listed too."),
    newestFirst: optional(only(true, "There when it was asked for.")),
    total: integer("How many orders match in all."),
    nextOrderId: long("The afterOrderId of the next page; 0: this was the last.", { maximum: 0 }),
    orders: list(ref("ManagedOrder"), "The orders of this page."),
  }),
  CancelAllResult: object("What became of all managed orders.", {
    matchedCount: integer("Orders that had not ended."),
    canceledCount: integer("Orders that are canceled."),
    cancelPendingCount: integer("Orders that will be, once the outcome of a child is known."),
  }),
};
