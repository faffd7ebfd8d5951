import * as z from "zod";
import {
  formatNotional,
  formatPrice,
  formatQuantity,
  NOTIONAL_SCALE,
  type Notional,
  PRICE_SCALE,
  type Price,
  parseScaled,
  QUANTITY_SCALE,
  type Quantity,
  type Scaled,
} from "../../decimal/index.ts";
import type { Fill, NativeTerms } from "../../model/index.ts";
import type { JsonInput } from "../../wire/index.ts";

/** Why an order of the venue's book ended without being filled. */
export type BookReason =
  | "USER_CANCELED"
  | "EXCHANGE_CANCELED"
  | "UNFILLED_IOC_QUANTITY_EXPIRED"
  | "UNFILLED_FOK_ORDER_EXPIRED"
  | "INSUFFICIENT_LIQUIDITY";

/** A native order was taken: what it filled at once, and why it ended then if it was not filled. */
export type OrderPlaced = Readonly<{
  kind: "placed";
  accountId: number;
  requestKey: string;
  terms: NativeTerms;
  fills: readonly Fill[];
  expired?: BookReason;
  timeMs: number;
}>;

/** Quotes met a resting order. */
export type OrderFilled = Readonly<{
  kind: "filled";
  orderId: bigint;
  fills: readonly Fill[];
  timeMs: number;
}>;

/** A resting order was canceled. */
export type OrderCanceled = Readonly<{
  kind: "canceled";
  orderId: bigint;
  reason: BookReason;
  timeMs: number;
}>;

/** What becomes of native orders. */
export type OrderEntry = OrderPlaced | OrderFilled | OrderCanceled;

const money = <T>(parse: (text: string) => T | undefined): z.ZodType<T> =>
  z.string().transform((text, context) => {
    const value = parse(text);
    if (value !== undefined) return value;
    context.addIssue("is not a positive amount");
    return z.NEVER;
  });

/** What the venue has taken is a fact, also where a range was wider once: ranges are held to on the way in. */
const positive = (text: string, scale: number): Scaled | undefined => {
  const value = parseScaled(text, scale);
  return value !== undefined && value > 0 ? value : undefined;
};

/** Positive price as text. */
export const aPrice: z.ZodType<Price> = money((text) => positive(text, PRICE_SCALE) as Price | undefined);
/** Positive quantity as text. */
export const aQuantity: z.ZodType<Quantity> = money(
  (text) => positive(text, QUANTITY_SCALE) as Quantity | undefined,
);
/** Whole number. */
export const whole: z.ZodType<number> = z.number().int();

const anAmount: z.ZodType<Notional> = money(
  (text) => parseScaled(text, NOTIONAL_SCALE) as Notional | undefined,
);
const anId: z.ZodType<bigint> = z.bigint().positive();

/** One execution as it is kept. */
export const fillSchema: z.ZodType<Fill> = z.strictObject({
  executionId: z.string(),
  quantity: aQuantity,
  price: aPrice,
  timeMs: whole,
});

const reason: z.ZodType<BookReason> = z.enum([
  "USER_CANCELED",
  "EXCHANGE_CANCELED",
  "UNFILLED_IOC_QUANTITY_EXPIRED",
  "UNFILLED_FOK_ORDER_EXPIRED",
  "INSUFFICIENT_LIQUIDITY",
]);

const everyOrder = { symbol: z.string(), side: z.enum(["BUY", "SELL"]), clientOrderId: z.string() };
const market = { ...everyOrder, type: z.literal("MARKET") };

const termsSchema: z.ZodType<NativeTerms> = z.union([
  z.strictObject({
    ...everyOrder,
    type: z.literal("LIMIT"),
    timeInForce: z.enum(["GTC", "IOC", "FOK"]),
    quantity: aQuantity,
    price: aPrice,
  }),
  z.strictObject({ ...market, quantity: aQuantity }),
  z.strictObject({ ...market, quoteQuantity: anAmount }),
]);

/** Entries of native orders as they are kept. */
export const orderEntrySchema: z.ZodType<OrderEntry> = z.discriminatedUnion("kind", [
  z.strictObject({
    kind: z.literal("placed"),
    accountId: whole,
    requestKey: z.string(),
    terms: termsSchema,
    fills: z.array(fillSchema),
    expired: z.exactOptional(reason),
    timeMs: whole,
  }),
  z.strictObject({ kind: z.literal("filled"), orderId: anId, fills: z.array(fillSchema), timeMs: whole }),
  z.strictObject({ kind: z.literal("canceled"), orderId: anId, reason, timeMs: whole }),
]);

/** A fill with its money as text. */
export const fillText = (fill: Fill): Readonly<Record<string, string | number>> => ({
  ...fill,
  quantity: formatQuantity(fill.quantity),
  price: formatPrice(fill.price),
});

/** An entry of a native order with its money as text. */
export function orderEntryText(entry: OrderEntry): JsonInput {
  switch (entry.kind) {
    case "placed":
      return { ...entry, terms: termsText(entry.terms), fills: entry.fills.map(fillText) };
    case "filled":
      return { ...entry, fills: entry.fills.map(fillText) };
    case "canceled":
      return entry;
  }
}

function termsText(terms: NativeTerms): JsonInput {
  if (terms.type === "LIMIT") {
    return { ...terms, quantity: formatQuantity(terms.quantity), price: formatPrice(terms.price) };
  }
  if ("quantity" in terms) return { ...terms, quantity: formatQuantity(terms.quantity) };
  return { ...terms, quoteQuantity: formatNotional(terms.quoteQuantity) };
}
