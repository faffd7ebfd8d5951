import { EXECUTION_REASONS, NATIVE_STATUSES, REJECT_REASONS } from "../../host-answers/index.ts";
import type { JsonSchema } from "../../requests/schemas/index.ts";
import type { NativeOrderView } from "../views/native-order-view.ts";
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
} from "../views/schema.ts";
import { SCALES } from "./managed-schemas.ts";

const SIDE = oneOf(["BUY", "SELL"], "Which way the order trades.");
const STATUS = oneOf(NATIVE_STATUSES, "Latest known status.");

const WHY = {
  rejectReason: orNull(oneOf(REJECT_REASONS, "Why it was refused.")),
  reason: orNull(oneOf(EXECUTION_REASONS, "Why it ended without a fill.")),
  errorMessage: orNull(text("Text that was recorded with it.")),
};

type Amounts = Readonly<Record<"price" | "quantity", (description: string) => JsonSchema>>;

/**
 * Members of a native order. A retained rejection has no id, and otherwise only the members that its request contained.
 */
const nativeOrder = ({ price, quantity }: Amounts): MembersOf<NativeOrderView> => ({
  symbol: text("Symbol of the market."),
  orderId: optional(int64("Id of the order: positive. A retained rejection has none.")),
  orderListId: int64("Id of its list; -1: it is in none."),
  clientOrderId: text("Your id of the order."),
  clOrdId: text("The same."),
  status: STATUS,
  type: optional(text("Type, such as LIMIT or MARKET.")),
  side: optional(SIDE),
  timeInForce: optional(text("How long it works, such as GTC, IOC or FOK.")),
  price: optional(price("Limit price; 0: it has none.")),
  origQty: optional(quantity("Quantity that was asked for.")),
  executedQty: quantity("Quantity that was executed."),
  stopPrice: optional(price("Stop price; 0: it has none.")),
  ...WHY,
  updateTime: time("When it changed last."),
  isWorking: flag("It is or was on the book."),
  accountId: long("Account that owns the order."),
  isPaperTrade: flag("It trades on paper."),
});

const TEXT: Amounts = { price: decimal, quantity: decimal };
const SCALED: Amounts = {
  price: (description) => int64(`${description} In 1e-8 USD.`),
  quantity: (description) => int64(`${description} In millionths.`),
};

/** Members that the replies to placements and cancels share. */
const TRANSACTION: Members = {
  symbol: text("Symbol of the market."),
  orderId: int64("Id of the order: positive."),
  orderListId: int64("Id of its list; -1: it is in none."),
  clientOrderId: text("Your id of the order."),
  clOrdId: text("The same."),
  transactTime: time("When it changed last."),
  price: decimal("Limit price in USD; 0: it has none."),
  origQty: decimal("Quantity that was asked for, or that its amount came to."),
  executedQty: decimal("Quantity that was executed."),
  origQuoteOrderQty: decimal("Amount of USD that it was sent with; 0: it has none."),
  status: STATUS,
  timeInForce: text("How long it works, such as GTC, IOC or FOK."),
  type: text("Type, such as LIMIT or MARKET."),
  side: SIDE,
  accountId: long("Account that owns the order."),
};

const FILL = object("An execution.", {
  price: decimal("Price in USD."),
  qty: decimal("Quantity."),
  commission: optional(text("What it cost, a decimal.")),
  commissionAsset: optional(text("In what.")),
  tradeId: text("Id of the execution."),
});

const EXECUTION: Members = {
  symbol: text("Symbol of the market."),
  orderId: optional(int64("Id of the order: positive. A retained rejection has none.")),
  clientOrderId: text("Your id of the order."),
  clOrdId: text("The same."),
  executionId: text("Id of the execution."),
  execType: oneOf(["NEW", "TRADE", "CANCELED", "EXPIRED", "REJECTED"], "What happened."),
  status: oneOf(NATIVE_STATUSES, "Status of the order after it."),
  side: optional(SIDE),
  type: optional(text("Type, such as LIMIT or MARKET.")),
  price: optional(decimal("Limit price in USD; 0: it has none.")),
  origQty: optional(decimal("Quantity that was asked for.")),
  lastQty: decimal("Quantity of this execution; 0: it was no trade."),
  lastPrice: decimal("Price of this execution; 0: it was no trade."),
  executedQty: decimal("Quantity that was executed up to and with it."),
  ...WHY,
  time: time("When it happened."),
};

/** Schemas of native orders. Source: contract, Native order snapshot; decision 46; convention 3.1-3.3. */
export const NATIVE_SCHEMAS: Readonly<Record<string, JsonSchema>> = {
  NativeOrder: object("A native order, or a rejection that is retained.", nativeOrder(TEXT)),
  ScaledNativeOrder: object("A native order with prices and quantities as whole numbers.", {
    ...nativeOrder(SCALED),
    ...SCALES,
  }),
  PlacedNativeOrder: object("A native order that was placed, with its executions so far.", {
    ...TRANSACTION,
    workingTime: {
      ...time("Since when it is on the book; -1: it is not."),
      minimum: -1,
    },
    fills: list(FILL, "The executions so far."),
  }),
  CanceledNativeOrder: object("A native order after its cancel.", {
    ...TRANSACTION,
    origClientOrderId: text("The client id that the order was canceled by."),
  }),
  Executions: object("The newest executions, oldest first.", {
    orders: list(object("What happened to an order at one moment.", EXECUTION), "The executions."),
  }),
};
