import {
  listOption,
  numberOption,
  type OptionCheck,
  optionalOption,
  optionsOf,
  textOption,
  uncheckedOption,
  wholeOption,
} from "../common/index.ts";
import {
  formatNotional,
  formatPrice,
  formatQuantity,
  notional,
  notionalOf,
  type Price,
  price,
  Quantity,
} from "../decimal/index.ts";
import { OrderError } from "../errors/index.ts";
import type { ParentIntent, SchedulePlan } from "../model/index.ts";
import { intentAsSent, type OrderFields } from "../requests/index.ts";
import {
  endsAtMs,
  type PlannedSlot,
  slotsOf,
  smallestSlice,
  type VolumeProfile,
} from "../schedules/index.ts";
import { executableSide, limitDirection, meets, trailingLevel } from "../triggers/index.ts";
import {
  type AdmissionContext,
  admissionPriceOf,
  admit,
  type BestPrices,
  DEFAULT_MINIMUM,
  planOf,
} from "./admission.ts";

/** The best prices of a market. */
export interface QuoteText {
  /** Best bid in USD, as a decimal string. */
  readonly bid: string;
  /** Best ask in USD, as a decimal string; not below the bid. */
  readonly ask: string;
}

/** What a client knows about the service and the market when it previews an order. Everything may be left out. */
export interface PreviewContext {
  /** The current quote. Without it, the preview is that of a market without a fresh quote. */
  readonly quote?: QuoteText;
  /** Now, in epoch milliseconds. An order with an expiry needs it. Slots count from it, else from 0. */
  readonly nowMs?: number;
  /** What the account holds of the base asset, as a decimal string with a minus for a short position; "0" by default. */
  readonly position?: string;
  /** The opening minimum of the service in USD; "15" by default. */
  readonly minimumNotional?: string;
  /** Most parts of an iceberg. 0, the default, means no limit. */
  readonly maxIcebergParts?: number;
  /** The service's volumes, for a VWAP without weights of its own. */
  readonly profile?: VolumeProfile;
}

/** A slot of a schedule, with its quantity as a decimal string. */
export type PreviewSlot = Readonly<Omit<PlannedSlot, "quantity"> & { quantity: string }>;

/**
 * The answer that a service would give to an order sent now: the refusal, if any. For a schedule also its slots, its
 * smallest slice and that slice's value for comparison with the minimum, and when the last slot closes (epoch
 * milliseconds). Prices, quantities and values are decimal strings, as in the order and in replies.
 */
export interface OrderPreview {
  readonly refusal?: OrderError;
  /** The price at which the minimum is checked, in USD. */
  readonly admissionPrice?: string;
  /** The opening minimum, in USD. */
  readonly minimum: string;
  readonly slots?: readonly PreviewSlot[];
  readonly smallestSlice?: string;
  /** In USD. Present only with an admission price. */
  readonly smallestSliceValue?: string;
  readonly endsAtMs?: number;
  /**
   * A warning: where the order fires, or would fire now, its quantity (of an iceberg: what it displays) is worth less than the
   * minimum, so that it would send nothing. `price` in USD; `value` there. Never present with `reduceOnly`, which has no
   * minimum.
   */
  readonly firesBelowMinimum?: Readonly<{ price: string; value: string }>;
}

/**
 * Previews an order before it is sent, with the code that reads and admits it on the server. An order without a client id
 * is previewed with a generated id, as the service does. Only the service knows permissions, its markets and the client ids
 * in use; and if its quote, time or volumes are newer, its answer can differ. Throws a TypeError that names a member of the
 * context that is unknown or cannot be read, and one for an order with an expiry if `nowMs` is missing. Source: contract
 * "Single-parent advanced creation" rules 1-4.
 *
 * @example
 * ```ts
 * import { previewOrder } from "managed-orders";
 * const stop = { symbol: "BTC/USD", side: "SELL", type: "TRAILING_STOP", trailingDelta: 250 } as const;
 * const quote = { bid: "60000", ask: "60001" };
 * console.log(previewOrder({ ...stop, quantity: "0.001" }, { quote }).refusal); // undefined
 * console.log(previewOrder({ ...stop, quantity: "0.0001" }, { quote }).refusal?.code); // -1013
 * ```
 */
export function previewOrder(fields: OrderFields, context: PreviewContext = {}): OrderPreview {
  const admission = admissionContextOf(context, "previewOrder");
  const minimum = formatNotional(admission.minimum);
  let intent: ParentIntent;
  try {
    intent = intentAsSent(fields, () => "generated");
  } catch (error) {
    return { refusal: refusalOf(error), minimum };
  }
  requireTime(intent, context, "previewOrder");
  const refusal = refusalIn(() => admit(intent, admission));
  const admissionPrice = admissionPriceOf(intent, admission.quote);
  const plan = planIfAny(intent, admission);
  const low = refusal === undefined ? firesBelowMinimum(intent, admission) : undefined;
  return {
    ...(refusal !== undefined && { refusal }),
    ...(admissionPrice !== undefined && { admissionPrice: formatPrice(admissionPrice) }),
    minimum,
    ...(plan !== undefined && previewPlan(plan, intent.quantity, admissionPrice)),
    ...(low !== undefined && { firesBelowMinimum: low }),
  };
}

/** Returns where an order fires below the minimum although it is admitted at another price. */
export function firesBelowMinimum(
  intent: ParentIntent,
  { quote, minimum }: AdmissionContext,
): OrderPreview["firesBelowMinimum"] {
  const price = intent.reduceOnly ? undefined : firingPriceOf(intent, quote);
  if (price === undefined) return undefined;
  const value = notionalOf(price, intent.icebergQuantity ?? intent.quantity);
  return value < minimum ? { price: formatPrice(price), value: formatNotional(value) } : undefined;
}

/** Returns the price at which an order fires if the market moves from here to its level; undefined if that is not known. */
function firingPriceOf({ side: of, ...intent }: ParentIntent, quote?: BestPrices): Price | undefined {
  const side = executableSide(of);
  const quoted = quote?.[side];
  if (intent.trailing !== undefined) {
    const reference = intent.stopPrice ?? quoted;
    return reference && trailingLevel({ side, reference, distance: intent.trailing });
  }
  if (intent.stopPrice !== undefined) return intent.stopPrice;
  const limit = intent.price;
  if (limit === undefined || quoted === undefined) return limit;
  return meets({ direction: limitDirection(of), level: limit }, quoted) ? quoted : limit;
}

const contextOption: OptionCheck = /* @__PURE__ */ (() => {
  const decimal = textOption("a decimal string");
  return optionsOf<PreviewContext>({
    quote: optionalOption(optionsOf<QuoteText>({ bid: decimal, ask: decimal })),
    nowMs: optionalOption(numberOption({}, " of milliseconds")),
    position: optionalOption(decimal),
    minimumNotional: optionalOption(decimal),
    maxIcebergParts: optionalOption(wholeOption({ from: 0 })),
    profile: optionalOption(
      optionsOf<VolumeProfile>({
        count: wholeOption({ from: 1 }),
        weights: listOption("the weights of a profile, as volumeProfile returns them", uncheckedOption),
      }),
    ),
  });
})();

/** Reads the context of a preview. Throws a TypeError that names a member which is unknown or cannot be read. */
export function admissionContextOf(context: PreviewContext, of: string): AdmissionContext {
  contextOption(context, of);
  const { quote, nowMs = 0, position = "0", minimumNotional = DEFAULT_MINIMUM, ...rest } = context;
  return {
    ...rest,
    nowMs,
    minimum: readText(`${of}.minimumNotional`, minimumNotional, notional),
    position: readText(`${of}.position`, position, Quantity.parseSigned),
    ...(quote !== undefined && { quote: quoteOf(quote, of) }),
  };
}

function quoteOf({ bid: bidText, ask: askText }: QuoteText, of: string): BestPrices {
  const [bid, ask] = [
    readText(`${of}.quote.bid`, bidText, price),
    readText(`${of}.quote.ask`, askText, price),
  ];
  if (bid <= ask) return { bid, ask };
  throw new TypeError(
    `${of}.quote.bid ${bidText} is above the ask ${askText}; the service does not count such a quote`,
  );
}

/** Reads an option. Throws a TypeError that names it. */
function readText<T>(option: string, text: string, parse: (text: string) => T): T {
  try {
    return parse(text);
  } catch (cause) {
    throw new TypeError(`${option}: ${cause instanceof Error ? cause.message : String(cause)}`, {
      cause,
    });
  }
}

/** Throws a TypeError if an order has an expiry and the time is missing. */
export function requireTime({ expireTimeMs }: ParentIntent, { nowMs }: PreviewContext, of: string): void {
  if (expireTimeMs === undefined || nowMs !== undefined) return;
  throw new TypeError(
    `${of}.nowMs is missing: without the time, the preview cannot check the order's expiry`,
  );
}

function previewPlan(
  plan: SchedulePlan,
  quantity: Quantity,
  admissionPrice: Price | undefined,
): Pick<OrderPreview, "slots" | "smallestSlice" | "smallestSliceValue" | "endsAtMs"> {
  const smallest = smallestSlice(plan, quantity);
  return {
    slots: [...slotsOf(plan, quantity)].map((slot) => ({ ...slot, quantity: formatQuantity(slot.quantity) })),
    smallestSlice: formatQuantity(smallest),
    ...(admissionPrice !== undefined && {
      smallestSliceValue: formatNotional(notionalOf(admissionPrice, smallest)),
    }),
    endsAtMs: endsAtMs(plan),
  };
}

function planIfAny(intent: ParentIntent, context: AdmissionContext): SchedulePlan | undefined {
  let plan: SchedulePlan | undefined;
  refusalIn(() => {
    plan = planOf(intent, context);
  });
  return plan;
}

/** Returns the refusal of an attempt, if there is one. */
export function refusalIn(attempt: () => unknown): OrderError | undefined {
  try {
    attempt();
    return undefined;
  } catch (error) {
    return refusalOf(error);
  }
}

/** Returns an error that the service would answer. Throws any other. */
function refusalOf(error: unknown): OrderError {
  if (error instanceof OrderError) return error;
  throw error;
}
