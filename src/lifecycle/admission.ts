import {
  formatNotional,
  magnitude,
  type Notional,
  notionalOf,
  type Price,
  type Quantity,
  ZERO_QUANTITY,
} from "../decimal/index.ts";
import { OrderError } from "../errors/index.ts";
import type { ParentIntent, ParentType, Quote, Side } from "../model/index.ts";
import { executableSide } from "../triggers/index.ts";

/** What admission looks at beside the intent; `quote` is the counted quote while it is fresh, `position` is signed. */
export type AdmissionContext = Readonly<{
  nowMs: number;
  minimum: Notional;
  quote?: Quote;
  position?: Quantity;
}>;

/** What admission found out and the journal keeps: the price the minimum was checked at, the exposure required. */
export type Admission = Readonly<{ admissionPrice?: Price; exposure?: Quantity }>;

/** How much of a signed position an order of this side can reduce: never below zero. */
export function reducibleOf(side: Side, position: Quantity): Quantity {
  const reduces = side === "SELL" ? position > 0 : position < 0;
  return reduces ? magnitude(position) : ZERO_QUANTITY;
}

/** The price the opening minimum is checked at: limit, else stop, else the executable quote (decision 23). */
export function admissionPriceOf(intent: ParentIntent, quote?: Quote): Price | undefined {
  const quoted = quote === undefined ? undefined : quote[executableSide(intent.side)];
  return intent.price ?? intent.stopPrice ?? quoted;
}

/**
 * Admits an intent or throws the OrderError that refuses it; the same on server and client.
 * Source: contract "Single-parent advanced creation" rules 1, 2 and 7, decisions 10, 23, 24.
 *
 * @example
 * ```ts
 * import { admit, notional, type ParentIntent } from "managed-orders";
 * const check = (intent: ParentIntent): void => {
 *   admit(intent, { nowMs: 1_760_000_000_000, minimum: notional("15") });
 * };
 * ```
 */
export function admit(intent: ParentIntent, context: AdmissionContext): Admission {
  checkShape(intent);
  checkExpiry(intent, context.nowMs);
  return intent.reduceOnly ? admitReducing(intent, context) : admitOpening(intent, context);
}

function admitReducing(intent: ParentIntent, context: AdmissionContext): Admission {
  const exposure = reducibleOf(intent.side, context.position ?? ZERO_QUANTITY);
  if (exposure <= 0) throw new OrderError("REDUCE_ONLY_REJECTED", { field: "reduceOnly" });
  return { exposure };
}

function admitOpening(intent: ParentIntent, context: AdmissionContext): Admission {
  const admissionPrice = admissionPriceOf(intent, context.quote);
  if (admissionPrice === undefined) throw new OrderError("NO_DEPTH");
  if (notionalOf(admissionPrice, intent.quantity) < context.minimum) {
    throw new OrderError("FILTER_NOTIONAL", { field: "quantity", minimum: formatNotional(context.minimum) });
  }
  return { admissionPrice };
}

function checkExpiry(intent: ParentIntent, nowMs: number): void {
  const hasExpiry = intent.expireTimeMs !== undefined;
  if (hasExpiry !== (intent.timeInForce === "GTD"))
    throw new OrderError("BAD_TIME_IN_FORCE", { field: "timeInForce" });
  if (intent.expireTimeMs !== undefined && intent.expireTimeMs <= nowMs) {
    throw new OrderError("INVALID_PARAMETER", {
      field: "expireTime",
      advice: "Send an expiry that lies in the future.",
    });
  }
}

type Need = "required" | "optional" | "none";
type Shape = Readonly<Record<"price" | "stopPrice" | "trailing" | "limitOffset", Need>>;

const LIMIT_SHAPE: Shape = { price: "required", stopPrice: "none", trailing: "none", limitOffset: "none" };
const STOP_SHAPE: Shape = { price: "none", stopPrice: "required", trailing: "none", limitOffset: "none" };
const STOP_LIMIT_SHAPE: Shape = { ...STOP_SHAPE, price: "required" };

const SHAPES: Readonly<Record<ParentType, Shape>> = {
  SYNTHETIC_LIMIT: LIMIT_SHAPE,
  STOP_MARKET: STOP_SHAPE,
  STOP_LOSS_LIMIT: STOP_LIMIT_SHAPE,
  TAKE_PROFIT_MARKET: STOP_SHAPE,
  TAKE_PROFIT_LIMIT: STOP_LIMIT_SHAPE,
  TRAILING_STOP_MARKET: { price: "none", stopPrice: "optional", trailing: "required", limitOffset: "none" },
  TRAILING_STOP_LIMIT: {
    price: "optional",
    stopPrice: "optional",
    trailing: "required",
    limitOffset: "optional",
  },
};

/** The fields a type needs; an intent that was built in process by hand is held to them too. */
function checkShape(intent: ParentIntent): void {
  const shape = SHAPES[intent.type];
  for (const field of ["price", "stopPrice", "trailing", "limitOffset"] as const) {
    const given = intent[field] !== undefined;
    if (shape[field] === "required" && !given) throw new OrderError("PARAMETER_MISSING", { field });
    if (shape[field] === "none" && given) throw new OrderError("PARAMETER_NOT_REQUIRED", { field });
  }
  if (
    intent.type !== "TRAILING_STOP_LIMIT" ||
    (intent.price === undefined) !== (intent.limitOffset === undefined)
  )
    return;
  throw new OrderError("BAD_COMBINATION", {
    fields: "'price', 'limitOffset'",
    advice: "Send exactly one of price and limitOffset.",
  });
}
