import { formatScaled, type Notional, normalise, price, type Scaled } from "../../decimal/index.ts";
import { quotient } from "./numbers.ts";
import type { OrderStory } from "./story.ts";

/** Decimals of basis points in the report. */
export const BIPS_SCALE = 2;

/** Average price of an order against the prices before it. Positive is a cost. */
export interface Slippage {
  readonly story: OrderStory;
  /** Middle of bid and ask at the arrival. */
  readonly arrival: string;
  /** In hundredths of a basis point of the arrival price. */
  readonly bips: Scaled;
  /** In USD, cut to whole steps of 1e-14. */
  readonly cost: Notional;
  /** Against the quote that triggered it, in hundredths of a basis point. */
  readonly sinceTrigger: Scaled | undefined;
  readonly doubled: Doubled;
}

/** Twice the cost, and twice the value of the executed quantity at the arrival price: whole numbers of 1e-14 USD. */
export type Doubled = Readonly<{ cost: bigint; base: bigint }>;

const BIPS = 10_000n;

/** Returns the slippage of an order; undefined if nothing was executed or its arrival is unknown. */
export function slippageOf(story: OrderStory): Slippage | undefined {
  const { order, chart } = story;
  const arrival = chart?.arrival;
  if (arrival === undefined || !(order.executedQuantity > 0)) return undefined;
  const twiceMiddle = BigInt(price(arrival.bid)) + BigInt(price(arrival.ask));
  const doubled = doubledOf(story, twiceMiddle);
  const { trigger } = order;
  return {
    ...{ story, doubled, arrival: formatScaled(normalise(twiceMiddle * 5n), 9) },
    bips: bipsOf(doubled),
    cost: normalise(doubled.cost / 2n) as Notional,
    sinceTrigger: trigger && bipsOf(doubledOf(story, BigInt(trigger.observed) * 2n)),
  };
}

/** Returns a cost in hundredths of a basis point of its base. */
export function bipsOf({ cost, base }: Doubled): Scaled {
  return base === 0n ? 0 : quotient(cost * BIPS, base, BIPS_SCALE);
}

function doubledOf({ order }: OrderStory, twicePrice: bigint): Doubled {
  const { executedQuantity, executedNotional, intent } = order;
  const base = twicePrice * BigInt(executedQuantity);
  const paid = BigInt(executedNotional) * 2n;
  return { base, cost: intent.side === "BUY" ? paid - base : base - paid };
}
