import { add, formatQuantity, type Quantity, quantity, ZERO_QUANTITY } from "../../src/decimal/index.ts";
import type { PrintInput } from "../../src/ports/index.ts";
import type { Random } from "./random.ts";
import type { TrueVolume } from "./told-schedules.ts";
import { SYMBOL } from "./world.ts";

/** How old a print may be that counts as fresh. */
const FRESH_MS = 5_000;

/**
 * The trades of a simulated market, those of others and our own, as they really were; some are told late, some twice,
 * own fills before or after their reports.
 */
export class TrueTape implements TrueVolume {
  readonly #random: Random;
  readonly #told: PrintInput[] = [];
  /** When each trade was told first. */
  readonly #known: Map<string, number> = new Map();
  /** Own executions that were not told yet. */
  readonly #owed: Readonly<{ id: string; size: Quantity }>[] = [];
  #total: Quantity = ZERO_QUANTITY;
  #others = 0;

  constructor(random: Random) {
    this.#random = random;
  }

  get total(): Quantity {
    return this.#total;
  }

  tradesSince(ms: number, own: readonly string[]): number {
    return [...this.#known].filter(([id, atMs]) => atMs >= ms && !own.includes(id)).length;
  }

  /** One of our children executed: its print is due. */
  owe(id: string, size: Quantity): void {
    this.#owed.push({ id, size });
  }

  /** What is told next: mostly somebody else's trade, or an own one, or something that was told before. */
  next(nowMs: number): PrintInput {
    const dice = this.#random.below(10);
    const again = this.#told[this.#random.below(this.#told.length + 1)];
    if (dice < 2 && again !== undefined) return again;
    const own = dice < 6 ? this.#owed.shift() : undefined;
    if (own !== undefined) return this.#tell({ id: own.id, size: own.size, timeMs: nowMs }, nowMs);
    return this.external(
      nowMs,
      this.#random.below(8) === 0 ? nowMs - 3_000 - this.#random.below(4_000) : nowMs,
    );
  }

  /** Somebody else trades. */
  external(nowMs: number, timeMs: number = nowMs): PrintInput {
    const size = quantity(`${this.#random.below(4)}.${1 + this.#random.below(9)}`);
    return this.#tell({ id: `other-${++this.#others}`, size, timeMs }, nowMs);
  }

  #tell(trade: Readonly<{ id: string; size: Quantity; timeMs: number }>, nowMs: number): PrintInput {
    const { id, size, timeMs } = trade;
    const print = { symbol: SYMBOL, price: "100", quantity: formatQuantity(size), id, timeMs };
    this.#told.push(print);
    if (nowMs - timeMs <= FRESH_MS) this.#total = add(this.#total, size);
    this.#known.set(id, nowMs);
    return print;
  }
}
