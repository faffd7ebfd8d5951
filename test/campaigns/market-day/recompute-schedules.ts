import { readFileSync } from "node:fs";
import { fillLine, quantityOf, type Row } from "./recompute.ts";
import type { ScheduleOrder } from "./schedule-orders.ts";

/**
 * The expected executions of schedules over a recorded day, recomputed with bigint arithmetic from the rows of the two
 * files and the written rules (contract, Single-parent advanced creation). No code of the engine is used here.
 */

/** The state of a parent at the end of the day. */
export type ScheduleOutcome = Readonly<{ status: string; fills: readonly string[] }>;

/** A trade of the day. */
export type Trade = Readonly<{ timeMs: number; quantity: bigint }>;

export function readTrades(path: string): readonly Trade[] {
  const [, ...lines] = readFileSync(path, "utf8").trim().split("\n");
  return lines.map((line) => {
    const [time = "", , , quantity = ""] = line.split(",");
    return { timeMs: Number(time), quantity: quantityOf(quantity) };
  });
}

const MINUTE_MS = 60_000;
const FRESH_MS = 300_000;
/** 15 USD, in 1e-14. */
const MINIMUM = 15n * 10n ** 14n;

const least = (...values: readonly bigint[]): bigint => values.reduce((a, b) => (b < a ? b : a));

/** The market during the day: the last quote with the rest of its sizes, and the volume of each minute. */
class Market {
  quote: Row | undefined;
  left = { bid: 0n, ask: 0n };
  readonly volumes: Map<number, bigint> = new Map();
  /** Executions of the parents, reported as trades after the events that caused them. */
  own: { timeMs: number; quantity: bigint; owner: Parent }[] = [];

  take(row: Row): void {
    this.quote = row;
    this.left = { bid: row.bidSize, ask: row.askSize };
  }

  count({ timeMs, quantity }: Trade): void {
    const minute = timeMs - (timeMs % MINUTE_MS);
    this.volumes.set(minute, (this.volumes.get(minute) ?? 0n) + quantity);
  }
}

class Parent {
  readonly order: ScheduleOrder;
  readonly fills: string[] = [];
  readonly #market: Market;
  readonly #slices: readonly bigint[];
  status: "NEW" | "PARTIALLY_FILLED" | "FILLED" | "EXPIRED" = "NEW";
  #rest: bigint;
  /** The slot that was used last. */
  #used = -1;
  /** POV: volume since admission, and whether an external trade was not followed yet. */
  #volume = 0n;
  #unfollowed = false;
  #sentAtMs = -1;

  constructor(order: ScheduleOrder, market: Market) {
    this.order = order;
    this.#market = market;
    this.#rest = order.quantity;
    this.#slices = slicesOf(order, market.volumes);
  }

  get #isOpen(): boolean {
    return this.status === "NEW" || this.status === "PARTIALLY_FILLED";
  }

  /** Ends come before other events of the same time. */
  endBy(timeMs: number): void {
    const { order } = this;
    const lastMs = order.kind === "TWAP" ? this.#startMs + order.intervalMs * order.count : undefined;
    const ends = [order.expiresAtMs, lastMs].some((endMs) => endMs !== undefined && endMs <= timeMs);
    if (ends && this.#isOpen) this.status = "EXPIRED";
  }

  onQuote(timeMs: number): void {
    if (this.order.kind !== "POV") return this.onSlot(timeMs);
    if (this.#isOpen && this.#unfollowed) this.#follow(timeMs);
  }

  /** Offers the quote that stands to a schedule. */
  onSlot(timeMs: number): void {
    if (!this.#isOpen || this.order.kind === "POV") return;
    const slot = Math.floor((timeMs - this.#startMs) / this.order.intervalMs);
    if (slot < 0 || slot <= this.#used) return;
    const slice = this.#sliceOf(slot);
    if (slice > 0n && this.#send(timeMs, least(slice, this.#rest))) this.#used = slot;
  }

  onTrade({ timeMs, quantity }: Trade, isOwn: boolean): void {
    if (!this.#isOpen || this.order.kind !== "POV") return;
    this.#volume += quantity;
    if (isOwn) return;
    this.#unfollowed = true;
    if (this.#sentAtMs !== timeMs) this.#follow(timeMs);
  }

  get #startMs(): number {
    const { order } = this;
    return order.placedAtMs + (order.kind === "POV" ? 0 : order.delayMs);
  }

  /** After the last slot, a VWAP continues with its largest slice. */
  #sliceOf(slot: number): bigint {
    if (slot < this.#slices.length) return this.#slices[slot] ?? 0n;
    return this.order.kind === "VWAP" ? this.#slices.reduce((a, b) => (b > a ? b : a), 0n) : 0n;
  }

  #follow(timeMs: number): void {
    if (this.order.kind !== "POV") return;
    const due = (this.order.bips * this.#volume) / 10_000n - (this.order.quantity - this.#rest);
    if (due > 0n && this.#send(timeMs, least(due, this.#rest))) this.#unfollowed = false;
  }

  /**
   * Sends one child on the last quote, if the size shown inside the cap is worth enough; returns whether one was sent.
   */
  #send(timeMs: number, wanted: bigint): boolean {
    const { quote, left, own } = this.#market;
    if (quote === undefined || timeMs - quote.timeMs > FRESH_MS) return false;
    const side = this.order.side === "BUY" ? "ask" : "bid";
    const price = quote[side];
    const { limit } = this.order;
    if (limit !== undefined && (side === "ask" ? price > limit : price < limit)) return false;
    const shown = left[side];
    if (price * least(wanted, shown) < MINIMUM) {
      if (this.fills.length > 0 && price * this.#rest < MINIMUM) this.status = "EXPIRED";
      return false;
    }
    this.#sentAtMs = timeMs;
    const taken = least(wanted, left[side]);
    left[side] -= taken;
    if (taken === 0n) return true;
    this.#rest -= taken;
    this.fills.push(fillLine(timeMs, price, taken));
    own.push({ timeMs, quantity: taken, owner: this });
    this.status = this.#rest === 0n ? "FILLED" : "PARTIALLY_FILLED";
    return true;
  }
}

/** Slices by cumulative floor: of equal weights, of given weights, or of the volumes of the newest minutes. */
function slicesOf(order: ScheduleOrder, volumes: ReadonlyMap<number, bigint>): readonly bigint[] {
  if (order.kind === "POV") return [];
  const weights = weightsOf(order, volumes);
  const total = weights.reduce((sum, weight) => sum + weight, 0n);
  let sum = 0n;
  return weights.map((weight) => {
    const before = (order.quantity * sum) / total;
    sum += weight;
    return (order.quantity * sum) / total - before;
  });
}

function weightsOf(
  order: Exclude<ScheduleOrder, { kind: "POV" }>,
  volumes: ReadonlyMap<number, bigint>,
): readonly bigint[] {
  const { kind, count, intervalMs, placedAtMs } = order;
  if (kind === "TWAP") return Array.from({ length: count }, () => 1n);
  if (order.weights !== undefined) return order.weights;
  const end = placedAtMs - (placedAtMs % MINUTE_MS);
  const minutes = intervalMs / MINUTE_MS;
  return Array.from({ length: count }, (_, slot) => {
    const first = end - (count - slot) * intervalMs;
    const bars = Array.from({ length: minutes }, (_, n) => volumes.get(first + n * MINUTE_MS) ?? 0n);
    return bars.reduce((a, b) => a + b, 0n);
  });
}

/** The events of one time. */
type Instant = Readonly<{ timeMs: number; quote: Row | undefined; trade: Trade | undefined }>;

/**
 * Due work first: ends, and slots that open, which act on the quote that stands. Then the quote, the trade, and the resulting
 * executions.
 */
function happen(market: Market, parents: readonly Parent[], { timeMs, quote, trade }: Instant): void {
  for (const parent of parents) parent.endBy(timeMs);
  for (const parent of parents) parent.onSlot(timeMs);
  settle(market, parents);
  if (quote !== undefined) market.take(quote);
  if (quote !== undefined) for (const parent of parents) parent.onQuote(timeMs);
  if (trade !== undefined) market.count(trade);
  if (trade !== undefined) for (const parent of parents) parent.onTrade(trade, false);
  settle(market, parents);
}

/** Counts own executions, which are trades too. */
function settle(market: Market, parents: readonly Parent[]): void {
  for (const { owner, ...print } of market.own.splice(0)) {
    market.count(print);
    for (const parent of parents) parent.onTrade(print, parent === owner);
  }
}

/** Plays the day up to `lastMs`; a parent exists after the events of its placing time. */
export function recomputeSchedules(
  day: Readonly<{ rows: readonly Row[]; trades: readonly Trade[]; lastMs: number }>,
  orders: readonly ScheduleOrder[],
): ReadonlyMap<string, ScheduleOutcome> {
  const market = new Market();
  const parents: Parent[] = [];
  const quoteAt = new Map(day.rows.map((row) => [row.timeMs, row]));
  const tradeAt = new Map(day.trades.map((trade) => [trade.timeMs, trade]));
  const placings = orders.map(({ placedAtMs }) => placedAtMs);
  const times = new Set([...quoteAt.keys(), ...tradeAt.keys(), ...placings, day.lastMs]);
  for (const timeMs of [...times].filter((one) => one <= day.lastMs).sort((a, b) => a - b)) {
    happen(market, parents, { timeMs, quote: quoteAt.get(timeMs), trade: tradeAt.get(timeMs) });
    const placed = orders.filter(({ placedAtMs }) => placedAtMs === timeMs);
    for (const order of placed) {
      const parent = new Parent(order, market);
      parents.push(parent);
      parent.onSlot(timeMs);
      settle(market, parents);
    }
  }
  return new Map(parents.map(({ order, status, fills }) => [order.id, { status, fills }]));
}
