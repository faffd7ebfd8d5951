import type { Slicer } from "../../common/index.ts";
import type { ParentOrder } from "../../model/index.ts";
import type { ReadonlyIdMap } from "../../triggers/index.ts";
import type { LiveOrder } from "../core/live-order.ts";
import { COSTS } from "../core/turns.ts";

/**
 * Options of a capture: the live orders of a shard, the record up to which they count, and which parents are
 * included.
 */
type CaptureOptions = Readonly<{
  liveOrders: ReadonlyIdMap<LiveOrder>;
  sequence: number;
  isRetained: (order: ParentOrder) => boolean;
  /** Called when the capture needs nothing more to be kept for it. */
  ended: (capture: ParentCapture) => void;
}>;

/**
 * The durable parents of a shard at the creation of the capture, gathered in slices while the shard continues. A
 * parent with `lastSequence` at or below `sequence` is unchanged. Before a parent changes or leaves, `retain` must be
 * called.
 */
export class ParentCapture {
  readonly #options: CaptureOptions;
  /** Original states of parents that have changed or left since, visited ones included. */
  readonly #changed: Map<number, ParentOrder> = new Map();
  #visited = false;

  constructor(options: CaptureOptions) {
    this.#options = options;
  }

  /** Keeps the durable state of a live order that is about to be replaced or removed. */
  retain({ durable }: LiveOrder): void {
    if (!this.#visited && this.#belongs(durable)) this.#changed.set(durable.orderId, durable);
  }

  /** Resolves to the parents; to undefined when `goesOn` returns false after a turn. */
  async gather(turns: Slicer, goesOn: () => boolean): Promise<readonly ParentOrder[] | undefined> {
    try {
      return await this.#gather(turns, goesOn);
    } finally {
      this.end();
    }
  }

  /** Ends the capture: it is gathered, or will not be. */
  end(): void {
    this.#visited = true;
    this.#changed.clear();
    this.#options.ended(this);
  }

  async #gather(turns: Slicer, goesOn: () => boolean): Promise<readonly ParentOrder[] | undefined> {
    const parents: ParentOrder[] = [];
    // Parents added meanwhile may be visited too; they do not belong to the capture.
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
    return (
      order !== undefined && order.lastSequence <= this.#options.sequence && this.#options.isRetained(order)
    );
  }
}
