import { formatPrice, formatQuantity, type Price, type Quantity } from "../decimal/index.ts";
import type {
  ChildTimeInForce,
  OrderTypeAlias,
  ParentIntent,
  ParentType,
  ScheduleKind,
  ScheduleTerms,
  Side,
  TimeInForce,
  TrailingDistance,
} from "../model/index.ts";
import { CREATED_ID, EXPIRY, type Field, type FieldTerms, FLAG, QUANTITY, USD } from "./field.ts";
import {
  basisPointsRule,
  expiryRule,
  intervalCountRule,
  intervalDelayRule,
  intervalRule,
  newClientIdRule,
  offsetRule,
  participationRule,
  percentRule,
  priceRule,
  quantityRule,
  textRule,
  weightsRule,
} from "./field-rules.ts";
import { flag, only, optional, preset, type Rule, words } from "./rule.ts";

/**
 * An order in the contract's input fields: decimals and weights as strings; times, ids, counts and basis points as
 * numbers. `symbol` is canonical. Source: contract, Order input fields.
 */
export type OrderFields = Readonly<{
  symbol: string;
  side: Side;
  type: ParentType | OrderTypeAlias;
  quantity: string;
  price?: string;
  stopPrice?: string;
  trailingDelta?: number;
  price2?: string;
  trailingAmount?: string;
  limitOffset?: string;
  icebergQty?: string;
  /** With type LIMIT: 180 TWAP, 1000002 VWAP, 1000004 POV, capped by the price. */
  targetStrategy?: number;
  /** Milliseconds. */
  interval?: number;
  intervalCount?: number;
  /** Milliseconds. */
  intervalDelay?: number;
  /** Comma-separated weights, one per interval. */
  volumeProfile?: string;
  participationBips?: number;
  /** GTX and POST_ONLY make a LIMIT a LIMIT_MAKER. */
  timeInForce?: TimeInForce | "GTX" | "POST_ONLY";
  /** Epoch milliseconds. */
  expireTime?: number;
  /** Alias of expireTime. */
  goodTillDate?: number;
  reduceOnly?: boolean;
  childTimeInForce?: ChildTimeInForce;
  apiManaged?: boolean;
  newClientOrderId?: string;
}>;

/** The values of an order's fields, each read by itself. Their combination is not checked yet. */
export type OrderFieldValues = Readonly<{
  type: ParentType;
  symbol: string;
  side: Side;
  quantity: Quantity;
  timeInForce?: TimeInForce | undefined;
  expireTime?: number | undefined;
  goodTillDate?: number | undefined;
  reduceOnly: boolean;
  childTimeInForce: ChildTimeInForce;
  newClientOrderId: string;
  price?: Price | undefined;
  stopPrice?: Price | undefined;
  trailingDelta?: number | undefined;
  price2?: Price | undefined;
  trailingAmount?: Price | undefined;
  limitOffset?: Price | undefined;
  icebergQty?: Quantity | undefined;
  interval?: number | undefined;
  intervalCount?: number | undefined;
  intervalDelay?: number | undefined;
  volumeProfile?: readonly number[] | undefined;
  participationBips?: number | undefined;
}>;

/**
 * A field of an order. `rule` reads its value. The rule includes `optional` or a default if every order takes the
 * field, and neither if the type decides. A field without a rule selects the type or belongs to native orders.
 */
export type OrderField = Field &
  Readonly<{
    rule?: Rule<unknown>;
    /** Rules by kind of schedule, in place of `rule`. */
    schedules?: Readonly<Partial<Record<ScheduleKind, Rule<unknown>>>>;
    /** Whether a leg that trails may have the field in place of its stop price (decision 18). */
    trailsLeg?: true;
  }>;

type Terms = FieldTerms & Omit<OrderField, keyof Field>;

const text = (terms: Terms): OrderField => ({ kind: "text", ...terms });
const decimal = (terms: Terms): OrderField => ({ kind: "decimal", ...terms });
const natural = (terms: Terms): OrderField => ({ kind: "natural", ...terms });
const boolean = (terms: Terms): OrderField => ({ kind: "boolean", ...terms });

const MINUTE_MS = 60_000;

/** Names of the fields of an order: those of the contract, and the public convention's field for orders by amount. */
export type OrderFieldName = keyof OrderFields | "quoteOrderQty";

/** The table of an order's fields (contract, Order input fields). */
export const ORDER_FIELDS: Readonly<Record<OrderFieldName, OrderField>> = {
  symbol: text({
    legal: "Send the symbol as a string.",
    about: "Symbol of the market, as exchangeInfo lists it.",
    example: "BTC/USD",
    rule: textRule,
  }),
  side: text({
    legal: "Use BUY or SELL.",
    invalid: "BAD_SIDE",
    about: "Which way the order trades.",
    example: "BUY",
    rule: words("BUY", "SELL"),
  }),
  type: text({
    legal: "Send the order type as a string.",
    about: "What kind of order it is; some go by several names.",
    example: "SYNTHETIC_LIMIT",
  }),
  quantity: decimal({
    ...QUANTITY,
    about: "How much of the base asset to trade.",
    example: "0.25",
    rule: quantityRule,
  }),
  price: decimal({
    ...USD,
    about: "Worst price in USD: the most to pay, or the least to take.",
    example: "64000.5",
    rule: priceRule,
  }),
  stopPrice: decimal({
    ...USD,
    about: "Price in USD that triggers the order, or from which a trailing one follows.",
    example: "63000",
    rule: priceRule,
  }),
  trailingDelta: natural({
    legal: "Send basis points as a whole number from 1 to 9999.",
    about: "How far the trigger trails, in basis points.",
    example: 250,
    rule: basisPointsRule,
    trailsLeg: true,
  }),
  price2: decimal({
    legal: "Send a percentage as a decimal string above 0 and below 100, with at most 8 decimals.",
    about: "How far the trigger trails, in percent.",
    example: "2.5",
    rule: percentRule,
  }),
  trailingAmount: decimal({
    ...USD,
    about: "How far the trigger trails, in USD.",
    example: "800",
    rule: priceRule,
  }),
  limitOffset: decimal({
    legal: "Send a decimal string of 0 or more with at most 8 decimals.",
    about: "How far beyond the trigger the limit is set, in USD.",
    example: "25",
    rule: offsetRule,
  }),
  timeInForce: text({
    legal: "Use GTC or GTD; GTC, IOC or FOK on a plain LIMIT.",
    invalid: "BAD_TIME_IN_FORCE",
    about: "How long the order lives; without it GTD when an expiry is sent, else GTC.",
    example: "GTC",
    rule: optional(words("GTC", "GTD")),
  }),
  expireTime: natural({
    ...EXPIRY,
    about: "When the order ends by itself; it makes the order GTD.",
    example: 1_790_000_000_000,
    rule: optional(expiryRule),
  }),
  goodTillDate: natural({
    ...EXPIRY,
    about: "Another name of expireTime; both may be sent when they agree.",
    example: 1_790_000_000_000,
    rule: optional(expiryRule),
  }),
  reduceOnly: boolean({
    ...FLAG,
    about: "Whether the order may only make a position smaller.",
    example: false,
    rule: preset(flag, false),
  }),
  childTimeInForce: text({
    legal: "Use IOC or FOK.",
    about: "How each child is sent to the market.",
    example: "IOC",
    rule: preset(words("IOC", "FOK"), "IOC"),
  }),
  newClientOrderId: text({
    ...CREATED_ID,
    about: "Your id of the order; without it one is made of the signature.",
    example: "entry-1",
    rule: newClientIdRule,
  }),
  apiManaged: boolean({
    legal: "Send true; in JSON without quotes.",
    about: "True makes a LIMIT a managed order, and is needed to page or cancel all of them.",
    example: true,
    rule: optional(only(true)),
  }),
  icebergQty: decimal({
    ...QUANTITY,
    about: "How much is shown, and sent, at once; at most the quantity.",
    example: "0.125",
    rule: quantityRule,
  }),
  targetStrategy: natural({
    legal: "Send 180, 1000002 or 1000004.",
    invalid: "BAD_STRATEGY",
    about: "Makes a LIMIT a schedule under its price: 180 TWAP, 1000002 VWAP, 1000004 POV.",
    example: 180,
  }),
  intervalDelay: natural({
    legal: "Send milliseconds from 0 to 604800000.",
    about: "Milliseconds before the first slot.",
    example: 5_000,
    schedules: { even: optional(intervalDelayRule), volume: optional(intervalDelayRule) },
  }),
  interval: natural({
    legal: "Send milliseconds from 1000 to 86400000.",
    invalid: "BAD_INTERVAL",
    about: "Milliseconds of one slot of the schedule.",
    example: 60_000,
    schedules: { even: intervalRule, volume: preset(intervalRule, MINUTE_MS) },
  }),
  intervalCount: natural({
    legal: "Send a whole number from 2 to 10000.",
    about: "Slots of the schedule; with volumeProfile it is the number of weights.",
    example: 3,
    schedules: { even: intervalCountRule, volume: optional(intervalCountRule) },
  }),
  volumeProfile: text({
    legal: "Send 2 to 10000 weights, one of them above 0, separated by commas.",
    about: "Weights of the slots of a VWAP, in place of the service's own volumes.",
    example: "1,0,2",
    schedules: { volume: optional(weightsRule) },
  }),
  participationBips: natural({
    legal: "Send basis points as a whole number from 1 to 10000.",
    about: "Share of the executed volume, in basis points.",
    example: 1_000,
    rule: participationRule,
  }),
  quoteOrderQty: decimal({
    ...USD,
    about: "Amount of USD to spend or receive, in place of a quantity.",
    example: "500",
  }),
};

/**
 * A member of an intent: the fields it comes from, and its form in the canonical text. Without `text` the value is
 * written unchanged.
 */
export type IntentMember<T> = Readonly<{
  of: readonly [keyof OrderFieldValues, ...(keyof OrderFieldValues)[]];
  text?: (value: T) => unknown;
  /** Whether the member only names the order. Such a member is not part of the canonical text. */
  isName?: true;
}>;

/** The table of an intent's members, in the order of its canonical text. */
export const INTENT_MEMBERS: {
  readonly [K in keyof ParentIntent]-?: IntentMember<NonNullable<ParentIntent[K]>>;
} = {
  symbol: { of: ["symbol"] },
  side: { of: ["side"] },
  type: { of: ["type"] },
  quantity: { of: ["quantity"], text: formatQuantity },
  price: { of: ["price"], text: formatPrice },
  stopPrice: { of: ["stopPrice"], text: formatPrice },
  trailing: { of: ["trailingDelta", "price2", "trailingAmount"], text: trailingText },
  limitOffset: { of: ["limitOffset"], text: formatPrice },
  icebergQuantity: { of: ["icebergQty"], text: formatQuantity },
  schedule: { of: ["intervalDelay", "interval", "intervalCount", "volumeProfile"], text: scheduleTexts },
  participationBips: { of: ["participationBips"] },
  timeInForce: { of: ["timeInForce"] },
  expireTimeMs: { of: ["expireTime", "goodTillDate"] },
  reduceOnly: { of: ["reduceOnly"] },
  childTimeInForce: { of: ["childTimeInForce"] },
  clientOrderId: { of: ["newClientOrderId"], isName: true },
};

function trailingText(trailing: TrailingDistance): string {
  switch (trailing.kind) {
    case "bps":
      return `${trailing.bps} bps`;
    case "percent":
      return `${formatPrice(trailing.percent)} %`;
    case "amount":
      return `${formatPrice(trailing.amount)} USD`;
  }
}

function scheduleTexts({
  intervalMs,
  intervalCount,
  intervalDelayMs,
  weights,
}: ScheduleTerms): readonly unknown[] {
  return [intervalMs, intervalCount ?? null, intervalDelayMs, weights ?? null];
}
