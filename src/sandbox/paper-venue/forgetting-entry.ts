import * as z from "zod";
import { normalise, type Scaled } from "../../decimal/index.ts";
import type { JsonInput } from "../../wire/index.ts";
import type { ForgottenMarks } from "./forgotten-children.ts";
import { whole } from "./order-entry.ts";

/** These children are forgotten from here on. */
export type ChildrenForgotten = Readonly<{ kind: "forgotten"; children: readonly string[]; timeMs: number }>;

/** What the trades of an account in a market came to, signed: in steps of the base quantity and of the notional. */
export type PassedTrade = Readonly<{ accountId: number; symbol: string; base: Scaled; quote: Scaled }>;

/** Stands in the place of what forgotten children were: orders and executions that were counted, and what they moved. */
export type ChildrenPassed = Readonly<{
  kind: "passed";
  orders: number;
  executions: number;
  trades: readonly PassedTrade[];
}>;

/** Which ids may be those of forgotten children. */
export type ForgottenKept = ForgottenMarks & Readonly<{ kind: "marks" }>;

/** What becomes of children that are forgotten. */
export type ForgettingEntry = ChildrenForgotten | ChildrenPassed | ForgottenKept;

/** A sum has no range of its own, so it is text. */
const scaled: z.ZodType<Scaled> = z
  .string()
  .regex(/^-?[0-9]+$/)
  .transform((text) => normalise(BigInt(text)));

/** An entry about forgotten children with its sums as text. */
export function forgettingEntryText(entry: ForgettingEntry): JsonInput {
  if (entry.kind !== "passed") return entry;
  const trades = entry.trades.map(({ base, quote, ...whose }) => ({
    ...whose,
    base: String(base),
    quote: String(quote),
  }));
  return { ...entry, trades };
}

/** Entries about forgotten children as they are kept. */
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
