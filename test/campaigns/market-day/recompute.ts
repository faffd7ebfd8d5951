import { readFileSync } from "node:fs";

/**
 * The expected executions of four orders over a recorded day, recomputed from the rows of the CSV with bigint
 * arithmetic only. No code of the engine is used here.
 */

/** An order of the day: prices in 1e-8, quantities in 1e-6. */
export type DayOrder = Readonly<{
  id: string;
  side: "BUY" | "SELL";
  quantity: bigint;
  kind: "trailing" | "stop-limit" | "take-profit-limit" | "limit";
  trailingBps?: bigint;
  stopPrice?: bigint;
  limit?: bigint;
}>;

/** Its result: the time of the quote that triggered it, and its fills in order. */
export type DayOutcome = Readonly<{ triggeredAtMs?: number; fills: readonly string[] }>;

/** A quote of the day. */
export type Row = Readonly<{
  symbol: string;
  timeMs: number;
  bid: bigint;
  bidSize: bigint;
  ask: bigint;
  askSize: bigint;
}>;

const scaled = (text: string, decimals: number): bigint => {
  const [whole = "0", fraction = ""] = text.split(".");
  return BigInt(whole + fraction.padEnd(decimals, "0"));
};

export const priceOf = (text: string): bigint => scaled(text, 8);
export const quantityOf = (text: string): bigint => scaled(text, 6);

const text = (value: bigint, decimals: number): string => {
  const digits = String(value).padStart(decimals + 1, "0");
  return `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`.replace(/\.?0+$/, "");
};

/** A fill as one line, for comparison. */
export const fillLine = (timeMs: number, price: bigint, quantity: bigint): string =>
  `${timeMs} ${text(price, 8)} ${text(quantity, 6)}`;

export function readRows(path: string): readonly Row[] {
  const [, ...lines] = readFileSync(path, "utf8").trim().split("\n");
  return lines.map((line) => {
    const [time = "", symbol = "", bid = "", bidSize = "", ask = "", askSize = ""] = line.split(",");
    return {
      symbol,
      timeMs: Number(time),
      bid: priceOf(bid),
      bidSize: quantityOf(bidSize),
      ask: priceOf(ask),
      askSize: quantityOf(askSize),
    };
  });
}

const MINIMUM = 15n * 10n ** 14n;

class SimulatedOrder {
  readonly order: DayOrder;
  readonly fills: string[] = [];
  rest: bigint;
  high: bigint | undefined;
  triggeredAtMs: number | undefined;
  done = false;

  constructor(order: DayOrder) {
    this.order = order;
    this.rest = order.quantity;
  }

  /** Returns how far the quote is beyond the level of the order; undefined if it does not act on this quote. */
  crossed(row: Row): bigint | undefined {
    const { side, limit, kind } = this.order;
    if (this.done) return undefined;
    if (kind !== "limit" && this.triggeredAtMs === undefined) return this.#triggerDistance(row);
    if (limit === undefined) return 10n ** 30n;
    const distance = side === "BUY" ? limit - row.ask : row.bid - limit;
    return distance >= 0n ? distance : undefined;
  }

  #triggerDistance(row: Row): bigint | undefined {
    const { side, kind, stopPrice = 0n, trailingBps = 0n } = this.order;
    if (kind === "trailing") {
      if (this.high === undefined || row.bid * 10_000n > this.high * (10_000n - trailingBps))
        return undefined;
      return (this.high * (10_000n - trailingBps)) / 10_000n - row.bid;
    }
    const rises = (kind === "stop-limit") === (side === "BUY");
    const seen = side === "BUY" ? row.ask : row.bid;
    const distance = rises ? seen - stopPrice : stopPrice - seen;
    return distance >= 0n ? distance : undefined;
  }

  act(row: Row, left: { bid: bigint; ask: bigint }): void {
    const { side, kind, limit } = this.order;
    if (kind !== "limit") this.triggeredAtMs ??= row.timeMs;
    const price = side === "BUY" ? row.ask : row.bid;
    if (limit !== undefined && (side === "BUY" ? price > limit : price < limit)) return;
    const shown = side === "BUY" ? row.askSize : row.bidSize;
    const wanted = this.rest < shown ? this.rest : shown;
    if (price * wanted < MINIMUM) {
      this.done = this.fills.length > 0 && price * this.rest < MINIMUM;
      return;
    }
    const pool = side === "BUY" ? "ask" : "bid";
    const taken = wanted < left[pool] ? wanted : left[pool];
    left[pool] -= taken;
    if (taken > 0n) this.fills.push(fillLine(row.timeMs, price, taken));
    this.rest -= taken;
    this.done = this.rest === 0n || (this.fills.length > 0 && price * this.rest < MINIMUM);
  }
}

/** Plays the rows after the first one, at which the orders were placed. */
export function recompute(
  rows: readonly Row[],
  orders: readonly DayOrder[],
): ReadonlyMap<string, DayOutcome> {
  const simulated = orders.map((order) => new SimulatedOrder(order));
  for (const row of rows.slice(1)) {
    const acting = simulated
      .map((one) => ({ one, distance: one.crossed(row) }))
      .filter((entry): entry is { one: SimulatedOrder; distance: bigint } => entry.distance !== undefined)
      .sort((a, b) => (a.distance === b.distance ? 0 : a.distance > b.distance ? -1 : 1));
    const left = { bid: row.bidSize, ask: row.askSize };
    for (const { one } of acting) one.act(row, left);
    for (const one of simulated) if (one.high === undefined || row.bid > one.high) one.high = row.bid;
  }
  return new Map(
    simulated.map(({ order, triggeredAtMs, fills }) => [
      order.id,
      { fills, ...(triggeredAtMs === undefined ? {} : { triggeredAtMs }) },
    ]),
  );
}
