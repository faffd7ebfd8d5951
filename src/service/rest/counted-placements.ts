import { KeyedMutex } from "../../common/index.ts";
import type { Engine, ListPlacement, Placement } from "../../engine/index.ts";
import { OrderError } from "../../errors/index.ts";
import type { ListIntent, ParentIntent } from "../../model/index.ts";
import type {
  Awaitable,
  Clock,
  NativePlaced,
  OrderCounts,
  OrderRefusal,
  RateLimiter,
} from "../../ports/index.ts";
import { tooManyOrders } from "../access/rate-limits.ts";

/** What placements are taken to, and what counts them. */
export type PlacementParts = Readonly<{ engine: Engine; rateLimiter: RateLimiter; clock: Clock }>;

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
export type CountedResult<T> = Readonly<{ placed: T; counts: OrderCounts }>;

/** One placement: what its copies share, how many orders it counts as, how it is looked for and made. */
type CountedPlacement<T> = Readonly<{
  accountId: number;
  key: string;
  count: number;
  isKnown: () => Promise<boolean>;
  place: () => Promise<T>;
}>;

/** What came of a placement, and whether it made something new. */
type PlacementResult = Readonly<{ created: boolean }>;

/**
 * Takes placements through the order-count limit to the engine or the host. Only what is accepted and new counts, a list
 * as many orders as it has legs: copies of one order or list come one at a time, and a copy of an accepted one is answered
 * even when the limit is reached. That copies wait inside the engine is not enough: the first must be decided before a
 * copy takes from the limit. Source: decisions 1, 42 and GQ; convention 3.5.
 */
export class CountedPlacements {
  readonly #parts: PlacementParts;
  readonly #copies: KeyedMutex = new KeyedMutex();

  constructor(parts: PlacementParts) {
    this.#parts = parts;
  }

  /** Resolves when the order is durable; rejects with the OrderError that refuses it. */
  placeOrder(command: PlacementCommand): Promise<CountedResult<Placement>> {
    const { accountId } = command;
    const { clientOrderId } = command.intent;
    return this.#inTurn({
      accountId,
      key: `order ${accountId} ${clientOrderId}`,
      count: 1,
      isKnown: async () => (await this.#parts.engine.find({ accountId, clientOrderId })) !== undefined,
      place: () => this.#parts.engine.place(command),
    });
  }

  /** Resolves when all of the list is durable; rejects with the OrderError that refuses it. */
  placeList(command: ListPlacementCommand): Promise<CountedResult<ListPlacement>> {
    const { accountId } = command;
    const { listClientOrderId, legs } = command.list;
    return this.#inTurn({
      accountId,
      key: `list ${accountId} ${listClientOrderId}`,
      count: legs.length,
      isKnown: async () =>
        (await this.#parts.engine.findList({ accountId, listClientOrderId })) !== undefined,
      place: () => this.#parts.engine.placeList(command),
    });
  }

  /** The same for a native order; a copy of it is known by its request, for its client id may serve again. */
  placeNative(command: NativePlacementCommand): Promise<CountedResult<NativePlaced>> {
    const { accountId, clientOrderId, findKnown, place } = command;
    return this.#inTurn({
      accountId,
      key: `native ${accountId} ${clientOrderId}`,
      count: 1,
      isKnown: async () => (await findKnown()) !== undefined,
      place,
    });
  }

  #inTurn<T extends PlacementResult>(placement: CountedPlacement<T>): Promise<CountedResult<T>> {
    return this.#copies.runExclusive([placement.key], () => this.#place(placement));
  }

  async #place<T extends PlacementResult>(placement: CountedPlacement<T>): Promise<CountedResult<T>> {
    const { accountId, count } = placement;
    const { counts, takenAtMs, refused } = await this.#parts.rateLimiter.takeOrders({ accountId, count });
    if (refused !== undefined) return { placed: await this.#placeAgain(placement, refused), counts };
    // Orders that cannot be given back stay counted; the placement itself is not touched by that.
    const giveBack = async (): Promise<OrderCounts> => {
      try {
        return await this.#parts.rateLimiter.returnOrders({ accountId, count, takenAtMs });
      } catch {
        return counts;
      }
    };
    try {
      const placed = await placement.place();
      return { placed, counts: placed.created ? counts : await giveBack() };
    } catch (error) {
      // What may have been accepted stays counted.
      if (error instanceof OrderError && error.retry !== "reconcile") await giveBack();
      throw error;
    }
  }

  /** The limit is reached: only what exists already is answered, or refused as a duplicate. */
  async #placeAgain<T extends PlacementResult>(
    placement: CountedPlacement<T>,
    refused: OrderRefusal,
  ): Promise<T> {
    if (!(await placement.isKnown())) {
      throw tooManyOrders(refused, this.#parts);
    }
    return await placement.place();
  }
}
