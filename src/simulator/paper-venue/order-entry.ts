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
import type { NativeTerms } from "../../model/index.ts";
import type { JsonInput } from "../../wire/index.ts";
import { isRate } from "./execution-terms.ts";
import type { VenueFill } from "./venue-fill.ts";

/** Reason why an order of the venue's book ended without being filled. */
export type BookReason =
  | "USER_CANCELED"
  | "EXCHANGE_CANCELED"
  | "UNFILLED_IOC_QUANTITY_EXPIRED"
  | "UNFILLED_FOK_ORDER_EXPIRED"
  | "INSUFFICIENT_LIQUIDITY";

/** A native order was accepted: its immediate fills, and the reason for its end if it ended unfilled. */
export type OrderPlaced = Readonly<{
  kind: "placed";
  orderId: bigint;
  accountId: number;
  requestKey: string;
  terms: NativeTerms;
  fills: readonly VenueFill[];
  expired?: BookReason;
  /** Highest commission rate of a limit order. Absent without commissions. */
  commissionRate?: string;
  timeMs: number;
}>;

/** Quotes filled a resting order. */
export type OrderFilled = Readonly<{
  kind: "filled";
  orderId: bigint;
  fills: readonly VenueFill[];
  timeMs: number;
}>;

/** A resting order was canceled. */
export type OrderCanceled = Readonly<{
  kind: "canceled";
  orderId: bigint;
  reason: BookReason;
  timeMs: number;
}>;

/** Entries about native orders. */
export type OrderEntry = OrderPlaced | OrderFilled | OrderCanceled;

const money = <T>(parse: (text: string) => T | undefined): z.ZodType<T> =>
  z.string().transform((text, context) => {
    const value = parse(text);
    if (value !== undefined) return value;
    context.addIssue("must be a positive amount");
    return z.NEVER;
  });

/**
 * Parses a positive value without an upper limit: a recorded value is a fact. Ranges are checked on input.
 */
const positive = (text: string, scale: number): Scaled | undefined => {
  const value = parseScaled(text, scale);
  return value !== undefined && value > 0 ? value : undefined;
};

/** Schema of a positive price as text. */
export const aPrice: z.ZodType<Price> = money((text) => positive(text, PRICE_SCALE) as Price | undefined);
/** Schema of a positive quantity as text. */
export const aQuantity: z.ZodType<Quantity> = money(
  (text) => positive(text, QUANTITY_SCALE) as Quantity | undefined,
);
/** Schema of a whole number. */
export const whole: z.ZodType<number> = z.number().int();

const anAmount: z.ZodType<Notional> = money(
  (text) => parseScaled(text, NOTIONAL_SCALE) as Notional | undefined,
);
/** Schema of the id of an order. */
export const anId: z.ZodType<bigint> = z.bigint().positive();

/** Schema of a stored execution. */
export const fillSchema: z.ZodType<VenueFill> = z.strictObject({
  executionId: z.string(),
  quantity: aQuantity,
  price: aPrice,
  timeMs: whole,
  commission: z.exactOptional(z.string().refine((text) => parseScaled(text, NOTIONAL_SCALE) !== undefined)),
  commissionAsset: z.exactOptional(z.string()),
  liquidity: z.exactOptional(z.enum(["maker", "taker"])),
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

/** Schema of stored entries of native orders. */
export const orderEntrySchema: z.ZodType<OrderEntry> = z.discriminatedUnion("kind", [
  z.strictObject({
    kind: z.literal("placed"),
    orderId: anId,
    accountId: whole,
    requestKey: z.string(),
    terms: termsSchema,
    fills: z.array(fillSchema),
    expired: z.exactOptional(reason),
    commissionRate: z.exactOptional(z.string().refine(isRate)),
    timeMs: whole,
  }),
  z.strictObject({ kind: z.literal("filled"), orderId: anId, fills: z.array(fillSchema), timeMs: whole }),
  z.strictObject({ kind: z.literal("canceled"), orderId: anId, reason, timeMs: whole }),
]);

/** Encodes a fill with its amounts as text. */
export const fillText = (fill: VenueFill): Readonly<Record<string, string | number>> => ({
  ...fill,
  quantity: formatQuantity(fill.quantity),
  price: formatPrice(fill.price),
});

/** Encodes an entry of a native order with its amounts as text. */
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
