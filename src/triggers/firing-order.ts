import { abs, compare, type Price, type Scaled, subtract } from "../decimal/index.ts";
import type { Fired, Watcher } from "./watch.ts";

/** Which order waits, and what says which of two is older. */
export type Aged = Pick<Watcher, "orderId" | "acceptedAtMs" | "acceptance">;

/** An order whose condition was met, while the order of acting is not known yet. */
export type Hit = Readonly<{ order: Aged; fired: Fired; crossed: Scaled }>;

/** What was compared when a level was met; `reference` is there when it trails. */
export type LevelMatch = Readonly<{ observed: Price; level: Price; reference?: Price }>;

/** A hit on a level. */
export function levelHit(order: Aged, { observed, level, reference }: LevelMatch): Hit {
  const { orderId } = order;
  const fired =
    reference === undefined ? { orderId, observed, level } : { orderId, observed, level, reference };
  return { order, fired, crossed: abs(subtract(observed, level)) };
}

/** A hit that needs no level; it goes before all that do. */
export function everyHit(order: Aged, observed: Price): Hit {
  return { order, fired: { orderId: order.orderId, observed }, crossed: Number.POSITIVE_INFINITY };
}

/** Whether one acts before another: most crossed first, then older first. Source: decision 20. */
export function actsBefore(a: Hit, b: Hit): boolean {
  const byCrossing = compare(b.crossed, a.crossed);
  return byCrossing < 0 || (byCrossing === 0 && olderFirst(a.order, b.order) < 0);
}

/** Older first: by acceptance time, then by order of acceptance; without that the id closer to zero, as managed ids fall. */
export function olderFirst(a: Aged, b: Aged): number {
  const byAcceptance = a.acceptedAtMs - b.acceptedAtMs || (a.acceptance ?? 0) - (b.acceptance ?? 0);
  return byAcceptance || Math.abs(a.orderId) - Math.abs(b.orderId);
}
