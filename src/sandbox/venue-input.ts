import * as z from "zod";
import {
  type ExactQuantity,
  normalise,
  PRICE_SCALE,
  type Price,
  parseExactQuantity,
  parseFact,
  QUANTITY_SCALE,
  type Quantity,
  type Scaled,
} from "../decimal/index.ts";
import { parseFraction, type VenueFault } from "../paper-exchange/index.ts";
import type { VenueEvent } from "../ports/index.ts";
import { decimalText, epochMs, positiveId, readInput } from "./input-error.ts";

const fraction = decimalText.refine(
  (text) => parseFraction(text) !== undefined,
  "must be a number from 0 to 1",
);

const faultBody: z.ZodType<VenueFault> = z.strictObject({
  mode: z
    .enum(["none", "reject", "timeout-before", "timeout-after", "partial", "delay", "hold"])
    .default("none"),
  lookup: z.enum(["none", "not-found", "fail", "delay"]).default("none"),
  fraction: fraction.prefault("0.5"),
  delayMs: z.number().int().min(0).max(86_400_000).default(1_000),
  count: z.number().int().min(1).max(1_000_000_000).optional(),
  symbol: z.string().optional(),
  accountId: positiveId.optional(),
});

/** Reads the member `venue` of `POST /control/faults`. Throws InputError. */
export function readVenueFault(body: unknown): VenueFault {
  return readInput(faultBody, body);
}

const STATES = {
  open: "open",
  NEW: "open",
  PARTIALLY_FILLED: "open",
  closed: "closed",
  FILLED: "closed",
  CANCELED: "closed",
  EXPIRED: "closed",
  rejected: "rejected",
  REJECTED: "rejected",
} as const;

/** Schema of decimal text as a scaled value of any sign. */
export const scaledText = (scale: number): z.ZodType<Scaled> =>
  decimalText.transform((text, context) => {
    const value = parseFact(text.replace("-", ""), scale);
    if (value === undefined) {
      context.addIssue(`must have at most ${scale} decimals`);
      return z.NEVER;
    }
    return text.startsWith("-") ? normalise(-BigInt(value)) : value;
  });

/** Schema of an executed quantity, exact to 18 decimals; one that is zero or negative has whole steps. */
export const executedQuantityText: z.ZodType<ExactQuantity> = decimalText.transform((text, context) => {
  const exact = parseExactQuantity(text);
  if (exact !== undefined) return exact;
  const size = parseFact(text.replace("-", ""), QUANTITY_SCALE);
  if (size !== undefined)
    return { quantity: (text.startsWith("-") ? normalise(-BigInt(size)) : size) as Quantity };
  context.addIssue("must have at most 18 decimals");
  return z.NEVER;
});

const eventBody = z.strictObject({
  child: z.string().min(1).max(64),
  executionId: z.string().min(1).max(64),
  quantity: executedQuantityText,
  price: scaledText(PRICE_SCALE),
  status: z.enum(Object.keys(STATES) as (keyof typeof STATES)[]).default("open"),
  time: epochMs.optional(),
});

/**
 * Reads the body of `POST /control/venue/events`: a report that the venue is made to send, even if it is wrong (a
 * quantity may be zero or negative). Without a status the child is reported as open. Throws InputError.
 */
export function readVenueEvent(body: unknown, nowMs: number): VenueEvent {
  const answer = readInput(eventBody, body);
  const fill = {
    executionId: answer.executionId,
    ...answer.quantity,
    price: answer.price as Price,
    timeMs: answer.time ?? nowMs,
  };
  return { report: { childId: answer.child, state: STATES[answer.status], fills: [fill] } };
}
