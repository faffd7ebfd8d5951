import type { ListForm, RouteName } from "../../src/requests/index.ts";
import type { RequestParameters } from "../../src/signing/index.ts";
import type { Case } from "./common-errors.ts";
import { LIST_ACCOUNT_ERRORS } from "./order-errors.ts";

/** The field names of one leg of a kind of list. */
const LEG: Readonly<
  Record<ListForm, Readonly<{ quantity: string; price: string; side: string; type?: string }>>
> = {
  oco: { quantity: "quantity", price: "abovePrice", side: "side", type: "aboveType" },
  oto: { quantity: "workingQuantity", price: "workingPrice", side: "workingSide", type: "workingType" },
  otoco: { quantity: "workingQuantity", price: "workingPrice", side: "workingSide", type: "workingType" },
  legacyOco: { quantity: "quantity", price: "price", side: "side" },
  bracket: { quantity: "workingQuantity", price: "workingPrice", side: "workingSide", type: "workingType" },
  oca: { quantity: "quantity", price: "leg1Price", side: "side", type: "leg1Type" },
};

/** The field by which an exit of a kind of list is reduce-only. */
const REDUCE: Readonly<Partial<Record<ListForm, string>>> = {
  oco: "aboveReduceOnly",
  bracket: "stopReduceOnly",
  oca: "leg1ReduceOnly",
};

function everyList(form: ListForm): readonly Case[] {
  const { quantity, price, side, type } = LEG[form];
  const reduce = REDUCE[form] ?? "pendingReduceOnly";
  return [
    ...LIST_ACCOUNT_ERRORS,
    { error: "ILLEGAL_CHARS", how: "a price of 8e3", fields: { [price]: "8e3" } },
    { error: "PRECISION", how: "seven quantity decimals", fields: { [quantity]: "0.0100001" } },
    { error: "PARAMETER_OVERFLOW", how: "a quantity of 13 digits", fields: { [quantity]: "9".repeat(13) } },
    { error: "INVALID_PARAMETER", how: "quantity 0", fields: { [quantity]: "0" } },
    { error: "BAD_SIDE", how: "SELL in lower case", fields: { [side]: "sell" } },
    { error: "EMPTY_NEW_CLIENT_ID", how: "an empty listClientOrderId", fields: { listClientOrderId: "" } },
    { error: "FILTER_NOTIONAL", how: "an order worth less than 15 USD", fields: { [quantity]: "0.000001" } },
    ...(type === undefined
      ? []
      : [
          {
            error: "BAD_ORDER_TYPE",
            how: "the type LIMIT in lower case",
            fields: { [type]: "limit" },
          } as const,
          {
            error: "PARAMETER_NOT_REQUIRED",
            how: "trailingDelta on a limit",
            fields: { [type.replace("Type", "TrailingDelta")]: 5 },
          } as const,
          {
            error: "BAD_TIME_IN_FORCE",
            how: "timeInForce DAY",
            fields: { [type.replace("Type", "TimeInForce")]: "DAY" },
          } as const,
          {
            error: "ICEBERG_EXCEEDS_QUANTITY",
            how: "icebergQty above the quantity",
            fields: { [type.replace("Type", "IcebergQty")]: "0.02" },
          } as const,
        ]),
    ...(form === "oco"
      ? [{ error: "REDUCE_ONLY_REJECTED", how: "no position to reduce", fields: { [reduce]: true } } as const]
      : []),
  ];
}

const prices = (fields: RequestParameters): Case => ({
  error: "BAD_PRICE_RELATION",
  how: "the upper level is not above the lower level",
  fields,
});

const turned = {
  aboveType: "STOP_LOSS",
  abovePrice: undefined,
  aboveStopPrice: "8000",
  belowType: "LIMIT",
  belowStopPrice: undefined,
  belowPrice: "6000",
} as const;

const profitBelow = {
  aboveType: "STOP_LOSS",
  abovePrice: undefined,
  aboveStopPrice: "8000",
  belowType: "TAKE_PROFIT",
};
const trailAbove = {
  aboveType: "TRAILING_STOP_MARKET",
  abovePrice: undefined,
  aboveTrailingDelta: 100,
  belowType: "TAKE_PROFIT",
};

const pairs: readonly Case[] = [
  prices({ abovePrice: "6000" }),
  {
    error: "OCO_BOTH_LIMIT",
    how: "two limits",
    fields: { belowType: "LIMIT_MAKER", belowStopPrice: undefined, belowPrice: "6000" },
  },
  {
    error: "OCO_TYPE_REJECTED",
    how: "two stops",
    fields: { aboveType: "STOP_LOSS", abovePrice: undefined, aboveStopPrice: "8000" },
  },
  { error: "SELL_OCO_LIMIT_ABOVE", how: "a SELL pair with the limit below", fields: turned },
  { error: "BUY_OCO_LIMIT_BELOW", how: "a BUY pair with the limit above", fields: { side: "BUY" } },
  { error: "SELL_OCO_TAKE_PROFIT_ABOVE", how: "a SELL pair with the take-profit below", fields: profitBelow },
  {
    error: "BUY_OCO_TAKE_PROFIT_BELOW",
    how: "a BUY pair with the take-profit above",
    fields: { side: "BUY", aboveType: "TAKE_PROFIT", abovePrice: undefined, aboveStopPrice: "8000" },
  },
  { error: "SELL_OCO_STOP_BELOW", how: "a SELL pair with the trailing stop above", fields: trailAbove },
  {
    error: "BUY_OCO_STOP_ABOVE",
    how: "a BUY pair with the trailing stop below",
    fields: {
      side: "BUY",
      aboveType: "TAKE_PROFIT",
      abovePrice: undefined,
      aboveStopPrice: "8000",
      belowType: "TRAILING_STOP_MARKET",
      belowStopPrice: undefined,
      belowTrailingDelta: 100,
    },
  },
  {
    error: "BAD_COMBINATION",
    how: "two trailing distances",
    fields: {
      belowType: "TRAILING_STOP_MARKET",
      belowStopPrice: "7900",
      belowTrailingDelta: 5,
      belowPrice2: "1",
    },
  },
  {
    error: "NO_DEPTH",
    how: "a trailing leg without a quote",
    fields: {
      symbol: "ETH/USD",
      belowType: "TRAILING_STOP_MARKET",
      belowStopPrice: undefined,
      belowTrailingDelta: 5,
    },
  },
  {
    error: "WOULD_MATCH",
    how: "a post-only order that would match at once",
    fields: { aboveType: "LIMIT_MAKER", abovePrice: "7300" },
  },
];

const schedule = (field: string, price: string): Case => ({
  error: "UNSUPPORTED_COMBINATION",
  how: "a schedule as a leg",
  fields: { [field]: "TWAP", [price]: undefined },
});

/** Errors of placing lists. */
export const LIST_ERRORS: Readonly<Partial<Record<RouteName, readonly Case[]>>> = {
  "orderList.place.oco": [...everyList("oco"), ...pairs],
  "orderList.place.oto": [...everyList("oto"), schedule("workingType", "workingPrice")],
  "orderList.place.otoco": [
    ...everyList("otoco"),
    schedule("workingType", "workingPrice"),
    prices({ pendingAboveStopPrice: "6000" }),
  ],
  "orderList.place.legacyOco": [...everyList("legacyOco"), prices({ price: "6000" })],
  "orderList.place.bracket": [
    ...everyList("bracket"),
    schedule("workingType", "workingPrice"),
    prices({ takeProfit1Price: "5900" }),
  ],
  "orderList.place.oca": everyList("oca"),
};
