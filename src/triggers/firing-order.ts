import { abs, compare, type Price, type Scaled, subtract } from "../decimal/index.ts";
import type { Fired, Watcher } from "./watch.ts";

/** The fields of a watcher that tell which of two orders is older. */
export type Aged = Pick<Watcher, "orderId" | "acceptedAtMs" | "acceptance">;

/** An order whose condition was met, before the firing order is known. */
export type Hit = Readonly<{ order: Aged; fired: Fired; crossed: Scaled }>;

/** The values compared when a level was met. `reference` is present if the order trails. */
export type LevelMatch = Readonly<{ observed: Price; level: Price; reference?: Price }>;

/** Creates a hit on a level. */
export function levelHit(order: Aged, { observed, level, reference }: LevelMatch): Hit {
  const { orderId } = order;
  const fired =
    reference === undefined ? { orderId, observed, level } : { orderId, observed, level, reference };
  return { order, fired, crossed: abs(subtract(observed, level)) };
}

/** Creates a hit that needs no level. It goes before all hits on a level. */
export function everyHit(order: Aged, observed: Price): Hit {
  return { order, fired: { orderId: order.orderId, observed }, crossed: Number.POSITIVE_INFINITY };
}

/** Returns whether one hit acts before another: the most crossed first, then the older (decision 20). */
export function actsBefore(a: Hit, b: Hit): boolean {
  const byCrossing = compare(b.crossed, a.crossed);
  return byCrossing < 0 || (byCrossing === 0 && olderFirst(a.order, b.order) < 0);
}

/**
 * Compares two orders by age, older first: by acceptance time, then by acceptance number. With equal numbers the id
 * closer to zero is older, because managed ids fall.
 */
export function olderFirst(a: Aged, b: Aged): number {
  const byAcceptance = a.acceptedAtMs - b.acceptedAtMs || a.acceptance - b.acceptance;
  return byAcceptance || Math.abs(a.orderId) - Math.abs(b.orderId);
}
