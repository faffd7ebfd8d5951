import type { Random } from "../../../src/common/random.ts";
import type { OrderFields, Orders } from "../../../src/requests/index.ts";

type Own<T> = T extends OrderFields ? Omit<T, keyof Orders.Sized | "symbol"> : never;

/** The fields of an order that its type decides. */
type Fields = Own<OrderFields>;

/**
 * Formats a price as text, every second time rounded to a whole number: a market that moves in large steps meets it
 * exactly.
 */
export const levelOf = (price: number): string => price.toFixed(Math.floor(price * 1_000) % 2 === 0 ? 0 : 4);

/** Returns the fields of an order that waits for a trigger. */
export function randomTriggers(random: Random): Fields {
  const level = (low: number, span: number): string => levelOf(low + random.next() * span);
  const distance = random.pick([
    { trailingDelta: 50 + random.below(800) },
    { price2: "1.5" },
    { trailingAmount: level(1, 6) },
  ]);
  const gate = random.chance(0.5) ? { stopPrice: level(85, 30) } : {};
  return random.pick([
    { type: "STOP_MARKET", stopPrice: level(80, 45) },
    { type: "STOP_LOSS_LIMIT", stopPrice: level(80, 45), price: level(80, 45) },
    { type: "TAKE_PROFIT_MARKET", stopPrice: level(80, 45) },
    { type: "TAKE_PROFIT_LIMIT", stopPrice: level(80, 45), price: level(80, 45), icebergQty: "0.7" },
    { type: "TRAILING_STOP_MARKET", ...distance, ...gate },
    { type: "TRAILING_STOP_LIMIT", ...distance, ...gate, limitOffset: level(0, 2) },
    { type: "TRAILING_STOP_LIMIT", ...distance, ...gate, price: level(80, 45) },
  ] as const);
}

/**
 * Returns the fields of an order that follows a plan or the volume. Each ends within two minutes of trading, or
 * expires.
 */
function randomSchedule(random: Random, nowMs: number): Fields {
  const plan = {
    interval: 1_000 + random.below(5_000),
    intervalDelay: random.below(2) * random.below(5_000),
  };
  const expiry = { expireTime: nowMs + 1_000 + random.below(60_000) };
  const price = levelOf(80 + random.next() * 45);
  return random.pick([
    { type: "TWAP", ...plan, intervalCount: 2 + random.below(4) },
    { type: "LIMIT", targetStrategy: 180, price, ...plan, intervalCount: 2 + random.below(4) },
    { type: "VWAP", ...plan, volumeProfile: random.pick(["1,0,2", "0,1,1", "3,1,0,1"]) },
    { type: "LIMIT", targetStrategy: 1_000_002, price, ...plan, volumeProfile: "1,1", ...expiry },
    { type: "VWAP", interval: 60_000, intervalCount: 2 + random.below(2), ...expiry },
    { type: "POV", participationBips: random.pick([500, 2_500, 10_000]) },
    { type: "LIMIT", targetStrategy: 1_000_004, price, participationBips: 5_000 },
  ] as const);
}

/** Returns an order of any type around a price of 100. */
export function randomOrder(
  random: Random,
  options: Readonly<{ symbol: string; nowMs: number; reduces: boolean }>,
): OrderFields {
  const { symbol, nowMs, reduces } = options;
  const price = levelOf(80 + random.next() * 45);
  const kind = random.pick([
    { type: "SYNTHETIC_LIMIT", price } as const,
    { type: "LIMIT_MAKER", price } as const,
    { type: "ICEBERG", price, icebergQty: "0.5" } as const,
    randomSchedule(random, nowMs),
    randomSchedule(random, nowMs),
    randomTriggers(random),
    randomTriggers(random),
    randomTriggers(random),
    randomTriggers(random),
  ]);
  return {
    symbol,
    side: random.pick(["BUY", "SELL"] as const),
    quantity: `${1 + random.below(4)}.${random.below(10)}`,
    ...(random.chance(0.25) ? { expireTime: nowMs + 1 + random.below(60_000) } : {}),
    childTimeInForce: random.chance(0.25) ? "FOK" : "IOC",
    ...kind,
    ...(reduces ? { side: "SELL" as const, reduceOnly: true } : {}),
  };
}
