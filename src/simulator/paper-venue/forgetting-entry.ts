import * as z from "zod";
import { normalise, type Scaled } from "../../decimal/index.ts";
import type { JsonInput } from "../../wire/index.ts";
import type { ForgottenMarks } from "./forgotten-children.ts";
import { whole } from "./order-entry.ts";

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
