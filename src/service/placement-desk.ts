import type { Engine } from "../engine/index.ts";
import { OrderError } from "../errors/index.ts";
import type { ParentIntent, ParentOrder } from "../model/index.ts";
import type { Clock, OrderCounts, OrderRefusal, RateLimiter } from "../ports/index.ts";
import { askHost } from "./ask-host.ts";
import { tooManyOrders } from "./rate-refusals.ts";

/** A placement that every earlier check has passed. */
export type PlacementCommand = Readonly<{ accountId: number; intent: ParentIntent }>;

/** The durable order, new or found again, and what the order-count limit has counted. */
export type CountedPlacement = Readonly<{ order: ParentOrder; counts: OrderCounts }>;

/**
 * Takes placements through the order-count limit to the engine. Only an accepted new order counts: copies of one
 * order come one at a time, and a copy of an accepted one is answered even when the limit is reached.
 * Source: decisions 1 and 42.
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
  async place(command: PlacementCommand): Promise<CountedPlacement> {
    const name = `${command.accountId} ${command.intent.clientOrderId}`;
    const before = this.#last.get(name) ?? Promise.resolve();
    const placing = before.then(() => this.#place(command));
    const settled = placing.catch(() => undefined);
    this.#last.set(name, settled);
    try {
      return await placing;
    } finally {
      if (this.#last.get(name) === settled) this.#last.delete(name);
    }
  }

  async #place(command: PlacementCommand): Promise<CountedPlacement> {
    const { accountId } = command;
    const { counts, takenAtMs, refused } = await askHost(() => this.#limiter.takeOrder(accountId));
    if (refused !== undefined) return { order: await this.#placeAgain(command, refused), counts };
    // An order that cannot be given back stays counted; the placement itself is not touched by that.
    const giveBack = (): Promise<OrderCounts> =>
      askHost(() => this.#limiter.returnOrder({ accountId, takenAtMs })).catch(() => counts);
    try {
      const { order, created } = await this.#engine.place(command);
      return { order, counts: created ? counts : await giveBack() };
    } catch (error) {
      // What may have been accepted stays counted.
      if (error instanceof OrderError && error.retry !== "reconcile") await giveBack();
      throw error;
    }
  }

  /** The limit is reached: only an order that exists already is answered, or refused as a duplicate. */
  async #placeAgain(command: PlacementCommand, refused: OrderRefusal): Promise<ParentOrder> {
    const { accountId, intent } = command;
    const known = await this.#engine.find({ accountId, clientOrderId: intent.clientOrderId });
    if (known === undefined) {
      throw tooManyOrders(refused, { limits: this.#limiter.limits, nowMs: this.#clock.nowMs() });
    }
    return (await this.#engine.place(command)).order;
  }
}
