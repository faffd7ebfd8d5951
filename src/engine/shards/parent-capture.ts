import type { ParentOrder } from "../../model/index.ts";
import type { ReadonlyIdMap } from "../../triggers/index.ts";
import type { LiveOrder } from "../core/live-order.ts";
import { COSTS, type Turns } from "../core/turns.ts";

/** What is captured: the live orders of a shard, as of which record, and which parents count as open. */
type CaptureOptions = Readonly<{
  liveOrders: ReadonlyIdMap<LiveOrder>;
  sequence: number;
  isKept: (order: ParentOrder) => boolean;
  /** Nothing needs to be kept for it any more. */
  ended: (capture: ParentCapture) => void;
}>;

/**
 * The durable parents of a shard as they are when it is made, gathered in slices while the shard goes on. A parent whose
 * record is not above `sequence` is as it was; whoever lets it change or leave calls `keep` before.
 */
export class ParentCapture {
  readonly #options: CaptureOptions;
  /** As they were: parents that have changed or left since, also those that had been visited. */
  readonly #changed: Map<number, ParentOrder> = new Map();
  #visited = false;

  constructor(options: CaptureOptions) {
    this.#options = options;
  }

  /** The durable state of a live order is about to be replaced, or the order to leave. */
  keep({ durable }: LiveOrder): void {
    if (!this.#visited && this.#belongs(durable)) this.#changed.set(durable.orderId, durable);
  }

  /** Resolves to the parents; to undefined when `goesOn` says no after a turn. */
  async gather(turns: Turns, goesOn: () => boolean): Promise<readonly ParentOrder[] | undefined> {
    try {
      return await this.#gather(turns, goesOn);
    } finally {
      this.end();
    }
  }

  /** Nobody will gather it, or it is gathered. */
  end(): void {
    this.#visited = true;
    this.#changed.clear();
    this.#options.ended(this);
  }

  async #gather(turns: Turns, goesOn: () => boolean): Promise<readonly ParentOrder[] | undefined> {
    const parents: ParentOrder[] = [];
    // What is added meanwhile may be seen too; it does not belong.
    for (const { durable } of this.#options.liveOrders.values()) {
      if (this.#belongs(durable)) parents.push(durable);
      const turn = turns.spend(COSTS.visit);
      if (turn === undefined) continue;
      await turn;
      if (!goesOn()) return undefined;
    }
    this.#visited = true;
    for (const { orderId } of parents) {
      if (this.#changed.size === 0) break;
      this.#changed.delete(orderId);
      const turn = turns.spend(COSTS.visit);
      if (turn !== undefined) await turn;
    }
    for (const order of this.#changed.values()) {
      parents.push(order);
      const turn = turns.spend(COSTS.visit);
      if (turn !== undefined) await turn;
    }
    return goesOn() ? parents : undefined;
  }

  #belongs(order: ParentOrder | undefined): order is ParentOrder {
    return order !== undefined && order.lastSequence <= this.#options.sequence && this.#options.isKept(order);
  }
}
