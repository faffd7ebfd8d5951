import * as z from "zod";
import {
  formatNotional,
  formatPrice,
  formatQuantity,
  NOTIONAL_SCALE,
  type Notional,
  normalise,
  PRICE_SCALE,
  type Price,
  parseScaled,
  QUANTITY_SCALE,
  type Quantity,
  type Scaled,
} from "../decimal/index.ts";
import type { ChildRequest, NativeTerms } from "../model/index.ts";
import { type JsonInput, readJson, writeJson } from "../wire/index.ts";
import { isRate, type VenueFill } from "./execution-terms.ts";
import type { ForgottenMarks } from "./forgotten-children.ts";

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

/** These children are forgotten from this entry on. */
export type ChildrenForgotten = Readonly<{ kind: "forgotten"; children: readonly string[]; timeMs: number }>;

/** The signed sum of an account's trades in a market: in units of the base quantity and of the notional. */
export type PassedTrade = Readonly<{ accountId: number; symbol: string; base: Scaled; quote: Scaled }>;

/**
 * Replaces the entries of forgotten children: the orders and executions that were counted, and the sums of their
 * trades.
 */
export type ChildrenPassed = Readonly<{
  kind: "passed";
  orders: number;
  executions: number;
  trades: readonly PassedTrade[];
}>;

/** The ids that may belong to forgotten children. */
export type ForgottenKept = ForgottenMarks & Readonly<{ kind: "marks" }>;

/** Entries about forgotten children. */
export type ForgettingEntry = ChildrenForgotten | ChildrenPassed | ForgottenKept;

/** A sum has no limited range, so it is stored as text. */
const scaled: z.ZodType<Scaled> = z
  .string()
  .regex(/^-?[0-9]+$/)
  .transform((text) => normalise(BigInt(text)));

/** Encodes an entry about forgotten children, with its sums as text. */
export function forgettingEntryText(entry: ForgettingEntry): JsonInput {
  if (entry.kind !== "passed") return entry;
  const trades = entry.trades.map(({ base, quote, ...whose }) => ({
    ...whose,
    base: String(base),
    quote: String(quote),
  }));
  return { ...entry, trades };
}

/** Schema of stored entries about forgotten children. */
export const forgettingEntrySchema: z.ZodType<ForgettingEntry> = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("forgotten"), children: z.array(z.string()), timeMs: whole }),
  z.strictObject({
    kind: z.literal("passed"),
    orders: whole,
    executions: whole,
    trades: z.array(z.strictObject({ accountId: whole, symbol: z.string(), base: scaled, quote: scaled })),
  }),
  z.strictObject({
    kind: z.literal("marks"),
    marks: z.array(z.tuple([z.string(), whole])),
    acceptedUntilMs: whole,
    deadlineUntilMs: whole,
  }),
]);

/** The balances of an account were set: amounts by asset. */
export type BalancesSet = Readonly<{
  kind: "balances";
  accountId: number;
  balances: Readonly<Record<string, string>>;
  timeMs: number;
}>;

/** The positions of an account were set: signed quantities by symbol. */
export type PositionsSet = Readonly<{
  kind: "positions";
  accountId: number;
  positions: Readonly<Record<string, string>>;
  timeMs: number;
}>;

/** A child arrived, for the first time or again. */
export type ChildArrived = Readonly<{
  kind: "arrived";
  /** The id of its order. Absent if the child had arrived before. */
  orderId?: bigint;
  child: ChildRequest;
  deadlineMs: number;
  timeMs: number;
}>;

/** The outcome of a child. `held`: decided, but not reported until it is released. */
export type ChildResolved = Readonly<{
  kind: "resolved";
  childId: string;
  state: "closed" | "rejected";
  fills: readonly VenueFill[];
  held: boolean;
  final: boolean;
  detail: string;
  timeMs: number;
}>;

/** A held child was released. */
export type ChildReleased = Readonly<{ kind: "released"; childId: string; timeMs: number }>;

/** One line of the venue's record. The whole state of the venue follows from its entries, in order. */
export type Entry =
  | BalancesSet
  | PositionsSet
  | ChildArrived
  | ChildResolved
  | ChildReleased
  | ForgettingEntry
  | OrderEntry;

const childSchema: z.ZodType<ChildRequest> = z.strictObject({
  childId: z.string(),
  parentOrderId: whole,
  accountId: whole,
  symbol: z.string(),
  side: z.enum(["BUY", "SELL"]),
  quantity: aQuantity,
  limitPrice: z.exactOptional(aPrice),
  timeInForce: z.enum(["IOC", "FOK"]),
  reduceOnly: z.boolean(),
});

const childEntrySchema = z.discriminatedUnion("kind", [
  z.strictObject({
    kind: z.literal("balances"),
    accountId: whole,
    balances: z.record(z.string(), z.string()),
    timeMs: whole,
  }),
  z.strictObject({
    kind: z.literal("positions"),
    accountId: whole,
    positions: z.record(z.string(), z.string()),
    timeMs: whole,
  }),
  z.strictObject({
    kind: z.literal("arrived"),
    orderId: z.exactOptional(anId),
    child: childSchema,
    deadlineMs: whole,
    timeMs: whole,
  }),
  z.strictObject({
    kind: z.literal("resolved"),
    childId: z.string(),
    state: z.enum(["closed", "rejected"]),
    fills: z.array(fillSchema),
    held: z.boolean(),
    final: z.boolean(),
    detail: z.string(),
    timeMs: whole,
  }),
  z.strictObject({ kind: z.literal("released"), childId: z.string(), timeMs: whole }),
]);

const entrySchema: z.ZodType<Entry> = z.union([childEntrySchema, orderEntrySchema, forgettingEntrySchema]);

/** How each line begins. */
const ENTRY_START = '{"kind":"';

/**
 * Returns whether a text may be the beginning of a line that was cut off while it was written, at any place. After a loss of
 * power, it may be zeros.
 */
export function mayBeginEntry(text: string): boolean {
  return ENTRY_START.startsWith(text.slice(0, ENTRY_START.length)) || text.startsWith("\0");
}

/** Encodes an entry as one line of JSON, without a line break. */
export function encodeEntry(entry: Entry): string {
  switch (entry.kind) {
    case "arrived":
      return writeJson({ ...entry, child: childText(entry.child) });
    case "resolved":
      return writeJson({ ...entry, fills: entry.fills.map(fillText) });
    case "balances":
    case "positions":
    case "released":
      return writeJson(entry);
    case "forgotten":
    case "passed":
    case "marks":
      return writeJson(forgettingEntryText(entry));
    default:
      return writeJson(orderEntryText(entry));
  }
}

const childText = ({
  limitPrice,
  ...child
}: ChildRequest): Readonly<Record<string, string | number | boolean>> => ({
  ...child,
  quantity: formatQuantity(child.quantity),
  ...(limitPrice === undefined ? {} : { limitPrice: formatPrice(limitPrice) }),
});

/** Decodes the entry of a line. Throws on anything else. */
export function decodeEntry(line: string): Entry {
  return entrySchema.parse(readJson(line));
}
