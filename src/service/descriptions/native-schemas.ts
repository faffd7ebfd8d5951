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
import { described, int64, list, type NotesOf, object, time } from "./schema.ts";

const WHY = {
  rejectReason: "Reason why the order was refused.",
  reason: "Reason why the order ended without a fill.",
  errorMessage: "Text recorded with the reason.",
};

const NATIVE_NOTES: NotesOf<typeof NATIVE_ORDER> = {
  symbol: "Symbol of the market.",
  orderId: "Id of the order, a positive number. A retained rejection has none.",
  orderListId: "Id of the list of the order; -1 if it is not part of a list.",
  clientOrderId: "Client id of the order.",
  clOrdId: "The same value as clientOrderId.",
  status: "Latest known status.",
  type: "Order type, such as LIMIT or MARKET.",
  side: "Side of the order.",
  timeInForce: "Time in force, such as GTC, IOC or FOK.",
  price: "Limit price; 0 if there is none.",
  origQty: "Ordered quantity.",
  executedQty: "Executed quantity.",
  stopPrice: "Stop price; 0 if there is none.",
  ...WHY,
  updateTime: "Time of the last change.",
  isWorking: "Whether the order is or was on the book.",
  accountId: "Account that owns the order.",
  isPaperTrade: "Whether the order is a paper trade.",
};

const TRANSACTION: NotesOf<typeof NATIVE_TRANSACTION> = {
  symbol: "Symbol of the market.",
  orderId: "Id of the order, a positive number.",
  orderListId: "Id of the list of the order; -1 if it is not part of a list.",
  clientOrderId: "Client id of the order.",
  clOrdId: "The same value as clientOrderId.",
  transactTime: "Time of the last change.",
  price: "Limit price in USD; 0 if there is none.",
  origQty: "Ordered quantity, or the quantity to which the ordered amount converts.",
  executedQty: "Executed quantity.",
  origQuoteOrderQty: "Ordered amount in USD; 0 if there is none.",
  status: "Latest known status.",
  timeInForce: "Time in force, such as GTC, IOC or FOK.",
  type: "Order type, such as LIMIT or MARKET.",
  side: "Side of the order.",
  accountId: "Account that owns the order.",
};

/** Number of an execution. */
export const TRADE_ID: JsonSchema = int64("Number of the execution, the same in replies and events.");

const FILLS = list(
  object(
    "An execution.",
    described(FILL, {
      price: "Price in USD.",
      qty: "Quantity.",
      commission: "Commission, a decimal.",
      commissionAsset: "Asset of the commission.",
      tradeId: TRADE_ID,
    }),
  ),
  "Executions so far.",
);

const EXECUTIONS = list(
  object(
    "One event of an order.",
    described(EXECUTION, {
      symbol: "Symbol of the market.",
      orderId: "Id of the order, a positive number. A retained rejection has none.",
      clientOrderId: "Client id of the order.",
      clOrdId: "The same value as clientOrderId.",
      executionId: "Id of the event, a text of the venue.",
      tradeId: TRADE_ID,
      execType: "Execution type: the event that happened to the order.",
      status: "Status of the order after the event.",
      side: "Side of the order.",
      type: "Order type, such as LIMIT or MARKET.",
      price: "Limit price in USD; 0 if there is none.",
      origQty: "Ordered quantity.",
      lastQty: "Quantity of this execution; 0 if the event is not a trade.",
      lastPrice: "Price of this execution; 0 if the event is not a trade.",
      executedQty: "Cumulative executed quantity, this execution included.",
      ...WHY,
      time: "Time of the event.",
    }),
  ),
  "Executions.",
);

/** Schemas of native orders. Source: contract, Native order snapshot; decision 46; convention 3.1-3.3. */
export const NATIVE_SCHEMAS: Readonly<Record<string, JsonSchema>> = {
  NativeOrder: object("A native order, or a retained rejection.", described(NATIVE_ORDER, NATIVE_NOTES)),
  ScaledNativeOrder: object("A native order with prices and quantities as whole numbers.", {
    ...described(NATIVE_ORDER, NATIVE_NOTES, {
      price: (description) => int64(`${description} In 1e-8 USD.`),
      quantity: (description) => int64(`${description} In millionths.`),
    }),
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
      origClientOrderId: "Client id of the canceled order.",
    }),
  ),
  Executions: object("The newest executions, oldest first.", { orders: EXECUTIONS }),
};
