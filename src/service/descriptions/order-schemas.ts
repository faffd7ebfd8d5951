import { ORDER_TYPES, TRAITS } from "../../model/index.ts";
import {
  CANCEL_ALL,
  CANCELED_MANAGED_ORDER,
  CANCELED_NATIVE_ORDER,
  EXECUTION,
  FILL,
  MANAGED_ORDER,
  MANAGED_ORDER_PAGE,
  NATIVE_ORDER,
  type NATIVE_TRANSACTION,
  ORDER_LIST,
  PLACED_NATIVE_ORDER,
  REPLACED_ORDER,
} from "../../replies/index.ts";
import { ORDER_FIELDS, type OrderFieldName } from "../../requests/index.ts";
import type { JsonSchema } from "../../requests/schemas/index.ts";
import type { ScaledMember } from "../views/native-order.ts";
import {
  decimal,
  described,
  flag,
  int64,
  integer,
  list,
  long,
  type Members,
  type NotesOf,
  object,
  oneOf,
  only,
  optional,
  orNull,
  ref,
  text,
  time,
  WORDS,
} from "./schema.ts";

const STRATEGIES = ORDER_TYPES.flatMap((type) => TRAITS[type].targetStrategy ?? []);

type Told<T> = Readonly<Partial<Record<keyof T & OrderFieldName, JsonSchema>>> &
  Readonly<Record<Exclude<keyof T, OrderFieldName>, JsonSchema>>;

/** What is said of the members of a managed order, but of those that are described like the field of the request. */
const TOLD: Told<typeof MANAGED_ORDER> = {
  symbol: text("Symbol of the market."),
  instrumentId: long("Id of the instrument."),
  account: long("Account that owns the order."),
  accountId: long("The same value under another name."),
  orderId: long("Id of the order, a negative number. Newer orders have lower ids.", { maximum: -1 }),
  clientOrderId: text("Client id of the order."),
  clOrdId: text("The same value under another name."),
  orderListId: long("Id of the list of the order, a negative number; -1 if it is not part of a list.", {
    maximum: -1,
  }),
  type: oneOf(WORDS.type, "Canonical type, under whatever name the order was sent."),
  targetStrategy: integer("Strategy: 180 for TWAP, 1000002 for VWAP, 1000004 for POV.", { enum: STRATEGIES }),
  side: oneOf(WORDS.side, "Side of the order."),
  origQty: decimal("Ordered quantity."),
  executedQty: decimal("Executed quantity."),
  cummulativeQuoteQty: decimal("Executed amount in USD: the sum of price and quantity of each fill."),
  avgPrice: decimal("Average price of the fills in USD; 0 if there is none."),
  price: decimal("Limit price in USD."),
  stopPrice: decimal("Stop price in USD."),
  trailingDelta: integer("Trailing distance in basis points."),
  price2: decimal("Trailing distance in percent."),
  trailingAmount: decimal("Trailing distance in USD."),
  limitOffset: decimal("Distance of the limit from the trigger price, in USD."),
  dynamicLimit: decimal(
    "Limit price derived from the trigger price. It moves until the order triggers, and is then fixed.",
  ),
  triggerLevel: decimal(
    "Level of the trigger in USD: the one that was met; before, the one at which a trailing order triggers, which moves with the market.",
  ),
  triggerTime: time("Time at which the order triggered. Absent until then."),
  icebergQty: decimal("Display quantity: the quantity shown at once."),
  interval: integer("Length of one slot in milliseconds."),
  intervalCount: integer("Number of slots of the schedule."),
  volumeProfile: text(
    "Weights of the slots: as sent, or as frozen from the service's own volumes when the order was accepted.",
  ),
  volumeBenchmark: only("SERVICE_EXECUTED_VOLUME", "Source of the executed volume that the order follows."),
  timeInForce: oneOf(WORDS.timeInForce, "Time in force of the order."),
  childTimeInForce: oneOf(WORDS.childTimeInForce, "Time in force of each child."),
  expireTime: time("Expiry of the order."),
  status: oneOf(WORDS.status, "Latest known status. PENDING_NEW: the leg waits for its release."),
  apiState: oneOf(
    WORDS.apiState,
    "State of the order within the service. UNKNOWN: the outcome of a child is not known yet.",
  ),
  apiManaged: only(true, "The service manages the order."),
  held: flag("Whether the leg waits for its release by the working leg of its list."),
  cancelPending: flag("Whether the order is canceled once the outcome of its child is known."),
  stalled: oneOf(
    WORDS.stalled,
    "Why nothing of the order executes although its condition is met. Absent unless it is stalled.",
  ),
  lastChildClientOrderId: text("Client id of the latest child, a native order."),
  transactTime: time("Time at which the order was accepted."),
  updateTime: time("Time of the last change."),
};

const FORMS = { text, decimal, natural: integer, integer, int64, boolean: flag };

/** What is said of the members of a managed order, in the order of their table. */
export const MANAGED_NOTES: NotesOf<typeof MANAGED_ORDER> = Object.fromEntries(
  (Object.keys(MANAGED_ORDER) as (keyof typeof MANAGED_ORDER & OrderFieldName)[]).map((name) => [
    name,
    TOLD[name] ?? FORMS[ORDER_FIELDS[name].kind](ORDER_FIELDS[name].about),
  ]),
) as NotesOf<typeof MANAGED_ORDER>;

const MANAGED_MEMBERS = described(MANAGED_ORDER, MANAGED_NOTES);

/** Scales of the whole numbers that represent decimals. */
const SCALES: Readonly<Record<"priceScale" | "quantityScale", JsonSchema>> = {
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
  symbol: text("Symbol of the market."),
  orderId: long("Id of the leg.", { maximum: -1 }),
  clientOrderId: text("Client id of the leg."),
});

const LEGS = list(
  object("A leg.", LEG),
  "Legs of the list: the working leg, the protective leg, then the other leg.",
);

const orderList = (report: string): Members =>
  described(ORDER_LIST, {
    orderListId: long("Id of the list, a negative number.", { maximum: -2 }),
    contingencyType: oneOf(WORDS.contingencyType, "Type of the list: how its legs depend on each other."),
    listKind: oneOf(WORDS.listKind, "Kind of the list, if its type does not tell it."),
    listStatusType: oneOf(WORDS.listStatusType, "Whether all legs have ended."),
    listOrderStatus: oneOf(WORDS.listOrderStatus, "The same value under another name."),
    listClientOrderId: text("Client id of the list."),
    transactionTime: time("Time at which the list was accepted."),
    symbol: text("Symbol of the market."),
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
      origClientOrderId: text("Client id of the canceled order."),
    }),
  ),
  ReplacedOrder: object(
    "Both orders of a replacement.",
    described(REPLACED_ORDER, {
      cancelResult: only("SUCCESS", "The order was canceled."),
      newOrderResult: only("SUCCESS", "The new order was placed."),
      cancelResponse: ref("CanceledManagedOrder"),
      newOrderResponse: ref("ManagedOrder"),
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
      apiManaged: only(true, "The orders are managed by the service."),
      includesHistory: flag("Whether the page includes ended orders."),
      newestFirst: only(true, "Present if the request asked for it."),
      total: integer("Total number of matching orders."),
      nextOrderId: long("Value of afterOrderId for the next page; 0 on the last page.", { maximum: 0 }),
      orders: list(ref("ManagedOrder"), "Orders of this page."),
    }),
  ),
  CancelAllResult: object(
    "Result of canceling all managed orders.",
    described(CANCEL_ALL, {
      matchedCount: integer("Number of orders that had not ended."),
      canceledCount: integer("Number of orders that are canceled."),
      cancelPendingCount: integer(
        "Number of orders that will be canceled once the outcome of a child is known.",
      ),
    }),
  ),
};

const WHY = {
  rejectReason: orNull(oneOf(WORDS.rejectReason, "Reason why the order was refused.")),
  reason: orNull(oneOf(WORDS.reason, "Reason why the order ended without a fill.")),
  errorMessage: orNull(text("Text recorded with the reason.")),
};

type Amounts = Readonly<Record<"price" | "quantity", (description: string) => JsonSchema>>;

const TEXT: Amounts = { price: decimal, quantity: decimal };
const SCALED: Amounts = {
  price: (description) => int64(`${description} In 1e-8 USD.`),
  quantity: (description) => int64(`${description} In millionths.`),
};

/** The client's id of a native order, under both of its names. */
const CLIENT_IDS = {
  clientOrderId: text("Client id of the order."),
  clOrdId: text("The same value as clientOrderId."),
};

const nativeNotes = ({ price, quantity }: Amounts): NotesOf<typeof NATIVE_ORDER> => ({
  symbol: text("Symbol of the market."),
  orderId: int64("Id of the order, a positive number. A retained rejection has none."),
  orderListId: int64("Id of the list of the order; -1 if it is not part of a list."),
  ...CLIENT_IDS,
  status: oneOf(WORDS.nativeStatus, "Latest known status."),
  type: text("Order type, such as LIMIT or MARKET."),
  side: oneOf(WORDS.side, "Side of the order."),
  timeInForce: text("Time in force, such as GTC, IOC or FOK."),
  price: price("Limit price; 0 if there is none."),
  origQty: quantity("Ordered quantity."),
  executedQty: quantity("Executed quantity."),
  stopPrice: price("Stop price; 0 if there is none."),
  ...WHY,
  updateTime: time("Time of the last change."),
  isWorking: flag("Whether the order is or was on the book."),
  accountId: long("Account that owns the order."),
  isPaperTrade: flag("Whether the order is a paper trade."),
});

const TRANSACTION: NotesOf<typeof NATIVE_TRANSACTION> = {
  symbol: text("Symbol of the market."),
  orderId: int64("Id of the order, a positive number."),
  orderListId: int64("Id of the list of the order; -1 if it is not part of a list."),
  ...CLIENT_IDS,
  transactTime: time("Time of the last change."),
  price: decimal("Limit price in USD; 0 if there is none."),
  origQty: decimal("Ordered quantity, or the quantity to which the ordered amount converts."),
  executedQty: decimal("Executed quantity."),
  origQuoteOrderQty: decimal("Ordered amount in USD; 0 if there is none."),
  status: oneOf(WORDS.nativeStatus, "Latest known status."),
  timeInForce: text("Time in force, such as GTC, IOC or FOK."),
  type: text("Order type, such as LIMIT or MARKET."),
  side: oneOf(WORDS.side, "Side of the order."),
  accountId: long("Account that owns the order."),
};

/** Number of an execution. */
export const TRADE_ID: JsonSchema = int64("Number of the execution, the same in replies and events.");

const FILLS = list(
  object(
    "An execution.",
    described(FILL, {
      price: decimal("Price in USD."),
      qty: decimal("Quantity."),
      commission: text("Commission, a decimal."),
      commissionAsset: text("Asset of the commission."),
      tradeId: TRADE_ID,
    }),
  ),
  "Executions so far.",
);

const EXECUTIONS = list(
  object(
    "One event of an order.",
    described(EXECUTION, {
      symbol: text("Symbol of the market."),
      orderId: int64("Id of the order, a positive number. A retained rejection has none."),
      ...CLIENT_IDS,
      executionId: text("Id of the event, a text of the venue."),
      tradeId: TRADE_ID,
      execType: oneOf(WORDS.execType, "Execution type: the event that happened to the order."),
      status: oneOf(WORDS.nativeStatus, "Status of the order after the event."),
      side: oneOf(WORDS.side, "Side of the order."),
      type: text("Order type, such as LIMIT or MARKET."),
      price: decimal("Limit price in USD; 0 if there is none."),
      origQty: decimal("Ordered quantity."),
      lastQty: decimal("Quantity of this execution; 0 if the event is not a trade."),
      lastPrice: decimal("Price of this execution; 0 if the event is not a trade."),
      executedQty: decimal("Cumulative executed quantity, this execution included."),
      ...WHY,
      time: time("Time of the event."),
    }),
  ),
  "Executions.",
);

/** Schemas of native orders. Source: contract, Native order snapshot; convention 3.1-3.3. */
export const NATIVE_SCHEMAS: Readonly<Record<string, JsonSchema>> = {
  NativeOrder: object("A native order, or a retained rejection.", described(NATIVE_ORDER, nativeNotes(TEXT))),
  ScaledNativeOrder: object("A native order with prices and quantities as whole numbers.", {
    ...described(NATIVE_ORDER, nativeNotes(SCALED)),
    ...SCALES,
  }),
  PlacedNativeOrder: object(
    "A placed native order with its executions so far.",
    described(PLACED_NATIVE_ORDER, {
      ...TRANSACTION,
      workingTime: {
        ...time("Time since which the order is on the book; -1 if it is not on the book."),
        minimum: -1,
      },
      fills: FILLS,
    }),
  ),
  CanceledNativeOrder: object(
    "A native order after its cancel.",
    described(CANCELED_NATIVE_ORDER, {
      ...TRANSACTION,
      origClientOrderId: text("Client id of the canceled order."),
    }),
  ),
  Executions: object("The newest executions, oldest first.", { orders: EXECUTIONS }),
};
