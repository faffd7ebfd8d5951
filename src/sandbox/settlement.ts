import * as z from "zod";
import { PRICE_SCALE, type Price } from "../decimal/index.ts";
import { type ChildSettlement, type Resumption, SettlementError } from "../engine/index.ts";
import type { Fill } from "../model/index.ts";
import { epochMs, InputError, readInput } from "./input-error.ts";
import { executedQuantityText, scaledText } from "./venue-input.ts";

const fill = z.strictObject({
  executionId: z.string().min(1).max(64),
  quantity: executedQuantityText,
  price: scaledText(PRICE_SCALE),
  time: epochMs.optional(),
});
const body = z.strictObject({
  child: z.string().min(1).max(64),
  state: z.enum(["closed", "rejected", "never"]),
  fills: z.array(fill).optional(),
  by: z.string().min(1).max(64),
  why: z.string().min(1).max(200),
});

const resumption = z.strictObject({
  orderId: z.number(),
  children: z.array(z.strictObject({ childId: z.string().min(1).max(64), fills: z.array(fill) })).optional(),
  by: z.string().min(1).max(64),
  why: z.string().min(1).max(200),
});

/** A call that conflicts with the current state. Answered with 409. */
export class ConflictError extends Error {
  override readonly name = "ConflictError";
}

/**
 * Reads the body of `POST /control/venue/settle`. An execution without a time gets the current time. Throws InputError.
 */
export function readSettlementBody(answer: unknown, nowMs: number): ChildSettlement {
  const { child, fills = [], ...rest } = readInput(body, answer);
  return { ...rest, childId: child, fills: fills.map(fillAt(nowMs)) };
}

/** Reads the body of `POST /control/restored/resume` in the same way. */
export function readResumptionBody(answer: unknown, nowMs: number): Resumption {
  const { children = [], ...rest } = readInput(resumption, answer);
  return {
    ...rest,
    children: children.map(({ childId, fills }) => ({ childId, fills: fills.map(fillAt(nowMs)) })),
  };
}

const fillAt =
  (nowMs: number) =>
  ({ executionId, quantity, price, time }: z.infer<typeof fill>): Fill => {
    return { executionId, ...quantity, price: price as Price, timeMs: time ?? nowMs };
  };

/** Returns the control interface's error for a settlement that the engine refuses. */
export function settlementRefusal(error: unknown): unknown {
  if (!(error instanceof SettlementError)) return error;
  return error.problem === "UNREADABLE" ? new InputError(error.message) : new ConflictError(error.message);
}
