import type { Engine, ListPlacement, Placement } from "../engine/index.ts";
import { OrderError } from "../errors/index.ts";
import type { ListIntent, ParentIntent } from "../model/index.ts";
import type {
  Awaitable,
  Clock,
  NativePlaced,
  OrderCounts,
  OrderRefusal,
  RateLimiter,
} from "../ports/index.ts";
import { tooManyOrders } from "./rate-refusals.ts";

/** A placement that every earlier check has passed. */
export type PlacementCommand = Readonly<{ accountId: number; intent: ParentIntent }>;

/** A placement of a list that every earlier check has passed. */
export type ListPlacementCommand = Readonly<{ accountId: number; list: ListIntent }>;

/** A placement of a native order that every earlier check has passed, how it is looked for and made. */
export type NativePlacementCommand = Readonly<{
  accountId: number;
  clientOrderId: string;
  findKnown: () => Awaitable<NativePlaced | undefined>;
  place: () => Promise<NativePlaced>;
}>;

/** What is durable, new or found again, and what the order-count limit has counted. */
export type Counted<T> = Readonly<{ placed: T; counts: OrderCounts }>;

/** One placement on its way: what it is called, how many orders it counts as, how it is looked for and made. */
type Errand<T> = Readonly<{
  accountId: number;
  name: string;
  count: number;
  isKnown: () => Promise<boolean>;
  place: () => Promise<T>;
}>;

/** What came of a placement, and whether it made something new. */
type Placed = Readonly<{ created: boolean }>;

/**
 * Takes placements through the order-count limit to the engine. Only what is accepted and new counts, a list as many
 * orders as it has legs: copies of one order or list come one at a time, and a copy of an accepted one is answered
 * even when the limit is reached. Source: decisions 1 and 42; convention 3.5.
 */
export class PlacementDesk {
  readonly #engine: Engine;
  readonly #limiter: RateLimiter;
  readonly #clock: Clock;
  readonly #last: Map<string, Promise<unknown>> = new Map();

  constructor(parts: Readonly<{ engine: Engine; rateLimiter: RateLimiter; clock: Clock }>) {
    this.#engine = parts.engine;
    this.#limiter = parts.rateLimiter;
    this.#clock = parts.clock;
  }

  /** Resolves when the order is durable; rejects with the OrderError that refuses it. */
  placeOrder(command: PlacementCommand): Promise<Counted<Placement>> {
    const { accountId } = command;
    const { clientOrderId } = command.intent;
    return this.#inTurn({
      accountId,
      name: `order ${accountId} ${clientOrderId}`,
      count: 1,
      isKnown: async () => (await this.#engine.find({ accountId, clientOrderId })) !== undefined,
      place: () => this.#engine.place(command),
    });
  }

  /** Resolves when all of the list is durable; rejects with the OrderError that refuses it. */
  placeList(command: ListPlacementCommand): Promise<Counted<ListPlacement>> {
    const { accountId } = command;
    const { listClientOrderId, legs } = command.list;
    return this.#inTurn({
      accountId,
      name: `list ${accountId} ${listClientOrderId}`,
      count: legs.length,
      isKnown: async () => (await this.#engine.findList({ accountId, listClientOrderId })) !== undefined,
      place: () => this.#engine.placeList(command),
    });
  }

  /** The same for a native order; a copy of it is known by its request, for its client id may serve again. */
  placeNative(command: NativePlacementCommand): Promise<Counted<NativePlaced>> {
    const { accountId, clientOrderId, findKnown, place } = command;
    return this.#inTurn({
      accountId,
      name: `native ${accountId} ${clientOrderId}`,
      count: 1,
      isKnown: async () => (await findKnown()) !== undefined,
      place,
    });
  }

  async #inTurn<T extends Placed>(errand: Errand<T>): Promise<Counted<T>> {
    const { name } = errand;
    const before = this.#last.get(name);
    const placing = before === undefined ? this.#place(errand) : before.then(() => this.#place(errand));
    const settled = placing.then(nothing, nothing);
    this.#last.set(name, settled);
    try {
      return await placing;
    } finally {
      if (this.#last.get(name) === settled) this.#last.delete(name);
    }
  }

  async #place<T extends Placed>(errand: Errand<T>): Promise<Counted<T>> {
    const { accountId, count } = errand;
    const { counts, takenAtMs, refused } = await this.#limiter.takeOrders({ accountId, count });
    if (refused !== undefined) return { placed: await this.#placeAgain(errand, refused), counts };
    // Orders that cannot be given back stay counted; the placement itself is not touched by that.
    const giveBack = async (): Promise<OrderCounts> => {
      try {
        return await this.#limiter.returnOrders({ accountId, count, takenAtMs });
      } catch {
        return counts;
      }
    };
    try {
      const placed = await errand.place();
      return { placed, counts: placed.created ? counts : await giveBack() };
    } catch (error) {
      // What may have been accepted stays counted.
      if (error instanceof OrderError && error.retry !== "reconcile") await giveBack();
      throw error;
    }
  }

  /** The limit is reached: only what exists already is answered, or refused as a duplicate. */
  async #placeAgain<T extends Placed>(errand: Errand<T>, refused: OrderRefusal): Promise<T> {
    if (!(await errand.isKnown())) {
      throw tooManyOrders(refused, { limits: this.#limiter.limits, nowMs: this.#clock.nowMs() });
    }
    return await errand.place();
  }
}

const nothing = (): void => undefined;
