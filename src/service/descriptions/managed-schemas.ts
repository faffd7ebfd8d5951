import type { JsonSchema } from "../../requests/schemas/index.ts";
import { MANAGED_ORDER, type ScaledMember } from "../views/managed-order.ts";
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
const CANCELED: Members = { origClientOrderId: text("Client id of the canceled order.") };

/** Scales of the whole numbers that represent decimals. */
export const SCALES: Readonly<Record<"priceScale" | "quantityScale", JsonSchema>> = {
  priceScale: only(8, "Number of decimals in the scaled prices."),
  quantityScale: only(6, "Number of decimals in the scaled quantities."),
};

/** The members of a managed order with each price and quantity as a whole number. */
const SCALED_ORDER: Members = {
  ...MANAGED_ORDER,
  origQty: int64("Ordered quantity, in millionths."),
  executedQty: int64("Executed quantity, in millionths."),
  icebergQty: optional(int64("Display quantity, in millionths.")),
  avgPrice: int64("Average price of the fills, in 1e-8 USD; 0 if there is none."),
  price: optional(int64("Limit price, in 1e-8 USD.")),
  stopPrice: optional(int64("Stop price, in 1e-8 USD.")),
  trailingAmount: optional(int64("Trailing distance, in 1e-8 USD.")),
  limitOffset: optional(int64("Distance of the limit from the trigger price, in 1e-8 USD.")),
  dynamicLimit: optional(int64("Limit price derived from the trigger price, in 1e-8 USD.")),
  triggerLevel: optional(int64("Level of the trigger, in 1e-8 USD.")),
} satisfies Members & Readonly<Record<ScaledMember, unknown>>;

const LEG: MembersOf<LegIdentity> = {
  symbol: text("Symbol of the market."),
  orderId: long("Id of the leg.", { maximum: -1 }),
  clientOrderId: text("Client id of the leg."),
};

const LEGS = list(
  object("A leg.", LEG),
  "Legs of the list: the working leg, the protective leg, then the other leg.",
);

const orderList = (report: string): MembersOf<OrderListView> => ({
  orderListId: long("Id of the list, a negative number.", { maximum: -2 }),
  contingencyType: oneOf(["OCO", "OTO", "OTOCO"], "Type of the list: how its legs depend on each other."),
  listStatusType: oneOf(["EXEC_STARTED", "ALL_DONE"], "Whether all legs have ended."),
  listOrderStatus: oneOf(["EXECUTING", "ALL_DONE"], "The same value under another name."),
  listClientOrderId: text("Client id of the list."),
  transactionTime: time("Time at which the list was accepted."),
  symbol: text("Symbol of the market."),
  orders: LEGS,
  orderReports: list(ref(report), "Complete orders of the legs, in the same order."),
});

/** Schemas of managed orders, lists and pages. Source: contract, Resources and their fields. */
export const MANAGED_SCHEMAS: Readonly<Record<string, JsonSchema>> = {
  ManagedOrder: object("A managed order. Members that do not apply are absent.", MANAGED_ORDER),
  CanceledManagedOrder: object("A managed order after its cancel.", { ...MANAGED_ORDER, ...CANCELED }),
  ScaledManagedOrder: object("A managed order with prices and quantities as whole numbers.", {
    ...SCALED_ORDER,
    ...SCALES,
  }),
  OrderList: object("A list of linked orders.", orderList("ManagedOrder")),
  CanceledOrderList: object("A list after its cancel.", orderList("CanceledManagedOrder")),
  ManagedOrderPage: object("A page of managed orders over all markets.", {
    apiManaged: only(true, "The orders are managed by the service."),
    includesHistory: flag("Whether the page includes ended orders."),
    newestFirst: optional(only(true, "Present if the request asked for it.")),
    total: integer("Total number of matching orders."),
    nextOrderId: long("Value of afterOrderId for the next page; 0 on the last page.", { maximum: 0 }),
    orders: list(ref("ManagedOrder"), "Orders of this page."),
  }),
  CancelAllResult: object("Result of canceling all managed orders.", {
    matchedCount: integer("Number of orders that had not ended."),
    canceledCount: integer("Number of orders that are canceled."),
    cancelPendingCount: integer(
      "Number of orders that will be canceled once the outcome of a child is known.",
    ),
  }),
};
