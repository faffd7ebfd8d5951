import {
  CANCELED_NATIVE_ORDER,
  EXECUTION,
  FILL,
  NATIVE_ORDER,
  type NATIVE_TRANSACTION,
  PLACED_NATIVE_ORDER,
} from "../../replies/index.ts";
import type { JsonSchema } from "../../requests/schemas/index.ts";
import { SCALES } from "./managed-schemas.ts";
import {
  decimal,
  described,
  flag,
  int64,
  list,
  long,
  type NotesOf,
  object,
  oneOf,
  orNull,
  text,
  time,
} from "./schema.ts";
import { WORDS } from "./words.ts";

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

const nativeNotes = ({ price, quantity }: Amounts): NotesOf<typeof NATIVE_ORDER> => ({
  symbol: text("Symbol of the market."),
  orderId: int64("Id of the order, a positive number. A retained rejection has none."),
  orderListId: int64("Id of the list of the order; -1 if it is not part of a list."),
  clientOrderId: text("Client id of the order."),
  clOrdId: text("The same value as clientOrderId."),
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
  clientOrderId: text("Client id of the order."),
  clOrdId: text("The same value as clientOrderId."),
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
      clientOrderId: text("Client id of the order."),
      clOrdId: text("The same value as clientOrderId."),
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

/** Schemas of native orders. Source: contract, Native order snapshot; decision 46; convention 3.1-3.3. */
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
