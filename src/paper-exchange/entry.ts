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
import type { PrunedMarks } from "./pruned-children.ts";

const BOOK_REASONS = [
  "USER_CANCELED",
  "EXCHANGE_CANCELED",
  "UNFILLED_IOC_QUANTITY_EXPIRED",
  "UNFILLED_FOK_ORDER_EXPIRED",
  "INSUFFICIENT_LIQUIDITY",
] as const;

/** Reason why an order of the venue's book ended without being filled. */
export type BookReason = (typeof BOOK_REASONS)[number];

/** The signed sum of an account's trades in a market: in units of the base quantity and of the notional. */
export type PassedTrade = Readonly<{ accountId: number; symbol: string; base: Scaled; quote: Scaled }>;

/** One line of the venue's record. The whole state of the venue follows from its entries, in order. */
export type Entry = Readonly<
  | {
      /** The balances of an account were set: amounts by asset. */
      kind: "balances";
      accountId: number;
      balances: Readonly<Record<string, string>>;
      timeMs: number;
    }
  | {
      /** The positions of an account were set: signed quantities by symbol. */
      kind: "positions";
      accountId: number;
      positions: Readonly<Record<string, string>>;
      timeMs: number;
    }
  | {
      /** A child arrived, for the first time or again. */
      kind: "arrived";
      /** The id of its order. Absent if the child had arrived before. */
      orderId?: bigint;
      child: ChildRequest;
      deadlineMs: number;
      timeMs: number;
    }
  | {
      /** The outcome of a child. */
      kind: "resolved";
      childId: string;
      state: "closed" | "rejected";
      fills: readonly VenueFill[];
      /** Decided, but not reported until it is released. */
      held: boolean;
      final: boolean;
      detail: string;
      timeMs: number;
    }
  | {
      /** A held child was released. */
      kind: "released";
      childId: string;
      timeMs: number;
    }
  | {
      /** A native order was accepted: its immediate fills, and the reason for its end if it ended unfilled. */
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
    }
  | {
      /** Quotes filled a resting order. */
      kind: "filled";
      orderId: bigint;
      fills: readonly VenueFill[];
      timeMs: number;
    }
  | {
      /** A resting order was canceled. */
      kind: "canceled";
      orderId: bigint;
      reason: BookReason;
      timeMs: number;
    }
  | {
      /** These children are forgotten from this entry on. */
      kind: "forgotten";
      children: readonly string[];
      timeMs: number;
    }
  | {
      /** Replaces entries of forgotten children: the orders and executions counted, and the sums of their trades. */
      kind: "passed";
      orders: number;
      executions: number;
      trades: readonly PassedTrade[];
    }
  /** The ids that may belong to forgotten children. */
  | ({ kind: "marks" } & PrunedMarks)
>;

/** The entries of some kinds. */
export type EntryOf<K extends Entry["kind"]> = Extract<Entry, { kind: K }>;

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

const aPrice = money((text) => positive(text, PRICE_SCALE) as Price | undefined);
const aQuantity = money((text) => positive(text, QUANTITY_SCALE) as Quantity | undefined);
const anAmount = money((text) => parseScaled(text, NOTIONAL_SCALE) as Notional | undefined);
const aSide = z.enum(["BUY", "SELL"]);
const anId = z.bigint().positive();
const whole = z.number().int();
const texts = z.record(z.string(), z.string());

/** A sum has no limited range, so it is stored as text. */
const aSum: z.ZodType<Scaled> = z
  .string()
  .regex(/^-?[0-9]+$/)
  .transform((text) => normalise(BigInt(text)));

const fills: z.ZodType<readonly VenueFill[]> = z.array(
  z.strictObject({
    executionId: z.string(),
    quantity: aQuantity,
    price: aPrice,
    timeMs: whole,
    commission: z.exactOptional(z.string().refine((text) => parseScaled(text, NOTIONAL_SCALE) !== undefined)),
    commissionAsset: z.exactOptional(z.string()),
    liquidity: z.exactOptional(z.enum(["maker", "taker"])),
  }),
);

const childSchema: z.ZodType<ChildRequest> = z.strictObject({
  childId: z.string(),
  parentOrderId: whole,
  accountId: whole,
  symbol: z.string(),
  side: aSide,
  quantity: aQuantity,
  limitPrice: z.exactOptional(aPrice),
  timeInForce: z.enum(["IOC", "FOK"]),
  reduceOnly: z.boolean(),
});

const everyOrder = { symbol: z.string(), side: aSide, clientOrderId: z.string() };
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

const reason = z.enum(BOOK_REASONS);

const childEntries = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("balances"), accountId: whole, balances: texts, timeMs: whole }),
  z.strictObject({ kind: z.literal("positions"), accountId: whole, positions: texts, timeMs: whole }),
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
    fills,
    held: z.boolean(),
    final: z.boolean(),
    detail: z.string(),
    timeMs: whole,
  }),
  z.strictObject({ kind: z.literal("released"), childId: z.string(), timeMs: whole }),
]);

const orderEntries = z.discriminatedUnion("kind", [
  z.strictObject({
    kind: z.literal("placed"),
    orderId: anId,
    accountId: whole,
    requestKey: z.string(),
    terms: termsSchema,
    fills,
    expired: z.exactOptional(reason),
    commissionRate: z.exactOptional(z.string().refine(isRate)),
    timeMs: whole,
  }),
  z.strictObject({ kind: z.literal("filled"), orderId: anId, fills, timeMs: whole }),
  z.strictObject({ kind: z.literal("canceled"), orderId: anId, reason, timeMs: whole }),
]);

const forgettingEntries = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("forgotten"), children: z.array(z.string()), timeMs: whole }),
  z.strictObject({
    kind: z.literal("passed"),
    orders: whole,
    executions: whole,
    trades: z.array(z.strictObject({ accountId: whole, symbol: z.string(), base: aSum, quote: aSum })),
  }),
  z.strictObject({
    kind: z.literal("marks"),
    marks: z.array(z.tuple([z.string(), whole])),
    acceptedUntilMs: whole,
    deadlineUntilMs: whole,
  }),
]);

const entrySchema: z.ZodType<Entry> = z.union([childEntries, orderEntries, forgettingEntries]);

/** How each line begins. */
const ENTRY_START = '{"kind":"';

/**
 * Returns whether a text may be the beginning of a line that was cut off while it was written, at any place. After a loss of
 * power, it may be zeros.
 */
export function mayBeginEntry(text: string): boolean {
  return ENTRY_START.startsWith(text.slice(0, ENTRY_START.length)) || text.startsWith("\0");
}

/** Decodes the entry of a line. Throws on anything else. */
export function decodeEntry(line: string): Entry {
  return entrySchema.parse(readJson(line));
}

/** Encodes an entry as one line of JSON, without a line break. */
export function encodeEntry(entry: Entry): string {
  switch (entry.kind) {
    case "arrived":
      return writeJson({ ...entry, child: childText(entry.child) });
    case "placed":
      return writeJson({ ...entry, terms: termsText(entry.terms), fills: entry.fills.map(fillText) });
    case "resolved":
    case "filled":
      return writeJson({ ...entry, fills: entry.fills.map(fillText) });
    case "passed":
      return writeJson({ ...entry, trades: entry.trades.map(tradeText) });
    default:
      return writeJson(entry);
  }
}

const childText = ({ limitPrice, ...child }: ChildRequest): JsonInput => ({
  ...child,
  quantity: formatQuantity(child.quantity),
  ...(limitPrice === undefined ? {} : { limitPrice: formatPrice(limitPrice) }),
});

const fillText = (fill: VenueFill): JsonInput => ({
  ...fill,
  quantity: formatQuantity(fill.quantity),
  price: formatPrice(fill.price),
});

const tradeText = ({ base, quote, ...whose }: PassedTrade): JsonInput => ({
  ...whose,
  base: String(base),
  quote: String(quote),
});

function termsText(terms: NativeTerms): JsonInput {
  if (terms.type === "LIMIT") {
    return { ...terms, quantity: formatQuantity(terms.quantity), price: formatPrice(terms.price) };
  }
  if ("quantity" in terms) return { ...terms, quantity: formatQuantity(terms.quantity) };
  return { ...terms, quoteQuantity: formatNotional(terms.quoteQuantity) };
}
