import { isAwaited, KeyedMutex } from "../../common/index.ts";
import type {
  AmendRequest,
  Engine,
  ListPlacement,
  PlaceIntentRequest,
  PlaceListRequest,
  Placement,
  ReplaceIntentRequest,
  Replacement,
} from "../../engine/index.ts";
import { OrderError } from "../../errors/index.ts";
import type { ParentOrder } from "../../model/index.ts";
import type { Clock, NativePlaced, OrderCounts, RateLimiter } from "../../ports/index.ts";
import { tooManyOrders } from "../access/rate-limits.ts";

/** The durable order or list, new or found again, and the counts of the order-count limit. */
type CountedResult<T> = Readonly<{ placed: T; counts: OrderCounts }>;

/** One placement: the key that its copies share, how many orders it counts as, and how it is found or placed. */
type CountedPlacement<T> = Readonly<{
  accountId: number;
  key: string;
  count: number;
  isKnown: () => Promise<boolean>;
  place: () => Promise<T>;
}>;

/**
 * Passes placements through the order-count limit to the engine or the host. Only accepted, new orders count; a list counts
 * as many orders as it has legs. Copies of one order or list run one at a time, and a copy of an accepted one is answered
 * even when the limit is reached. The engine has a lock of its own on a client id, and one of the two is not enough: that
 * of the engine begins too late, because a copy must not take from the limit before the first is decided, and knows no
 * native orders; and this one is not there in an engine without the service. Source: convention 3.5.
 */
export class CountedPlacements {
  readonly #parts: Readonly<{ engine: Engine; rateLimiter: RateLimiter; clock: Clock }>;
  readonly #copies: KeyedMutex = new KeyedMutex();

  constructor(parts: Readonly<{ engine: Engine; rateLimiter: RateLimiter; clock: Clock }>) {
    this.#parts = parts;
  }

  /** Resolves when the order is durable; rejects with the OrderError that refuses it. */
  placeOrder(command: PlaceIntentRequest): Promise<CountedResult<Placement>> {
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

  /** Resolves when the whole list is durable; rejects with the OrderError that refuses it. */
  placeList(command: PlaceListRequest): Promise<CountedResult<ListPlacement>> {
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

  /**
   * Places a native order in the same way. A copy is recognised by its request, because the client id may be used
   * again.
   */
  placeNative(
    command: Pick<CountedPlacement<NativePlaced>, "accountId" | "isKnown" | "place">,
    clientOrderId: string,
  ): Promise<CountedResult<NativePlaced>> {
    return this.#inTurn({ ...command, key: `native ${command.accountId} ${clientOrderId}`, count: 1 });
  }

  /** Passes an amend through the limit, as an order of its own. A copy is recognised by its id. */
  amendOrder(
    command: Extract<AmendRequest, { orderId: number }> & Readonly<{ amendId: string }>,
  ): Promise<CountedResult<Readonly<{ order: ParentOrder; created: boolean }>>> {
    const { accountId, orderId, amendId } = command;
    const { engine } = this.#parts;
    const isKnown = async (): Promise<boolean> => {
      const order = await engine.find({ accountId, orderId });
      return order?.amends?.named.some((amend) => amend.amendId === amendId) === true;
    };
    return this.#inTurn({
      ...{ accountId, key: `amend ${accountId} ${orderId} ${amendId}`, count: 1, isKnown },
      place: async () => ({ created: !(await isKnown()), order: await engine.amend(command) }),
    });
  }

  /** Passes a replacement through the limit, as the new order. A copy of one that was not placed is known by the order before. */
  replaceOrder(command: ReplaceIntentRequest): Promise<CountedResult<Replacement>> {
    const { accountId, cancel } = command;
    const { clientOrderId } = command.intent;
    const { engine } = this.#parts;
    const { restriction: _condition, ...name } = cancel;
    return this.#inTurn({
      ...{ accountId, key: `order ${accountId} ${clientOrderId}`, count: 1 },
      isKnown: async () =>
        (await engine.find({ accountId, clientOrderId })) !== undefined ||
        (await engine.find({ accountId, ...name }))?.unreplaced === clientOrderId,
      place: () => engine.replace(command),
    });
  }

  #inTurn<T extends Readonly<{ created: boolean }>>(
    placement: CountedPlacement<T>,
  ): Promise<CountedResult<T>> {
    return this.#copies.runExclusive([placement.key], () => this.#place(placement));
  }

  async #place<T extends Readonly<{ created: boolean }>>(
    placement: CountedPlacement<T>,
  ): Promise<CountedResult<T>> {
    const { accountId, count } = placement;
    const taken = this.#parts.rateLimiter.takeOrders({ accountId, count });
    const { counts, takenAtMs, refused } = isAwaited(taken) ? await taken : taken;
    if (refused !== undefined) {
      // Only an order that exists is answered, or refused as a duplicate.
      if (!(await placement.isKnown())) throw tooManyOrders(refused, this.#parts);
      return { placed: await placement.place(), counts };
    }
    // If the orders cannot be returned, they stay counted. The placement itself is not affected.
    const refund = async (): Promise<OrderCounts> => {
      try {
        return await this.#parts.rateLimiter.returnOrders({ accountId, count, takenAtMs });
      } catch {
        return counts;
      }
    };
    try {
      const placed = await placement.place();
      return { placed, counts: placed.created ? counts : await refund() };
    } catch (error) {
      // An order that may have been accepted stays counted.
      if (error instanceof OrderError && error.retry !== "reconcile") await refund();
      throw error;
    }
  }
}
