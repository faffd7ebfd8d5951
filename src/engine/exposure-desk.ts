import { add, greatest, type Quantity, subtract, ZERO_QUANTITY } from "../decimal/index.ts";
import { reducibleOf, shardOfId } from "../lifecycle/index.ts";
import type { ParentOrder } from "../model/index.ts";
import type { Exposure } from "../ports/index.ts";
import type { Core, Slot } from "./core.ts";
import type { Shard } from "./shard.ts";

/** What measuring needs from the engine. */
export type ExposureHost = Readonly<{
  shard: (number: number) => Shard;
  /** The exposure is known: the parent may send a child on the quote of now. */
  measured: (slot: Slot, exposure: Quantity) => void;
  /** A measurement came to nothing: the parent looks at quotes again. */
  idle: (slot: Slot) => void;
}>;

/** A position that was asked for, and what had moved the account's exposure by then. */
type Asked = Readonly<{ answer: Promise<Quantity>; moves: number }>;

/**
 * Exposure for reduce-only children (decision 24, I13): the host's position, less what other unresolved reduce-only
 * children of the account hold. A position that was read before a child of the account filled or was resolved is
 * read again.
 */
export class ExposureDesk {
  readonly #core: Core;
  readonly #exposure: Exposure;
  readonly #host: ExposureHost;

  constructor(core: Core, exposure: Exposure, host: ExposureHost) {
    this.#core = core;
    this.#exposure = exposure;
    this.#host = host;
  }

  /** What the parent may reduce, when the host can say it at once; else the measurement is under way. */
  immediate(order: ParentOrder): Quantity | undefined {
    const slot = this.#slot(order);
    if (slot === undefined || slot.measuring !== undefined) return undefined;
    const { moves } = this.#shard(order).account(order.accountId);
    const answer = this.#position(order);
    if (!(answer instanceof Promise)) return this.#reducible(order, answer);
    this.#await(order, slot, { answer, moves });
    return undefined;
  }

  /** Measures and lets the parent try with the quote of then. */
  measure(order: ParentOrder): void {
    const slot = this.#slot(order);
    if (slot === undefined || slot.measuring !== undefined) return;
    const { moves } = this.#shard(order).account(order.accountId);
    this.#await(order, slot, { answer: Promise.resolve(this.#position(order)), moves });
  }

  #await(order: ParentOrder, slot: Slot, asked: Asked): void {
    const shard = this.#shard(order);
    slot.measuring = asked;
    const { clock, settings, telemetry } = this.#core;
    // A host that never answers must not keep the parent from its next quote.
    const cancelPatience = clock.schedule(this.#core.nowMs() + settings.retryMaxMs, () => {
      shard.post(() => this.#rest(slot, asked));
    });
    asked.answer
      .then(
        (position) => shard.post(() => this.#measured(order, slot, { asked, position })),
        (error: unknown) => {
          telemetry.event("warn", "exposure.failed", { orderId: order.orderId, message: String(error) });
          shard.post(() => this.#rest(slot, asked));
        },
      )
      .finally(cancelPatience);
  }

  #measured(
    order: ParentOrder,
    slot: Slot,
    { asked, position }: Readonly<{ asked: Asked; position: Quantity }>,
  ): void {
    if (slot.measuring !== asked) return;
    delete slot.measuring;
    const shard = this.#shard(order);
    if (shard.slots.get(order.orderId) !== slot) return;
    if (shard.account(order.accountId).moves !== asked.moves) return this.measure(order);
    this.#host.measured(slot, this.#reducible(order, position));
  }

  /** Nothing came of a measurement. */
  #rest(slot: Slot, asked: Asked): void {
    if (slot.measuring !== asked) return;
    delete slot.measuring;
    this.#host.idle(slot);
  }

  #position(order: ParentOrder): ReturnType<Exposure["position"]> {
    try {
      const answer = this.#exposure.position(order.accountId, order.intent.symbol);
      return answer instanceof Promise ? answer.then(wholePosition) : wholePosition(answer);
    } catch (error) {
      return Promise.reject(error);
    }
  }

  #reducible(order: ParentOrder, position: Quantity): Quantity {
    const free = subtract(reducibleOf(order.intent.side, position), this.#reserved(order));
    return greatest(free, ZERO_QUANTITY);
  }

  /** What other unresolved reduce-only children of the account may still execute on this market and side. */
  #reserved(order: ParentOrder): Quantity {
    const shard = this.#shard(order);
    let reserved = ZERO_QUANTITY;
    for (const orderId of shard.account(order.accountId).reducing) {
      const other = shard.slots.get(orderId)?.working;
      if (other?.child === undefined || orderId === order.orderId) continue;
      if (other.intent.symbol !== order.intent.symbol || other.intent.side !== order.intent.side) continue;
      const open = subtract(other.child.quantity, other.child.executedQuantity);
      reserved = add(reserved, open);
    }
    return reserved;
  }

  #shard(order: ParentOrder): Shard {
    return this.#host.shard(shardOfId(order.orderId));
  }

  #slot(order: ParentOrder): Slot | undefined {
    return this.#shard(order).slots.get(order.orderId);
  }
}

/** A position that is no whole number of steps is no answer. */
function wholePosition(position: Quantity): Quantity {
  if (typeof position === "bigint" || Number.isSafeInteger(position)) return position;
  throw new RangeError("the position is no whole number of quantity steps");
}
