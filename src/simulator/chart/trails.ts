import { formatPrice, max, min, type Price } from "../../decimal/index.ts";
import type { MarketSide, ParentOrder, Quote, TrailingDistance } from "../../model/index.ts";
import { displayedLevel, executableSide } from "../../triggers/index.ts";
import type { TrailPoint } from "./chart.ts";
import { Columns } from "./columns.ts";

const MOST_POINTS = 512;
const MOST_TRAILS = 500;

type Reference = Readonly<{ timeMs: number; reference: Price }>;
type Trail = Readonly<{ side: MarketSide; distance: TrailingDistance; points: Columns<Reference> }> & {
  reference: Price;
};

/** The levels of trailing orders: the best price since the activation, and the distance from it. */
export class Trails {
  readonly #all: Map<number, Trail> = new Map();
  /** Those that follow the quotes of a symbol. */
  readonly #active: Map<string, Map<number, Trail>> = new Map();
  #leftOut = 0;

  /** Number of orders that were not followed, because too many were. */
  get leftOut(): number {
    return this.#leftOut;
  }

  /** Follows an order that became active. */
  activated({ orderId, intent }: ParentOrder, { timeMs, reference }: Reference): void {
    const { symbol, trailing: distance } = intent;
    if (distance === undefined || this.#all.has(orderId)) return;
    if (this.#all.size >= MOST_TRAILS) {
      this.#leftOut += 1;
      return;
    }
    const points = new Columns<Reference>(timeMs, { most: MOST_POINTS, join: (_, later) => later });
    points.add(timeMs, { timeMs, reference });
    const trail = { side: executableSide(intent.side), distance, points, reference };
    this.#all.set(orderId, trail);
    const active = this.#active.get(symbol) ?? new Map<number, Trail>();
    this.#active.set(symbol, active.set(orderId, trail));
  }

  /** Moves the references of the orders of a symbol. */
  quoted({ symbol, bid, ask, timeMs }: Quote): void {
    for (const trail of this.#active.get(symbol)?.values() ?? []) {
      const best = trail.side === "ask" ? min(trail.reference, ask) : max(trail.reference, bid);
      if (best === trail.reference) continue;
      trail.reference = best;
      trail.points.add(timeMs, { timeMs, reference: best });
    }
  }

  /** Stops following an order: it triggered or ended. */
  ended({ orderId, intent }: ParentOrder): void {
    this.#active.get(intent.symbol)?.delete(orderId);
  }

  /** Returns the course of the level of an order so far. */
  trailOf(orderId: number): readonly TrailPoint[] {
    const trail = this.#all.get(orderId);
    if (trail === undefined) return [];
    const { side, distance } = trail;
    return trail.points.all().map(({ value: { timeMs, reference } }) => {
      const level = displayedLevel({ side, distance, reference });
      return {
        timeMs,
        reference: formatPrice(reference),
        ...(level !== undefined && { level: formatPrice(level) }),
      };
    });
  }
}
