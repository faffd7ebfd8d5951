import { add, type Quantity } from "../../src/decimal/index.ts";
import type { ChildOrder, ParentOrder, SchedulePlan } from "../../src/model/index.ts";
import { demand } from "./demand.ts";
import type { ToldRecord } from "./told-lists.ts";

/** What a simulation knows of the executed volume, whatever the engine was told of it. */
export type TrueVolume = Readonly<{
  /** Fresh volume so far, each id once; the engine may know of less. */
  readonly total: Quantity;
  /** How many trades but one's own were told since this time, epoch milliseconds. */
  tradesSince(ms: number, own: readonly string[]): number;
}>;

/**
 * The rules of schedules and shares of volume, computed here the long way: slots in their time, each once, slices by
 * the cumulative floor (I33), never more than the share of what was executed (I34).
 */
export class ToldSchedules {
  /** The last slot of each order that a child was sent in. */
  readonly #used: Map<number, number> = new Map();
  readonly #volume: TrueVolume;

  constructor(volume: TrueVolume) {
    this.#volume = volume;
  }

  check({ record, changes }: ToldRecord): void {
    for (const { orderId, facts } of record.changes) {
      const change = changes.find(({ order }) => order.orderId === orderId);
      for (const fact of facts) {
        if (fact.kind === "CHILD_CLOSED" && fact.outcome === "WITHDRAWN") this.#used.delete(orderId);
        if (fact.kind !== "CHILD_INTENDED" || change === undefined) continue;
        const { before = change.order, order } = change;
        if (order.plan !== undefined) this.#checkSlot(order, order.plan, fact.child);
        if (order.intent.participationBips !== undefined) this.#checkShare(before, fact.child, fact.volume);
      }
    }
  }

  #checkSlot({ orderId, intent }: ParentOrder, plan: SchedulePlan, child: ChildOrder): void {
    const { slot = -1, intendedAtMs, quantity } = child;
    const opensAtMs = plan.startsAtMs + slot * plan.intervalMs;
    const isOpen = intendedAtMs >= opensAtMs && intendedAtMs < opensAtMs + plan.intervalMs;
    demand(isOpen, `I33: slot ${slot} is not open`);
    demand(slot > (this.#used.get(orderId) ?? -1), "I33: a slot is used once, and none before it");
    this.#used.set(orderId, slot);
    const slices = slicesOf(plan, BigInt(intent.quantity));
    const last = slices.reduce((most, slice) => (slice > most ? slice : most), 0n);
    const slice = slices[slot] ?? (intent.type === "VWAP" ? last : 0n);
    demand(BigInt(quantity) <= slice && slice > 0n, `I33: more than the slice of slot ${slot}`);
  }

  #checkShare(before: ParentOrder, child: ChildOrder, volume: Quantity | undefined): void {
    const { intent, volumeBefore, executedQuantity, acceptedAtMs } = before;
    const bips = BigInt(intent.participationBips ?? 0);
    demand(volume !== undefined, "I34: the volume it follows is not kept");
    const seen = BigInt(volume ?? 0);
    demand(seen <= BigInt(this.#volume.total), "I34: volume that nobody executed");
    const target = ((seen - BigInt(volumeBefore ?? 0)) * bips) / 10_000n;
    demand(BigInt(add(executedQuantity, child.quantity)) <= target, "I34: above its share");
    const trades = this.#volume.tradesSince(acceptedAtMs, before.executions);
    demand(child.attempt <= trades, "decision 30: more children than trades");
  }
}

/** Slices by the cumulative floor: they sum to the quantity. */
function slicesOf({ count, cumulative }: SchedulePlan, quantity: bigint): readonly bigint[] {
  const sums = Array.from({ length: count }, (_, slot) => BigInt(cumulative?.[slot] ?? slot + 1));
  const whole = sums.at(-1) ?? 1n;
  return sums.map((sum, slot) => {
    const before = slot === 0 ? 0n : ((sums[slot - 1] ?? 0n) * quantity) / whole;
    return (sum * quantity) / whole - before;
  });
}
