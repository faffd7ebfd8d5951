import { formatPrice, formatQuantity, type Price, type Quantity } from "../decimal/index.ts";
import type {
  AmendedTerms,
  ChildTimeInForce,
  ParentIntent,
  ParentType,
  ScheduleKind,
  ScheduleTerms,
  Side,
  TimeInForce,
  TrailingDistance,
} from "../model/index.ts";
import type { OrderFields } from "./orders.ts";
import {
  basisPointsRule,
  CREATED_ID,
  EXPIRY,
  expiryRule,
  type Field,
  type FieldRule,
  type FieldTerms,
  FLAG,
  flag,
  intervalCountRule,
  intervalDelayRule,
  intervalRule,
  newClientIdRule,
  offsetRule,
  only,
  optionalField,
  participationRule,
  percentRule,
  preset,
  priceRule,
  QUANTITY,
  quantityRule,
  textRule,
  USD,
  weightsRule,
  words,
} from "./rule.ts";

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
 * A field of an order. `rule` reads its value. The rule includes `optionalField` or a default if every order takes the
 * field, and neither if the type decides. A field without a rule selects the type or belongs to native orders.
 */
type OrderField = Field &
  Readonly<{
    rule?: FieldRule<unknown>;
    /** Rules by kind of schedule, in place of `rule`. */
    schedules?: Readonly<Partial<Record<ScheduleKind, FieldRule<unknown>>>>;
    /** Whether a leg that trails may have the field in place of its stop price. */
    trailsLeg?: true;
  }>;

type Terms = FieldTerms & Omit<OrderField, keyof Field>;

const text = (terms: Terms): OrderField => ({ kind: "text", ...terms });
const decimal = (terms: Terms): OrderField => ({ kind: "decimal", ...terms });
const natural = (terms: Terms): OrderField => ({ kind: "natural", ...terms });
const boolean = (terms: Terms): OrderField => ({ kind: "boolean", ...terms });

const MINUTE_MS = 60_000;

/** Returns the names of the fields of every member of a union. */
type NamesOf<T> = T extends unknown ? keyof T : never;

/** Names of the fields of an order: those of the contract, and the public convention's field for orders by amount. */
export type OrderFieldName = NamesOf<OrderFields> | "quoteOrderQty";

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
    about: "Side of the order.",
    example: "BUY",
    rule: words("BUY", "SELL"),
  }),
  type: text({
    legal: "Send the order type as a string.",
    about: "Order type. Some types have several names.",
    example: "SYNTHETIC_LIMIT",
  }),
  quantity: decimal({
    ...QUANTITY,
    about: "Quantity of the base asset to trade.",
    example: "0.25",
    rule: quantityRule,
  }),
  price: decimal({
    ...USD,
    about: "Worst price in USD: the maximum to pay, or the minimum to accept.",
    example: "64000.5",
    rule: priceRule,
  }),
  stopPrice: decimal({
    ...USD,
    about: "Price in USD that triggers the order, or at which a trailing order begins to trail.",
    example: "63000",
    rule: priceRule,
  }),
  trailingDelta: natural({
    legal: "Send basis points as a whole number from 1 to 9999.",
    about: "Trailing distance of the trigger in basis points.",
    example: 250,
    rule: basisPointsRule,
    trailsLeg: true,
  }),
  price2: decimal({
    legal: "Send a percentage as a decimal string above 0 and below 100, with at most 8 decimals.",
    about: "Trailing distance of the trigger in percent.",
    example: "2.5",
    rule: percentRule,
  }),
  trailingAmount: decimal({
    ...USD,
    about: "Trailing distance of the trigger in USD.",
    example: "800",
    rule: priceRule,
  }),
  limitOffset: decimal({
    legal: "Send a decimal string of 0 or more with at most 8 decimals.",
    about: "Distance from the trigger price to the limit, in USD.",
    example: "25",
    rule: offsetRule,
  }),
  timeInForce: text({
    legal: "Use GTC or GTD; for a plain LIMIT use GTC, IOC or FOK.",
    invalid: "BAD_TIME_IN_FORCE",
    about: "Time in force of the order. Default: GTD if an expiry is sent, else GTC.",
    example: "GTC",
    rule: optionalField(words("GTC", "GTD")),
  }),
  expireTime: natural({
    ...EXPIRY,
    about: "Expiry of the order. An expiry makes the order GTD.",
    example: 1_790_000_000_000,
    rule: optionalField(expiryRule),
  }),
  goodTillDate: natural({
    ...EXPIRY,
    about: "Another name for expireTime. Both may be sent if they are equal.",
    example: 1_790_000_000_000,
    rule: optionalField(expiryRule),
  }),
  reduceOnly: boolean({
    ...FLAG,
    about: "Whether the order may only reduce a position.",
    example: false,
    rule: preset(flag, false),
  }),
  childTimeInForce: text({
    legal: "Use IOC or FOK.",
    about: "Time in force of each child order.",
    example: "IOC",
    rule: preset(words("IOC", "FOK"), "IOC"),
  }),
  newClientOrderId: text({
    ...CREATED_ID,
    about: "Client id of the order. Default: an id derived from the signature.",
    example: "entry-1",
    rule: newClientIdRule,
  }),
  apiManaged: boolean({
    legal: "Send true.",
    about:
      "Makes a LIMIT a managed order if true. Also required to page through or cancel all managed orders.",
    example: true,
    rule: optionalField(only(true)),
  }),
  icebergQty: decimal({
    ...QUANTITY,
    about: "Maximum quantity that is shown and sent at once; at most the quantity of the order.",
    example: "0.125",
    rule: quantityRule,
  }),
  targetStrategy: natural({
    legal: "Send 180, 1000002 or 1000004.",
    invalid: "BAD_STRATEGY",
    about:
      "Turns a LIMIT into a schedule that keeps its limit price: 180 for TWAP, 1000002 for VWAP, 1000004 for POV.",
    example: 180,
  }),
  intervalDelay: natural({
    legal: "Send a whole number of milliseconds from 0 to 604800000.",
    about: "Delay before the first slot in milliseconds.",
    example: 5_000,
    schedules: { even: optionalField(intervalDelayRule), volume: optionalField(intervalDelayRule) },
  }),
  interval: natural({
    legal: "Send a whole number of milliseconds from 1000 to 86400000.",
    invalid: "BAD_INTERVAL",
    about: "Length of one slot of the schedule in milliseconds.",
    example: 60_000,
    schedules: { even: intervalRule, volume: preset(intervalRule, MINUTE_MS) },
  }),
  intervalCount: natural({
    legal: "Send a whole number from 2 to 10000.",
    about: "Number of slots of the schedule. With volumeProfile, it must equal the number of weights.",
    example: 3,
    schedules: { even: intervalCountRule, volume: optionalField(intervalCountRule) },
  }),
  volumeProfile: text({
    legal: "Send 2 to 10000 weights separated by commas, at least one of them above 0.",
    about: "Weights of the slots of a VWAP. They replace weights from the service's own volumes.",
    example: "1,0,2",
    schedules: { volume: optionalField(weightsRule) },
  }),
  participationBips: natural({
    legal: "Send basis points as a whole number from 1 to 10000.",
    about: "Share of the executed volume in basis points.",
    example: 1_000,
    rule: participationRule,
  }),
  quoteOrderQty: decimal({
    ...USD,
    about: "Amount of USD to spend or receive, instead of a quantity.",
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
  /** Whether an amend may change the member. */
  isAmendable?: true;
}>;

/** The table of an intent's members, in the order of its canonical text. */
export const INTENT_MEMBERS: {
  readonly [K in keyof ParentIntent]-?: IntentMember<NonNullable<ParentIntent[K]>> &
    (K extends keyof AmendedTerms ? Readonly<{ isAmendable: true }> : unknown);
} = {
  symbol: { of: ["symbol"] },
  side: { of: ["side"] },
  type: { of: ["type"] },
  quantity: { of: ["quantity"], isAmendable: true, text: formatQuantity },
  price: { of: ["price"], isAmendable: true, text: formatPrice },
  stopPrice: { of: ["stopPrice"], isAmendable: true, text: formatPrice },
  trailing: { of: ["trailingDelta", "price2", "trailingAmount"], isAmendable: true, text: trailingText },
  limitOffset: { of: ["limitOffset"], isAmendable: true, text: formatPrice },
  icebergQuantity: { of: ["icebergQty"], isAmendable: true, text: formatQuantity },
  schedule: { of: ["intervalDelay", "interval", "intervalCount", "volumeProfile"], text: scheduleTexts },
  participationBips: { of: ["participationBips"] },
  timeInForce: { of: ["timeInForce"] },
  expireTimeMs: { of: ["expireTime", "goodTillDate"], isAmendable: true },
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
