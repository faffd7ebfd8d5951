import type { Quote, TrailingDistance } from "../../src/model/index.ts";
import type { LevelCondition, Watcher } from "../../src/triggers/index.ts";

/** The orders that the twin fires; prices as plain integers. */
export type NaiveFired = Readonly<{ orderId: number; observed: bigint; level?: bigint; reference?: bigint }>;

/** The twin's result for one quote. */
export type NaiveObservation = Readonly<{
  fired: readonly NaiveFired[];
  activated: readonly Readonly<{ orderId: number; seed: bigint }>[];
}>;

type Resting = { readonly watcher: Watcher; reference: bigint | undefined };

/**
 * The trigger rules in the simplest form: every quote visits every order, each order keeps its own reference, and
 * distances are compared by cross-multiplication. It shares nothing with the trigger book but the types.
 */
export class NaiveTriggerBook {
  readonly #orders = new Map<number, Resting>();

  /** `reference` belongs to an order that was active before. */
  add(watcher: Watcher, reference?: bigint): void {
    this.#orders.set(watcher.orderId, { watcher, reference });
  }

  remove(orderId: number): boolean {
    return this.#orders.delete(orderId);
  }

  get orderIds(): readonly number[] {
    return [...this.#orders.keys()];
  }

  reference(orderId: number): bigint | undefined {
    return this.#orders.get(orderId)?.reference;
  }

  watcher(orderId: number): Watcher | undefined {
    return this.#orders.get(orderId)?.watcher;
  }

  observe(quote: Quote): NaiveObservation {
    const fired: (NaiveFired & { watcher: Watcher })[] = [];
    const activated: { orderId: number; seed: bigint; watcher: Watcher }[] = [];
    for (const [orderId, order] of this.#orders) {
      const { watcher } = order;
      const observed = BigInt(watcher.watch.side === "ask" ? quote.ask : quote.bid);
      if (becomesActive(order, observed)) {
        order.reference = observed;
        activated.push({ orderId, seed: observed, watcher });
        continue;
      }
      const hit = hitOf(order, observed);
      if (hit !== undefined) fired.push({ orderId, observed, ...hit, watcher });
      else order.reference = moved(order, observed);
    }
    for (const { orderId } of fired) this.#orders.delete(orderId);
    fired.sort((a, b) => mostCrossedFirst(a, b) || olderFirst(a, b));
    activated.sort(olderFirst);
    return { fired: fired.map(withoutWatcher), activated: activated.map(withoutWatcher) };
  }
}

function becomesActive({ watcher: { watch }, reference }: Resting, observed: bigint): boolean {
  if (watch.kind !== "trail" || reference !== undefined) return false;
  return watch.gate === undefined || isMet(watch.gate, observed);
}

/** The condition that was met, if any; empty for an order that any quote meets. */
function hitOf(
  { watcher: { watch }, reference }: Resting,
  observed: bigint,
): { level?: bigint; reference?: bigint } | undefined {
  if (watch.kind === "every") return {};
  if (watch.kind === "level") {
    return isMet(watch.condition, observed) ? { level: BigInt(watch.condition.level) } : undefined;
  }
  if (reference === undefined) return undefined;
  const trail = { buy: watch.side === "ask", reference, distance: watch.distance };
  return trailFires(trail, observed) ? { level: levelOf(trail), reference } : undefined;
}

/** The reference after a quote that did not fire the order. */
function moved({ watcher: { watch }, reference }: Resting, observed: bigint): bigint | undefined {
  if (reference === undefined) return undefined;
  const better = watch.side === "ask" ? observed < reference : observed > reference;
  return better ? observed : reference;
}

type Trail = Readonly<{ buy: boolean; reference: bigint; distance: TrailingDistance }>;

function isMet({ direction, level }: LevelCondition, observed: bigint): boolean {
  return direction === "atOrAbove" ? observed >= BigInt(level) : observed <= BigInt(level);
}

/** A distance as a fraction of the reference. */
function fraction(distance: Exclude<TrailingDistance, { kind: "amount" }>): readonly [bigint, bigint] {
  return distance.kind === "bps"
    ? [BigInt(distance.bps), 10_000n]
    : [BigInt(distance.percent), 100n * 100_000_000n];
}

function trailFires({ buy, reference, distance }: Trail, observed: bigint): boolean {
  if (distance.kind === "amount") {
    const amount = BigInt(distance.amount);
    return buy ? observed - reference >= amount : reference - observed >= amount;
  }
  const [part, whole] = fraction(distance);
  return buy
    ? observed * whole >= reference * (whole + part)
    : observed * whole <= reference * (whole - part);
}

/** The level in whole steps: up for BUY, down for SELL. */
function levelOf({ buy, reference, distance }: Trail): bigint {
  if (distance.kind === "amount")
    return buy ? reference + BigInt(distance.amount) : reference - BigInt(distance.amount);
  const [part, whole] = fraction(distance);
  if (!buy) return (reference * (whole - part)) / whole;
  const exact = reference * (whole + part);
  return exact % whole === 0n ? exact / whole : exact / whole + 1n;
}

function mostCrossedFirst(a: NaiveFired, b: NaiveFired): number {
  if (a.level === undefined || b.level === undefined) {
    return Number(b.level === undefined) - Number(a.level === undefined);
  }
  const crossedA = a.observed > a.level ? a.observed - a.level : a.level - a.observed;
  const crossedB = b.observed > b.level ? b.observed - b.level : b.level - b.observed;
  if (crossedA === crossedB) return 0;
  return crossedA > crossedB ? -1 : 1;
}

type Aged = Readonly<{ watcher: Watcher }>;

/** By time of acceptance; of one time by number; last by id, since ids fall. */
function olderFirst({ watcher: a }: Aged, { watcher: b }: Aged): number {
  if (a.acceptedAtMs !== b.acceptedAtMs) return a.acceptedAtMs - b.acceptedAtMs;
  if (a.acceptance !== b.acceptance) return a.acceptance - b.acceptance;
  return b.orderId - a.orderId;
}

function withoutWatcher<T extends Aged>({ watcher: _, ...rest }: T): Omit<T, "watcher"> {
  return rest;
}
