import {
  abs,
  formatNotional,
  leastQuantity,
  type Notional,
  notionalOf,
  type Price,
  type Quantity,
  ZERO_QUANTITY,
} from "../decimal/index.ts";
import { OrderError } from "../errors/index.ts";
import {
  type Fact,
  type ListIntent,
  type Mutable,
  type ParentIntent,
  type ParentOrder,
  partsOf,
  type SchedulePlan,
  type Side,
  TRAITS,
  TYPED_PARTS,
} from "../model/index.ts";
import { joinSmallSlices, schedulePlan, smallestSlice, type VolumeProfile } from "../schedules/index.ts";
import { executableSide, limitDirection, meets } from "../triggers/index.ts";
import { checkLegs, isPair, levelOf } from "./list-form.ts";

/**
 * Checks that an intent has the fields that its type needs. An intent built by hand in process is checked too. Throws
 * an OrderError that names the field.
 */
function checkShape(intent: ParentIntent, isLeg: boolean): void {
  // A leg that does not trail needs its stop price, as a single order does.
  const trails = isLeg && intent.trailing !== undefined;
  const parts = partsOf(intent.type, trails ? "leg" : "single");
  for (const field of TYPED_PARTS) {
    const given = intent[field] !== undefined;
    const need = parts[field] ?? "none";
    if (need === "required" && !given) throw new OrderError("PARAMETER_MISSING", { field });
    if (need === "none" && given) throw new OrderError("PARAMETER_NOT_REQUIRED", { field });
  }
  if (TRAITS[intent.type].limit !== "fixedOrOffset") return;
  if ((intent.price === undefined) !== (intent.limitOffset === undefined)) return;
  throw new OrderError("BAD_COMBINATION", {
    fields: "'price', 'limitOffset'",
    advice: "Send exactly one of price and limitOffset.",
  });
}

/** Opening minimum of a service in USD, unless its settings say otherwise. */
export const DEFAULT_MINIMUM = "15";

/** The best prices of a quote. */
export interface BestPrices {
  readonly bid: Price;
  readonly ask: Price;
}

/**
 * Context of an admission besides the intent. `quote` is the counted quote while it is fresh. `position` is signed.
 * `profile` holds the volumes for a VWAP without a profile of its own. `volume` is all executed volume of the market so
 * far: of the fresh prints that were counted or, with `volumeLogged`, of the market's own log.
 */
export interface AdmissionContext {
  readonly nowMs: number;
  /** How far `nowMs` is ahead of the wall clock. An expiry is given by the wall clock. Absent means not ahead. */
  readonly aheadMs?: number | undefined;
  readonly minimum: Notional;
  readonly quote?: BestPrices | undefined;
  readonly position?: Quantity | undefined;
  readonly profile?: VolumeProfile | undefined;
  readonly volume?: Quantity | undefined;
  readonly volumeLogged?: boolean | undefined;
  /** Most parts of an iceberg. 0 or absent means no limit. */
  readonly maxIcebergParts?: number;
  /** Set for a leg of a list. A held leg needs no exposure yet, and meets its first quote after its release. */
  readonly leg?: "active" | "held";
}

/**
 * Findings of an admission that the journal keeps: the price at which the minimum was checked, the required exposure,
 * that a post-only order does not cross, the plan of a schedule, and the volume after which a participation begins.
 */
export type Admission = Pick<
  Extract<Fact, { kind: "ACCEPTED" }>,
  "aheadMs" | "admissionPrice" | "exposure" | "posted" | "plan" | "volumeBefore" | "volumeLogged" | "held"
>;

/** Returns how much of a signed position an order of this side can reduce. Never below zero. */
export function reducibleOf(side: Side, position: Quantity): Quantity {
  const reduces = side === "SELL" ? position > 0 : position < 0;
  return reduces ? abs(position) : ZERO_QUANTITY;
}

/** Returns the price at which the opening minimum is checked: limit, else stop, else the executable quote. */
export function admissionPriceOf(intent: ParentIntent, quote?: BestPrices): Price | undefined {
  const quoted = quote === undefined ? undefined : quote[executableSide(intent.side)];
  return intent.price ?? intent.stopPrice ?? quoted;
}

/**
 * Admits an intent, or throws the OrderError that refuses it. Server and client use the same code (contract "Single-parent
 * advanced creation" rules 1-7).
 *
 *
 * @example
 * ```ts
 * import { Notional, type ParentIntent } from "managed-orders";
 * import { admit } from "managed-orders/rules";
 * const check = (intent: ParentIntent): void => {
 *   admit(intent, { nowMs: 1_760_000_000_000, minimum: Notional.parse("15") });
 * };
 * ```
 */
export function admit(intent: ParentIntent, context: AdmissionContext): Admission {
  checkShape(intent, context.leg !== undefined);
  checkExpiry(intent, context.nowMs - (context.aheadMs ?? 0));
  checkIceberg(intent, context.maxIcebergParts ?? 0);
  const plan = planOf(intent, context);
  const { aheadMs, leg, volume = ZERO_QUANTITY } = context;
  // Members are set one by one, in the order of the journal: spreading took the most time of all work in a placement.
  const found: Mutable<Admission> = {};
  if (intent.expireTimeMs !== undefined && aheadMs !== undefined) found.aheadMs = aheadMs;
  if (!intent.reduceOnly) found.admissionPrice = openingPrice(intent, context, plan);
  else if (leg !== "held") found.exposure = reducible(intent, context);
  if (isPosted(intent, context)) found.posted = true;
  if (plan !== undefined) found.plan = plan;
  if (intent.participationBips !== undefined) {
    found.volumeBefore = volume;
    if (context.volumeLogged === true) found.volumeLogged = true;
  }
  if (leg === "held") found.held = true;
  return found;
}

/** An order, its intent as an amend would leave it, and what would be left to execute. */
type Amended = Readonly<{ order: ParentOrder; amended: ParentIntent; rest: Quantity }>;

/**
 * Checks an order as an amend would leave it. Throws the OrderError that refuses it. A post-only order needs a quote: its price
 * must not cross the market.
 */
export function checkAmended({ order, amended, rest }: Amended, context: AdmissionContext): void {
  checkShape(amended, context.leg !== undefined);
  checkExpiry(amended, context.nowMs - (context.aheadMs ?? 0));
  checkIceberg(amended, context.maxIcebergParts ?? 0);
  if (amended.reduceOnly) {
    if (context.leg !== "held") reducible(amended, context);
  } else {
    openingPrice({ ...amended, quantity: rest }, context, undefined);
    openingPrice(amended, context, order.plan);
  }
  const isPlaced = isPosted(amended, context);
  if (TRAITS[amended.type].postOnly && !isPlaced && context.leg !== "held") throw new OrderError("NO_DEPTH");
}

function reducible({ side }: ParentIntent, { position = ZERO_QUANTITY }: AdmissionContext): Quantity {
  const exposure = reducibleOf(side, position);
  if (exposure <= 0) throw new OrderError("REDUCE_ONLY_REJECTED", { field: "reduceOnly" });
  return exposure;
}

/** What the opening minimum also holds for, by the field that is to blame. */
const MINIMUM_OF = {
  quantity: "",
  icebergQty: " This holds for the display quantity, too: increase icebergQty.",
  intervalCount: " This holds for the smallest slice, too: send fewer slices with a smaller intervalCount.",
  volumeProfile: " This holds for the smallest slice, too: send fewer or more equal weights.",
} as const;

function openingPrice(
  intent: ParentIntent,
  { minimum, quote }: AdmissionContext,
  plan: SchedulePlan | undefined,
): Price {
  const admissionPrice = admissionPriceOf(intent, quote);
  if (admissionPrice === undefined) throw new OrderError("NO_DEPTH");
  const requireMinimum = (quantity: Quantity, field: keyof typeof MINIMUM_OF): void => {
    if (notionalOf(admissionPrice, quantity) >= minimum) return;
    const advice = MINIMUM_OF[field];
    throw new OrderError("FILTER_NOTIONAL", { field, minimum: formatNotional(minimum), advice });
  };
  requireMinimum(intent.quantity, "quantity");
  if (intent.icebergQuantity !== undefined) requireMinimum(intent.icebergQuantity, "icebergQty");
  if (plan !== undefined) {
    const isEven = TRAITS[intent.type].schedule === "even";
    requireMinimum(smallestSlice(plan, intent.quantity), isEven ? "intervalCount" : "volumeProfile");
  }
  return admissionPrice;
}

/**
 * Returns whether an order has passed the post-only check. Throws WOULD_MATCH if a post-only order crosses the counted
 * quote. A held order meets its first quote later.
 */
function isPosted(intent: ParentIntent, { quote, leg }: AdmissionContext): boolean {
  if (!TRAITS[intent.type].postOnly || intent.price === undefined) return false;
  if (quote === undefined || leg === "held") return false;
  const inside = { direction: limitDirection(intent.side), level: intent.price };
  if (meets(inside, quote[executableSide(intent.side)]))
    throw new OrderError("WOULD_MATCH", { field: "price" });
  return true;
}

/**
 * Returns the plan of a schedule accepted now; undefined for orders without one. Slices of weights from history that are
 * below the minimum are joined; those of the client's own weights are refused later. Throws the OrderError that refuses
 * it.
 */
export function planOf(
  intent: ParentIntent,
  context: Pick<AdmissionContext, "nowMs" | "profile" | "minimum" | "quote">,
): SchedulePlan | undefined {
  const { schedule, type } = intent;
  if (schedule === undefined) return undefined;
  const terms = { acceptedAtMs: context.nowMs, schedule };
  if (TRAITS[type].schedule === "even") {
    if (schedule.intervalCount === undefined)
      throw new OrderError("PARAMETER_MISSING", { field: "intervalCount" });
    return schedulePlan({ ...terms, count: schedule.intervalCount });
  }
  const { weights } = schedule;
  if (weights !== undefined) return schedulePlan({ ...terms, count: weights.length });
  if (context.profile === undefined) throw new OrderError("NO_VOLUME_HISTORY", { field: "volumeProfile" });
  const plan = schedulePlan({ ...terms, ...context.profile });
  const admissionPrice = admissionPriceOf(intent, context.quote);
  if (intent.reduceOnly || admissionPrice === undefined) return plan;
  return joinSmallSlices(plan, intent.quantity, leastQuantity(context.minimum, admissionPrice));
}

function checkIceberg({ quantity, icebergQuantity }: ParentIntent, maxParts: number): void {
  if (icebergQuantity === undefined) return;
  if (icebergQuantity > quantity) throw new OrderError("ICEBERG_EXCEEDS_QUANTITY", { field: "icebergQty" });
  if (maxParts > 0 && BigInt(icebergQuantity) * BigInt(maxParts) < BigInt(quantity)) {
    throw new OrderError("FILTER_ICEBERG_PARTS", { field: "icebergQty", limit: maxParts });
  }
}

function checkExpiry(intent: ParentIntent, wallMs: number): void {
  const hasExpiry = intent.expireTimeMs !== undefined;
  if (hasExpiry !== (intent.timeInForce === "GTD"))
    throw new OrderError("BAD_TIME_IN_FORCE", { field: "timeInForce" });
  if (intent.expireTimeMs !== undefined && intent.expireTimeMs <= wallMs) {
    throw new OrderError("INVALID_PARAMETER", {
      field: "expireTime",
      advice: adviceOn(intent.expireTimeMs, wallMs),
    });
  }
}

/** Tells how to correct an expiry that has passed, which one in seconds always has. */
function adviceOn(expireTimeMs: number, wallMs: number): string {
  const areSeconds = expireTimeMs * 1_000 > wallMs && expireTimeMs * 100 < wallMs;
  return areSeconds
    ? "Send the expiry in milliseconds; this looks like seconds."
    : "Send an expiry in the future, in epoch milliseconds.";
}

/**
 * Context of a list admission besides its legs. With `mustStraddle` the market must lie between the legs of an OCO.
 */
export interface ListAdmissionContext
  extends Pick<AdmissionContext, "nowMs" | "minimum" | "quote" | "position"> {
  readonly maxIcebergParts?: number;
  readonly mustStraddle?: boolean;
}

/**
 * Admits a whole list, or throws the OrderError that refuses it. The admissions are in the order of the legs (contract
 * "List creation rules").
 *
 *
 * @example
 * ```ts
 * import { type ListIntent, Notional } from "managed-orders";
 * import { admitList } from "managed-orders/rules";
 * const check = (list: ListIntent): number =>
 *   admitList(list, { nowMs: 1_760_000_000_000, minimum: Notional.parse("15") }).length;
 * ```
 */
export function admitList(list: ListIntent, context: ListAdmissionContext): readonly Admission[] {
  checkLegs(list);
  const { mustStraddle = false, ...shared } = context;
  const admissions = list.legs.map(({ role, intent }) => {
    const leg = list.contingency === "OCO" || role === "working" ? "active" : "held";
    return admit(intent, { ...shared, leg });
  });
  if (mustStraddle && list.contingency === "OCO" && list.kind === undefined) checkStraddle(list, context);
  return admissions;
}

/** Checks the levels of the two legs of a pair, in display order, as an amend would leave them. Throws BAD_PRICE_RELATION. */
export function checkAmendedPair(
  pair: readonly ParentIntent[],
  context: Pick<ListAdmissionContext, "quote"> & Readonly<{ mustStraddle: boolean | undefined }>,
): void {
  if (!isPair(pair))
    throw new OrderError("BAD_PRICE_RELATION", {
      advice: "The level of the upper leg must stay above that of the lower leg.",
    });
  if (context.mustStraddle) checkStraddle({ legs: pair.map((intent) => ({ intent })) }, context);
}

function checkStraddle(
  { legs }: Readonly<{ legs: readonly Readonly<{ intent: ParentIntent }>[] }>,
  { quote }: Pick<ListAdmissionContext, "quote">,
): void {
  if (quote === undefined) throw new OrderError("NO_DEPTH");
  const levels = legs.map(({ intent }) => levelOf(intent)).filter((level) => level !== undefined);
  const market = quote[executableSide(legs[0]?.intent.side ?? "BUY")];
  const above = levels.filter((level) => level > market).length;
  const below = levels.filter((level) => level < market).length;
  if (levels.length < 2 || (above === 1 && below === 1)) return;
  throw new OrderError("BAD_PRICE_RELATION", {
    advice: "The upper leg must be above the market, and the lower leg below it.",
  });
}
