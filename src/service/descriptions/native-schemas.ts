import { EXECUTION_REASONS, NATIVE_STATUSES, REJECT_REASONS } from "../../host-answers/index.ts";
import type { JsonSchema } from "../../requests/schemas/index.ts";
import type { NativeOrderView } from "../views/native-order-view.ts";
import { SCALES } from "./managed-schemas.ts";
import {
  decimal,
  flag,
  int64,
  list,
  long,
  type Members,
  type MembersOf,
  object,
  oneOf,
  optional,
  orNull,
  text,
  time,
} from "./schema.ts";

const SIDE = oneOf(["BUY", "SELL"], "Side of the order.");
const STATUS = oneOf(NATIVE_STATUSES, "Latest known status.");

const WHY = {
  rejectReason: orNull(oneOf(REJECT_REASONS, "Reason why the order was refused.")),
  reason: orNull(oneOf(EXECUTION_REASONS, "Reason why the order ended without a fill.")),
  errorMessage: orNull(text("Text recorded with the reason.")),
};

type Amounts = Readonly<Record<"price" | "quantity", (description: string) => JsonSchema>>;

/**
 * Members of a native order. A retained rejection has no id, and otherwise only the members that its request contained.
 */
const nativeOrder = ({ price, quantity }: Amounts): MembersOf<NativeOrderView> => ({
  symbol: text("Symbol of the market."),
  orderId: optional(int64("Id of the order, a positive number. A retained rejection has none.")),
  orderListId: int64("Id of the list of the order; -1 if it is not part of a list."),
  clientOrderId: text("Client id of the order."),
  clOrdId: text("The same value as clientOrderId."),
  status: STATUS,
  type: optional(text("Order type, such as LIMIT or MARKET.")),
  side: optional(SIDE),
  timeInForce: optional(text("Time in force, such as GTC, IOC or FOK.")),
  price: optional(price("Limit price; 0 if there is none.")),
  origQty: optional(quantity("Ordered quantity.")),
  executedQty: quantity("Executed quantity."),
  stopPrice: optional(price("Stop price; 0 if there is none.")),
  ...WHY,
  updateTime: time("Time of the last change."),
  isWorking: flag("Whether the order is or was on the book."),
  accountId: long("Account that owns the order."),
  isPaperTrade: flag("Whether the order is a paper trade."),
});

const TEXT: Amounts = { price: decimal, quantity: decimal };
const SCALED: Amounts = {
  price: (description) => int64(`${description} In 1e-8 USD.`),
  quantity: (description) => int64(`${description} In millionths.`),
};

/** Members that the replies to placements and cancels share. */
const TRANSACTION: Members = {
  symbol: text("Symbol of the market."),
  orderId: int64("Id of the order, a positive number."),
  orderListId: int64("Id of the list of the order; -1 if it is not part of a list."),
  clientOrderId: text("Client id of the order."),
  clOrdId: text("The same value as clientOrderId."),
  transactTime: time("Time of the last change."),
  price: decimal("Limit price in USD; 0 if there is none."),
  origQty: decimal("Ordered quantity, or the quantity to which the ordered amount converts."),
  executedQty: decimal("Executed quantity."),
  origQuoteOrderQty: decimal("Ordered amount in USD; 0 if there is none."),
  status: STATUS,
  timeInForce: text("Time in force, such as GTC, IOC or FOK."),
  type: text("Order type, such as LIMIT or MARKET."),
  side: SIDE,
  accountId: long("Account that owns the order."),
};

/** Number of an execution. */
export const TRADE_ID: JsonSchema = int64("Number of the execution, the same in replies and events.");

const FILL = object("An execution.", {
  price: decimal("Price in USD."),
  qty: decimal("Quantity."),
  commission: optional(text("Commission, a decimal.")),
  commissionAsset: optional(text("Asset of the commission.")),
  tradeId: TRADE_ID,
});

const EXECUTION: Members = {
  symbol: text("Symbol of the market."),
  orderId: optional(int64("Id of the order, a positive number. A retained rejection has none.")),
  clientOrderId: text("Client id of the order."),
  clOrdId: text("The same value as clientOrderId."),
  executionId: text("Id of the event, a text of the venue."),
  tradeId: optional(TRADE_ID),
  execType: oneOf(
    ["NEW", "TRADE", "CANCELED", "EXPIRED", "REJECTED"],
    "Execution type: the event that happened to the order.",
  ),
  status: oneOf(NATIVE_STATUSES, "Status of the order after the event."),
  side: optional(SIDE),
  type: optional(text("Order type, such as LIMIT or MARKET.")),
  price: optional(decimal("Limit price in USD; 0 if there is none.")),
  origQty: optional(decimal("Ordered quantity.")),
  lastQty: decimal("Quantity of this execution; 0 if the event is not a trade."),
  lastPrice: decimal("Price of this execution; 0 if the event is not a trade."),
  executedQty: decimal("Cumulative executed quantity, this execution included."),
  ...WHY,
  time: time("Time of the event."),
};

/** Schemas of native orders. Source: contract, Native order snapshot; decision 46; convention 3.1-3.3. */
export const NATIVE_SCHEMAS: Readonly<Record<string, JsonSchema>> = {
  NativeOrder: object("A native order, or a retained rejection.", nativeOrder(TEXT)),
  ScaledNativeOrder: object("A native order with prices and quantities as whole numbers.", {
    ...nativeOrder(SCALED),
    ...SCALES,
  }),
  PlacedNativeOrder: object("A placed native order with its executions so far.", {
    ...TRANSACTION,
    workingTime: {
      ...time("Time since which the order is on the book; -1 if it is not on the book."),
      minimum: -1,
    },
    fills: list(FILL, "Executions so far."),
  }),
  CanceledNativeOrder: object("A native order after its cancel.", {
    ...TRANSACTION,
    origClientOrderId: text("Client id of the canceled order."),
  }),
  Executions: object("The newest executions, oldest first.", {
    orders: list(object("One event of an order.", EXECUTION), "Executions."),
  }),
};
