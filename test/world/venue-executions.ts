import type { Random } from "../../src/common/random.ts";
import {
  add,
  type ExactQuantity,
  FINE_LIMIT,
  normalise,
  type Price,
  price,
  type Quantity,
  quantity,
  subtract,
} from "../../src/decimal/index.ts";
import type { Fill } from "../../src/model/index.ts";
import type { Faults } from "./faults.ts";
import type { Situations } from "./situations.ts";
import type { Row } from "./venue-row.ts";
import type { WorldTime } from "./world-time.ts";

const STEP = quantity("0.000001");
/** The eighth decimal of a quantity, in units of its fine part. */
const EIGHTH_DECIMAL = FINE_LIMIT / 100;
const BEYOND = price("0.25");
/** A day of the venue, after which it numbers executions anew: so short that many orders execute on several. */
const VENUE_DAY_MS = 10_000;

/** Dependencies of {@link VenueExecutions}. */
export type ExecutionParts = Readonly<{
  random: Random;
  faults: Faults;
  situations: Situations;
  time: WorldTime;
  priceOf: (symbol: string) => Price | undefined;
  executed: (row: Row, fill: Fill) => void;
}>;

/** Executes children of a venue, and numbers their executions. */
export class VenueExecutions {
  readonly #parts: ExecutionParts;
  readonly #decimals: Random;
  /** The day of the newest execution of each market, and the number of executions on it. */
  readonly #today: Map<string, Readonly<{ day: number; count: number }>> = new Map();
  #count = 0;

  constructor(parts: ExecutionParts) {
    this.#parts = parts;
    this.#decimals = parts.random.of("decimals of executions");
  }

  execute(row: Row, size: Quantity): void {
    if (size > 0) for (const part of this.#partsOf(row, size)) this.#executePart(row, part);
  }

  /** Returns a quantity whole, or in two parts of eight decimals, of which it may execute only the larger one. */
  #partsOf({ child }: Row, size: Quantity): readonly ExactQuantity[] {
    const random = this.#decimals;
    const fine = (1 + random.below(99)) * EIGHTH_DECIMAL;
    const isWhole = random.chance(0.7) || child.timeInForce === "FOK";
    if (!this.#parts.faults.strikes("venue executes in eight decimals", random, 0.3))
      return [{ quantity: size }];
    const steps = normalise((BigInt(size) - 1n) / 3n) as Quantity;
    const larger = { quantity: subtract(subtract(size, steps), STEP), fine: FINE_LIMIT - fine };
    return isWhole ? [{ quantity: steps, fine }, larger] : [larger];
  }

  #executePart(row: Row, part: ExactQuantity): void {
    const { faults, random, situations, time } = this.#parts;
    const executionId = this.#numberOf(row);
    const { symbol, limitPrice, side } = row.child;
    const fair = limitPrice ?? this.#parts.priceOf(symbol) ?? price("100");
    const isBeyond = limitPrice !== undefined && faults.strikes("venue fills beyond the limit", random, 0.02);
    if (isBeyond) situations.observe("fill beyond the limit");
    const worse = side === "BUY" ? add(fair, BEYOND) : subtract(fair, BEYOND);
    const at = isBeyond ? worse : fair;
    const fill: Fill = { executionId, ...part, price: at, timeMs: time.trueMs };
    row.fills.push(fill);
    this.#parts.executed(row, fill);
  }

  /** Returns the id of a child's next execution. It may be that of executions of other children, and never one of its own. */
  #numberOf({ child, fills }: Row): string {
    const { faults, time } = this.#parts;
    if (faults.shows("venue numbers executions per child")) return String(fills.length + 1);
    if (!faults.shows("venue numbers executions anew each day")) return `x${++this.#count}`;
    const day = Math.floor(time.trueMs / VENUE_DAY_MS);
    const today = this.#today.get(child.symbol);
    let count = today?.day === day ? today.count + 1 : 1;
    while (fills.some(({ executionId }) => executionId === `d${count}`)) count++;
    this.#today.set(child.symbol, { day, count });
    return `d${count}`;
  }
}
