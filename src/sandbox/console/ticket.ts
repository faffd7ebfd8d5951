import { formatScaled, PRICE_SCALE, parsePrice } from "../../decimal/index.ts";

/** What a person may enter for an order, by the name of the field. */
export type Values = Readonly<Record<string, string>>;

/** A field of the order form. */
export type Field = Readonly<{
  label: string;
  kind: "choice" | "decimal" | "whole" | "text" | "check";
  /** `BASE` stands for the base asset of the market. */
  unit?: string;
  choices?: readonly (readonly [value: string, label: string])[];
}>;

/** Every field of the form. The names of prices and quantities of lists begin with the leg. */
export const FIELDS = {
  side: {
    label: "Side",
    kind: "choice",
    choices: [
      ["SELL", "Sell"],
      ["BUY", "Buy"],
    ],
  },
  quantity: { label: "Quantity", kind: "decimal", unit: "BASE" },
  price: { label: "Limit price", kind: "decimal", unit: "USD" },
  stopPrice: { label: "Stop price", kind: "decimal", unit: "USD" },
  profitPrice: { label: "Take profit at", kind: "decimal", unit: "USD" },
  gate: { label: "Trail only from this price on", kind: "decimal", unit: "USD" },
  trail: { label: "Distance", kind: "decimal" },
  trailBy: {
    label: "Distance in",
    kind: "choice",
    choices: [
      ["bps", "basis points"],
      ["percent", "percent"],
      ["amount", "USD"],
    ],
  },
  limitOffset: { label: "Limit beyond the trigger", kind: "decimal", unit: "USD" },
  icebergQty: { label: "Shown at once", kind: "decimal", unit: "BASE" },
  slots: { label: "Slots", kind: "whole" },
  seconds: { label: "Length of a slot", kind: "whole", unit: "s" },
  delaySeconds: { label: "Begin after", kind: "whole", unit: "s" },
  volumeProfile: { label: "Weights of the slots", kind: "text" },
  participationBips: { label: "Share of the volume", kind: "whole", unit: "bps" },
  cap: { label: "Worst price", kind: "decimal", unit: "USD" },
  entryPrice: { label: "Entry at", kind: "decimal", unit: "USD" },
  minutes: { label: "Expire after", kind: "whole", unit: "min" },
  childTimeInForce: {
    label: "Each part that is sent",
    kind: "choice",
    choices: [
      ["", "IOC: as much as possible"],
      ["FOK", "FOK: all or nothing"],
    ],
  },
  reduceOnly: { label: "Only make a position smaller", kind: "check" },
  clientId: { label: "Your id of the order", kind: "text" },
} as const;

/** The name of a field. */
export type FieldName = keyof typeof FIELDS;

/**
 * Every kind of order that the form offers, in its order: a type of the contract, or the form of a list. `needs` and `may`:
 * the fields that it has beside those of {@link fieldsOf}.
 */
export const KINDS = {
  TRAILING_STOP_MARKET: {
    label: "Trailing stop",
    group: "Triggers",
    description: "Follows the market at a distance and trades when the market turns back by it.",
    needs: ["trail", "trailBy"],
    may: ["gate"],
  },
  TRAILING_STOP_LIMIT: {
    label: "Trailing stop-limit",
    group: "Triggers",
    description: "A trailing stop whose limit follows the trigger.",
    needs: ["trail", "trailBy", "limitOffset"],
    may: ["gate", "icebergQty"],
  },
  STOP_MARKET: {
    label: "Stop",
    group: "Triggers",
    description: "Trades at the market once the price has moved against you to the stop price.",
    needs: ["stopPrice"],
    may: [],
  },
  STOP_LOSS_LIMIT: {
    label: "Stop-limit",
    group: "Triggers",
    description: "A stop that trades at its limit price or better.",
    needs: ["stopPrice", "price"],
    may: ["icebergQty"],
  },
  TAKE_PROFIT_MARKET: {
    label: "Take-profit",
    group: "Triggers",
    description: "Trades at the market once the price has moved your way to the stop price.",
    needs: ["stopPrice"],
    may: [],
  },
  TAKE_PROFIT_LIMIT: {
    label: "Take-profit limit",
    group: "Triggers",
    description: "A take-profit that trades at its limit price or better.",
    needs: ["stopPrice", "price"],
    may: ["icebergQty"],
  },
  SYNTHETIC_LIMIT: {
    label: "Persistent limit",
    group: "Limits",
    description: "Waits until the market reaches its price, and trades there or better.",
    needs: ["price"],
    may: ["icebergQty"],
  },
  LIMIT_MAKER: {
    label: "Post-only",
    group: "Limits",
    description: "A limit that is refused if the first quote would already match it.",
    needs: ["price"],
    may: [],
  },
  ICEBERG: {
    label: "Iceberg",
    group: "Limits",
    description: "A limit that shows, and sends, only a part of its quantity at a time.",
    needs: ["price", "icebergQty"],
    may: [],
  },
  TWAP: {
    label: "TWAP",
    group: "Schedules",
    description: "Spreads the quantity evenly over slots of time.",
    needs: ["slots", "seconds"],
    may: ["cap", "delaySeconds"],
  },
  VWAP: {
    label: "VWAP",
    group: "Schedules",
    description: "Spreads the quantity over slots by weight: yours, or the volume of the past.",
    needs: ["slots", "seconds", "volumeProfile"],
    may: ["cap", "delaySeconds"],
  },
  POV: {
    label: "POV",
    group: "Schedules",
    description: "Trades a share of the volume that others execute.",
    needs: ["participationBips"],
    may: ["cap"],
  },
  OTOCO: {
    label: "Bracket (OTOCO)",
    group: "Lists",
    description:
      "An entry that, when it is filled, releases a take-profit and a stop. Only one of them executes.",
    needs: ["entryPrice", "profitPrice", "stopPrice"],
    may: [],
  },
  OCO: {
    label: "Profit or stop (OCO)",
    group: "Lists",
    description: "A take-profit and a stop. When one executes, the other is canceled.",
    needs: ["profitPrice", "stopPrice"],
    may: [],
  },
  OTO: {
    label: "Entry, then stop (OTO)",
    group: "Lists",
    description: "An entry that, when it is filled, releases a stop on the other side.",
    needs: ["entryPrice", "stopPrice"],
    may: [],
  },
} as const;

/** The name of a kind of order. */
export type KindName = keyof typeof KINDS;

/** Returns the fields that a kind of order needs, and those that it may have. */
export function fieldsOf(
  kind: KindName,
): Readonly<{ needs: readonly FieldName[]; may: readonly FieldName[] }> {
  const { needs, may } = KINDS[kind];
  const own: readonly FieldName[] = isList(kind) ? [] : ["minutes", "childTimeInForce", "reduceOnly"];
  return { needs: ["side", "quantity", ...needs], may: [...may, ...own, "clientId"] };
}

/** The kinds that are offered with one click. */
export const QUICK: readonly KindName[] = ["TRAILING_STOP_MARKET", "TWAP", "ICEBERG", "OTOCO"];

/** Returns whether a kind is a list, which has no preview. */
export const isList = (kind: KindName): boolean => KINDS[kind].group === "Lists";

/** Returns the kind of a text from the page, or the first one. */
export function kindOf(text: string): KindName {
  return Object.hasOwn(KINDS, text) ? (text as KindName) : "TRAILING_STOP_MARKET";
}

/** The best prices of a market, as the service tells them. */
export type BestQuote = Readonly<{ bid: string; ask: string }>;

/** Distances in basis points that a synthetic market usually walks within half a minute. */
const NEAR_BPS = 5;
const FAR_BPS = 8;
const NEAR_BPS_EXACT = BigInt(NEAR_BPS);
const TRAIL_BPS = 6n;
const BASIS_POINTS = 10_000n;
/** Steps of a price to which defaults are rounded: a cent, or a millionth below ten dollars. */
const CENT = 1_000_000n;
const MILLIONTH = 100n;
const TEN_DOLLARS = 1_000_000_000n;
/** The value that an order has by default, in steps of a price. */
const ORDER_VALUE = 600n * 100_000_000n;
const QUANTITY_STEPS = 1_000_000n;
/** Orders that are sent in parts are larger, so that each part has more than the minimum value. */
const IN_PARTS: ReadonlySet<KindName> = new Set(["TWAP", "VWAP", "POV", "ICEBERG"]);
const PARTS = 5n;

const stepsOf = (text: string): bigint => BigInt(parsePrice(text) ?? 0);

/** Returns a price moved by basis points, rounded as a person would write it. */
export function moved(text: string, bps: number): string {
  const steps = stepsOf(text);
  return rounded(steps + (steps * BigInt(bps)) / BASIS_POINTS);
}

function rounded(exact: bigint): string {
  const unit = exact < TEN_DOLLARS ? MILLIONTH : CENT;
  return formatScaled((exact / unit) * unit, PRICE_SCALE);
}

/** Returns a quantity of two significant digits that is worth about what an order has by default. */
function quantityOf(price: string, parts: bigint): string {
  const steps = stepsOf(price);
  if (steps === 0n) return "";
  const exact = (ORDER_VALUE * parts * QUANTITY_STEPS) / steps;
  const unit = 10n ** BigInt(Math.max(0, exact.toString().length - 2));
  return formatScaled(((exact + unit / 2n) / unit) * unit, 6);
}

/** Whether the price that matters is above the market for a side: +1 or -1. */
const AWAY: Readonly<Partial<Record<KindName, 1 | -1>>> = {
  STOP_MARKET: -1,
  STOP_LOSS_LIMIT: -1,
  TAKE_PROFIT_MARKET: 1,
  TAKE_PROFIT_LIMIT: 1,
};

/**
 * Returns what the form of a kind begins with: prices near the live ones, so that something happens within a minute, and
 * a quantity of some hundred dollars.
 */
export function defaultsOf(
  kind: KindName,
  side: "BUY" | "SELL",
  quote: BestQuote | undefined,
  trailBy = "bps",
): Readonly<Partial<Record<FieldName, string>>> {
  const fixed = {
    side,
    trail: trailOf(trailBy, quote),
    trailBy,
    slots: "5",
    seconds: "4",
    participationBips: "1000",
  };
  if (quote === undefined) return fixed;
  const market = side === "SELL" ? quote.bid : quote.ask;
  const outward = side === "SELL" ? 1 : -1;
  const quantity = quantityOf(market, IN_PARTS.has(kind) ? PARTS : 1n);
  const trigger = moved(market, outward * (AWAY[kind] ?? -1) * FAR_BPS);
  return {
    ...fixed,
    quantity,
    icebergQty: quantityOf(market, 1n),
    volumeProfile: "1,2,3,2,1",
    limitOffset: rounded((stepsOf(market) * NEAR_BPS_EXACT) / BASIS_POINTS),
    ...pricesOf(kind, { market, outward, trigger }),
  };
}

/** Returns about the same distance in each unit. */
function trailOf(trailBy: string, quote: BestQuote | undefined): string {
  if (trailBy === "percent") return formatScaled(TRAIL_BPS, 2);
  if (trailBy === "bps") return String(TRAIL_BPS);
  return quote === undefined ? "" : rounded((stepsOf(quote.bid) * TRAIL_BPS) / BASIS_POINTS);
}

type Around = Readonly<{ market: string; outward: 1 | -1; trigger: string }>;

function pricesOf(kind: KindName, { market, outward, trigger }: Around): Values {
  // An entry waits on the favorable side of the market, and its exits surround it.
  if (kind === "OTOCO" || kind === "OTO") {
    const entryPrice = moved(market, outward * 2);
    return {
      entryPrice,
      profitPrice: moved(entryPrice, -outward * FAR_BPS),
      stopPrice: moved(entryPrice, outward * FAR_BPS),
    };
  }
  if (kind === "OCO")
    return { profitPrice: moved(market, outward * FAR_BPS), stopPrice: moved(market, -outward * FAR_BPS) };
  // An iceberg trades at once, so that its parts can be seen.
  const price = kind === "ICEBERG" ? moved(market, -outward * NEAR_BPS) : moved(market, outward * NEAR_BPS);
  return {
    price: trigger !== "" && kind in AWAY ? moved(trigger, -outward * NEAR_BPS) : price,
    stopPrice: trigger,
  };
}
