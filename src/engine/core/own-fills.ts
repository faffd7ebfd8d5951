import { add, type Quantity, ZERO_QUANTITY } from "../../decimal/index.ts";
import type { Fill } from "../../model/index.ts";

/** At least so many of the newest execution ids are remembered of one market, and at most twice as many. */
const NEWEST_IDS = 2_048;

/** Into how many parts the time is divided in which a print may still come. */
const PARTS = 32;

/** Most times of which it is remembered what had been executed: twice those in which prints may come. */
const MOST_TIMES = 2 * PARTS;

type MarketFills = {
  ids: Set<string>;
  earlierIds: Set<string>;
  /** What was executed since the start, in whole steps: at most, and at least. */
  most: Quantity;
  least: Quantity;
  /** The least that was executed up to some times, by the monotonic clock, oldest first. */
  times: Readonly<{ fromMs: number; atMs: number; least: Quantity }>[];
};

/**
 * The durable executions of all accounts, by market: by their ids, or by their quantity, the prints of them are told from those of
 * other participants (decision 30). Bounded, whatever is executed.
 */
export class OwnFills {
  /** How long after an execution its print may still be fresh. */
  readonly printMs: number;
  readonly #markets: Map<string, MarketFills> = new Map();

  constructor(printMs: number) {
    this.printMs = printMs;
  }

  /** Notes an execution that became known at a time, by the monotonic clock. */
  note(symbol: string, { executionId, quantity, fine = 0 }: Fill, atMs: number): void {
    const market = this.#markets.get(symbol) ?? {
      ids: new Set<string>(),
      earlierIds: new Set<string>(),
      most: ZERO_QUANTITY,
      least: ZERO_QUANTITY,
      times: [],
    };
    this.#markets.set(symbol, market);
    const { times } = market;
    market.ids.add(executionId);
    if (market.ids.size === NEWEST_IDS) {
      market.earlierIds = market.ids;
      market.ids = new Set();
    }
    market.most = add(market.most, add(quantity, (fine > 0 ? 1 : 0) as Quantity));
    market.least = add(market.least, quantity);
    // What was executed in one part of the time counts as executed with its newest.
    const last = times.at(-1);
    const isNext = last === undefined || atMs >= last.fromMs + this.printMs / PARTS;
    if (!isNext) times.pop();
    times.push({
      fromMs: isNext ? atMs : last.fromMs,
      atMs: Math.max(atMs, last?.atMs ?? atMs),
      least: market.least,
    });
    if (times.length > MOST_TIMES) times.shift();
  }

  /** Returns whether an execution has this id. */
  has(symbol: string, executionId: string): boolean {
    const market = this.#markets.get(symbol);
    return market !== undefined && (market.ids.has(executionId) || market.earlierIds.has(executionId));
  }

  /** Returns what was executed at most since the start. */
  executed(symbol: string): Quantity {
    return this.#markets.get(symbol)?.most ?? ZERO_QUANTITY;
  }

  /** Returns what was executed at least up to a time, by the monotonic clock. */
  executedBy(symbol: string, atMs: number): Quantity {
    const times = this.#markets.get(symbol)?.times ?? [];
    return times.findLast((time) => time.atMs <= atMs)?.least ?? ZERO_QUANTITY;
  }

  /** Takes everything that was noted as that much younger. */
  younger(byMs: number): void {
    for (const market of this.#markets.values())
      market.times = market.times.map(({ fromMs, atMs, least }) => ({
        fromMs: fromMs + byMs,
        atMs: atMs + byMs,
        least,
      }));
  }
}
