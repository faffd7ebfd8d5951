import { formatScaled, PRICE_SCALE, parsePrice } from "../../decimal/index.ts";
import type { FieldName, KindName, Values } from "./ticket-table.ts";

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
