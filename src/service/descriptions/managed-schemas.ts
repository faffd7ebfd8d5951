import { ORDER_TYPES, TRAITS } from "../../model/index.ts";
import {
  CANCEL_ALL,
  CANCELED_MANAGED_ORDER,
  MANAGED_ORDER,
  MANAGED_ORDER_PAGE,
  ORDER_LIST,
} from "../../replies/index.ts";
import type { JsonSchema } from "../../requests/schemas/index.ts";
import type { ScaledMember } from "../views/native-order-view.ts";
import { described, int64, list, type Members, type NotesOf, object, only, optional, ref } from "./schema.ts";

const STRATEGIES = ORDER_TYPES.flatMap((type) => TRAITS[type].targetStrategy ?? []);

/** What is said of the members of a managed order. */
export const MANAGED_NOTES: NotesOf<typeof MANAGED_ORDER> = {
  symbol: "Symbol of the market.",
  instrumentId: "Id of the instrument.",
  account: "Account that owns the order.",
  accountId: "The same value under another name.",
  orderId: ["Id of the order, a negative number. Newer orders have lower ids.", { maximum: -1 }],
  clientOrderId: "Client id of the order.",
  clOrdId: "The same value under another name.",
  orderListId: [
    "Id of the list of the order, a negative number; -1 if it is not part of a list.",
    { maximum: -1 },
  ],
  type: "Canonical type, under whatever name the order was sent.",
  targetStrategy: ["Strategy: 180 for TWAP, 1000002 for VWAP, 1000004 for POV.", { enum: STRATEGIES }],
  side: "Side of the order.",
  origQty: "Ordered quantity.",
  executedQty: "Executed quantity.",
  cummulativeQuoteQty: "Executed amount in USD: the sum of price and quantity of each fill.",
  avgPrice: "Average price of the fills in USD; 0 if there is none.",
  price: "Limit price in USD.",
  stopPrice: "Stop price in USD.",
  trailingDelta: "Trailing distance in basis points.",
  price2: "Trailing distance in percent.",
  trailingAmount: "Trailing distance in USD.",
  limitOffset: "Distance of the limit from the trigger price, in USD.",
  dynamicLimit:
    "Limit price derived from the trigger price. It moves until the order triggers, and is then fixed.",
  triggerLevel:
    "Level of the trigger in USD: the one that was met; before, the one at which a trailing order triggers, which moves with the market.",
  triggerTime: "Time at which the order triggered. Absent until then.",
  icebergQty: "Display quantity: the quantity shown at once.",
  interval: "Length of one slot in milliseconds.",
  intervalCount: "Number of slots of the schedule.",
  intervalDelay: "Delay before the first slot in milliseconds.",
  participationBips: "Share of the executed volume in basis points.",
  volumeProfile:
    "Weights of the slots: as sent, or as frozen from the service's own volumes when the order was accepted.",
  volumeBenchmark: "Source of the executed volume that the order follows.",
  timeInForce: "Time in force of the order.",
  childTimeInForce: "Time in force of each child.",
  expireTime: "Expiry of the order.",
  reduceOnly: "Whether the order may only reduce a position.",
  status: "Latest known status. PENDING_NEW: the leg waits for its release.",
  apiState: "State of the order within the service. UNKNOWN: the outcome of a child is not known yet.",
  apiManaged: "The service manages the order.",
  held: "Whether the leg waits for its release by the working leg of its list.",
  cancelPending: "Whether the order is canceled once the outcome of its child is known.",
  stalled: "Why nothing of the order executes although its condition is met. Absent unless it is stalled.",
  lastChildClientOrderId: "Client id of the latest child, a native order.",
  transactTime: "Time at which the order was accepted.",
  updateTime: "Time of the last change.",
};

const MANAGED_MEMBERS = described(MANAGED_ORDER, MANAGED_NOTES);

/** Scales of the whole numbers that represent decimals. */
export const SCALES: Readonly<Record<"priceScale" | "quantityScale", JsonSchema>> = {
  priceScale: only(8, "Number of decimals in the scaled prices."),
  quantityScale: only(6, "Number of decimals in the scaled quantities."),
};

/** The members of a managed order with each price and quantity as a whole number. */
const SCALED_ORDER: Members = {
  ...MANAGED_MEMBERS,
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

const LEG = described(ORDER_LIST.orders[0], {
  symbol: "Symbol of the market.",
  orderId: ["Id of the leg.", { maximum: -1 }],
  clientOrderId: "Client id of the leg.",
});

const LEGS = list(
  object("A leg.", LEG),
  "Legs of the list: the working leg, the protective leg, then the other leg.",
);

const orderList = (report: string): Members =>
  described(ORDER_LIST, {
    orderListId: ["Id of the list, a negative number.", { maximum: -2 }],
    contingencyType: "Type of the list: how its legs depend on each other.",
    listStatusType: "Whether all legs have ended.",
    listOrderStatus: "The same value under another name.",
    listClientOrderId: "Client id of the list.",
    transactionTime: "Time at which the list was accepted.",
    symbol: "Symbol of the market.",
    orders: LEGS,
    orderReports: list(ref(report), "Complete orders of the legs, in the same order."),
  });

/** Schemas of managed orders, lists and pages. Source: contract, Resources and their fields. */
export const MANAGED_SCHEMAS: Readonly<Record<string, JsonSchema>> = {
  ManagedOrder: object("A managed order. Members that do not apply are absent.", MANAGED_MEMBERS),
  CanceledManagedOrder: object(
    "A managed order after its cancel.",
    described(CANCELED_MANAGED_ORDER, {
      ...MANAGED_NOTES,
      origClientOrderId: "Client id of the canceled order.",
    }),
  ),
  ScaledManagedOrder: object("A managed order with prices and quantities as whole numbers.", {
    ...SCALED_ORDER,
    ...SCALES,
  }),
  OrderList: object("A list of linked orders.", orderList("ManagedOrder")),
  CanceledOrderList: object("A list after its cancel.", orderList("CanceledManagedOrder")),
  ManagedOrderPage: object(
    "A page of managed orders over all markets.",
    described(MANAGED_ORDER_PAGE, {
      apiManaged: "The orders are managed by the service.",
      includesHistory: "Whether the page includes ended orders.",
      newestFirst: "Present if the request asked for it.",
      total: "Total number of matching orders.",
      nextOrderId: ["Value of afterOrderId for the next page; 0 on the last page.", { maximum: 0 }],
      orders: list(ref("ManagedOrder"), "Orders of this page."),
    }),
  ),
  CancelAllResult: object(
    "Result of canceling all managed orders.",
    described(CANCEL_ALL, {
      matchedCount: "Number of orders that had not ended.",
      canceledCount: "Number of orders that are canceled.",
      cancelPendingCount: "Number of orders that will be canceled once the outcome of a child is known.",
    }),
  ),
};
