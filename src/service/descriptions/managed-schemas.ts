import { words } from "../../host-answers/index.ts";
import type { ApiState, OrderStatus } from "../../lifecycle/index.ts";
import { ORDER_TYPES } from "../../model/index.ts";
import type { JsonSchema } from "../../requests/schemas/index.ts";
import type { ManagedOrder } from "../managed-order.ts";
import type { LegIdentity, OrderListView } from "../order-list-view.ts";
import {
  decimal,
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
} from "./schema.ts";

const SIDE = oneOf(["BUY", "SELL"], "Which way the order trades.");

const STATUSES = words<OrderStatus>({
  NEW: true,
  PARTIALLY_FILLED: true,
  PENDING_NEW: true,
  FILLED: true,
  CANCELED: true,
  EXPIRED: true,
  REJECTED: true,
});

const API_STATES = words<ApiState>({
  WAITING: true,
  WORKING: true,
  UNKNOWN: true,
  FILLED: true,
  CANCELED: true,
  EXPIRED: true,
  REJECTED: true,
});

/** Members that tell where a managed order stands, in replies and in events. */
export const STANDING: Readonly<Record<"status" | "apiState" | "held" | "cancelPending", JsonSchema>> = {
  status: oneOf(STATUSES, "Latest known status; PENDING_NEW is a leg that waits for its release."),
  apiState: oneOf(
    API_STATES,
    "What the service does with it; UNKNOWN: the outcome of a child is not known yet.",
  ),
  held: flag("Waits for its release by the working leg of its list."),
  cancelPending: flag("To be canceled, once the outcome of its child is known."),
};

/** Members of a managed order. */
export const MANAGED_ORDER: MembersOf<ManagedOrder> = {
  symbol: text("Symbol of the market."),
  instrumentId: optional(long("Id of the instrument.")),
  account: long("Account that owns the order."),
  accountId: long("The same."),
  orderId: long("Id of the order: negative; newer ids are lower.", { maximum: -1 }),
  clientOrderId: text("Your id of the order."),
  clOrdId: text("The same."),
  orderListId: long("Id of its list, negative; -1: it is in none.", { maximum: -1 }),
  type: oneOf(ORDER_TYPES, "Canonical type, whatever name it was sent under."),
  targetStrategy: optional(
    integer("180 TWAP, 1000002 VWAP, 1000004 POV.", { enum: [180, 1_000_002, 1_000_004] }),
  ),
  side: SIDE,
  origQty: decimal("Quantity that was asked for."),
  executedQty: decimal("Quantity that was executed."),
  price: optional(decimal("Limit price in USD.")),
  stopPrice: optional(decimal("Stop price in USD.")),
  trailingDelta: optional(integer("Trailing distance in basis points.")),
  price2: optional(decimal("Trailing distance in percent.")),
  trailingAmount: optional(decimal("Trailing distance in USD.")),
  limitOffset: optional(decimal("Distance of the limit from the trigger, in USD.")),
  dynamicLimit: optional(decimal("The limit that the trigger makes: moving before it, fixed by it.")),
  icebergQty: optional(decimal("Quantity that is shown at once.")),
  interval: optional(integer("Milliseconds of one slot.")),
  intervalCount: optional(integer("Slots of the schedule.")),
  intervalDelay: optional(integer("Milliseconds before the first slot.")),
  participationBips: optional(integer("Share of the executed volume in basis points.")),
  volumeProfile: optional(text("Weights of the slots as they were sent.")),
  volumeBenchmark: optional(only("SERVICE_EXECUTED_VOLUME", "Whose executed volume it follows.")),
  timeInForce: oneOf(["GTC", "GTD"], "How long it lives."),
  childTimeInForce: oneOf(["IOC", "FOK"], "How each child is sent."),
  expireTime: optional(time("When it ends by itself.")),
  reduceOnly: flag("May only make a position smaller."),
  ...STANDING,
  apiManaged: only(true, "It is managed by the service."),
  lastChildClientOrderId: optional(text("Client id of its latest child, a native order.")),
  transactTime: time("When it was accepted."),
  updateTime: time("When it changed last."),
};

/** What the reply of a cancel has beside the order. */
const CANCELED: Members = { origClientOrderId: text("The client id that the order was canceled by.") };

/** Scales of the whole numbers that stand for decimals. */
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
