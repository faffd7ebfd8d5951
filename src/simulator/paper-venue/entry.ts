import * as z from "zod";
import { formatPrice, formatQuantity } from "../../decimal/index.ts";
import type { ChildRequest } from "../../model/index.ts";
import { readJson, writeJson } from "../../wire/index.ts";
import { type ForgettingEntry, forgettingEntrySchema, forgettingEntryText } from "./forgetting-entry.ts";
import {
  anId,
  aPrice,
  aQuantity,
  fillSchema,
  fillText,
  type OrderEntry,
  orderEntrySchema,
  orderEntryText,
  whole,
} from "./order-entry.ts";
import type { VenueFill } from "./venue-fill.ts";

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
