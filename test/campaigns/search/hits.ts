import type { Leg } from "./leg-table.ts";
import { priceAt } from "./market.ts";

/** The result of a quote: the legs that see it, its price, and the trailing legs that it fires. */
export type Sight = Readonly<{ seeing: readonly number[]; price: number; trails: readonly number[] }>;

/**
 * The sets of trailing legs that a quote may fire: any set, since the place of a reference depends on all earlier
 * quotes, which the rules do not read. So a trail and the other leg of its pair meet on one quote at every price.
 */
export function trailsOf(legs: readonly Leg[], seeing: readonly number[]): readonly (readonly number[])[] {
  let sets: readonly (readonly number[])[] = [[]];
  for (const place of seeing) {
    const order = legs[place]?.order;
    if (order?.intent.trailing === undefined) continue;
    if (order.activation === undefined || order.trigger !== undefined) continue;
    sets = sets.flatMap((set) => [set, [...set, place]]);
  }
  return sets;
}

/** Returns the legs whose condition a quote meets, by the contract's trigger rules. */
export function hitsOf(legs: readonly Leg[], sight: Sight): readonly number[] {
  return sight.seeing.filter((place) => {
    const leg = legs[place];
    return leg !== undefined && meets(leg, place, sight);
  });
}

function meets({ order }: Leg, place: number, { price, trails }: Sight): boolean {
  const { intent, trigger, postOnlyCleared } = order;
  const at = priceAt(price);
  const isBuy = intent.side === "BUY";
  const cap = intent.price ?? trigger?.limit;
  const inside = cap === undefined || (isBuy ? at <= cap : at >= cap);
  switch (intent.type) {
    case "SYNTHETIC_LIMIT":
    case "ICEBERG":
      return inside;
    case "LIMIT_MAKER":
      return postOnlyCleared === undefined || inside;
    default:
      break;
  }
  if (trigger !== undefined) return inside;
  if (intent.trailing !== undefined) return trails.includes(place);
  const level = intent.stopPrice ?? at;
  const isStop = intent.type === "STOP_MARKET" || intent.type === "STOP_LOSS_LIMIT";
  return isBuy === isStop ? at >= level : at <= level;
}
