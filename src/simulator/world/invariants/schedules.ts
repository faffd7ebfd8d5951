import { add, type Quantity } from "../../../decimal/index.ts";
import type { Fact, SchedulePlan } from "../../../model/index.ts";
import type { SeenChange, SeenOrder, SeenRecord } from "../journal-book.ts";
import type { WorldParts } from "../parts.ts";

type Intended = Extract<Fact, { kind: "CHILD_INTENDED" }>;

/** I33, I34: slots in their time, each once, slices by the plan of the acceptance, never more than the share of volume. */
export function schedules(parts: WorldParts): (seen: SeenRecord) => void {
  const { demand, situations, tape, journal } = parts;
  /** The slots of each order that children were sent in, newest last, by the generation that sent them. */
  const used = new Map<number, Readonly<{ slot: number; generation: number }>[]>();
  return ({ changes, record, process }) => {
    for (const change of changes) {
      for (const fact of change.facts) {
        const { orderId } = change.after;
        if (fact.kind === "CHILD_CLOSED" && fact.outcome === "WITHDRAWN") used.get(orderId)?.pop();
        if (fact.kind === "ENDED" && fact.reason === "SCHEDULE_ENDED") situations.saw("schedule over with a rest");
        if (fact.kind !== "CHILD_INTENDED") continue;
        if (change.after.plan !== undefined)
          checkSlot(change.after, change.after.plan, { fact, timeMs: record.timeMs, generation: process.generation });
        if (change.after.intent.participationBips !== undefined) checkShare(change, fact);
      }
    }
  };

  function checkSlot(
    { orderId, intent }: SeenOrder,
    plan: SchedulePlan,
    { fact, timeMs, generation }: Readonly<{ fact: Intended; timeMs: number; generation: number }>,
  ): void {
    const { slot = -1, quantity } = fact.child;
    const opensAtMs = plan.startsAtMs + slot * plan.intervalMs;
    const isOpen = timeMs >= opensAtMs && timeMs < opensAtMs + plan.intervalMs;
    demand(isOpen, "I33", () => `slot ${slot} of order ${orderId} is not open at ${timeMs}`);
    const before = used.get(orderId) ?? [];
    const last = before.at(-1);
    demand(slot > (last?.slot ?? -1), "I33", () => `slot ${slot} of order ${orderId} after ${last?.slot}`);
    if (slot > (last?.slot ?? -1) + 1) situations.saw("slot missed");
    if (last !== undefined && last.generation !== generation) situations.saw("slot used after a restart");
    before.push({ slot, generation });
    used.set(orderId, before);
    const slices = slicesOf(plan, BigInt(intent.quantity));
    const largest = slices.reduce((most, slice) => (slice > most ? slice : most), 0n);
    if (slot >= slices.length) situations.saw("VWAP goes on after its last slot");
    const slice = slices[slot] ?? (intent.type === "VWAP" ? largest : 0n);
    const isWithin = BigInt(quantity) <= slice && slice > 0n;
    demand(isWithin, "I33", () => `${quantity} in slot ${slot} of order ${orderId}, which has ${slice}`);
  }

  function checkShare({ before, after }: SeenChange, { child, volume }: Intended): void {
    const { intent, volumeBefore, acceptedAtMs, orderId } = after;
    const executed: Quantity = before?.executed ?? after.executed;
    situations.saw("POV child after a print");
    demand(volume !== undefined, "I34", () => `order ${orderId} follows no volume`);
    const seen = BigInt(volume ?? 0);
    demand(seen <= BigInt(tape.total(intent.symbol)), "I34", () => `order ${orderId} follows volume that nobody executed`);
    const target = ((seen - BigInt(volumeBefore ?? 0)) * BigInt(intent.participationBips ?? 0)) / 10_000n;
    const committed = BigInt(add(executed, child.quantity));
    demand(committed <= target, "I34", () => `order ${orderId} has ${committed}, its share is ${target}`);
    if (committed === target) situations.saw("POV at its whole share");
    const own = journal.fills.get(orderId) ?? new Map();
    const trades = tape.tradesSince(intent.symbol, acceptedAtMs, own);
    demand(child.attempt <= trades, "decision 30", () => `order ${orderId} sends child ${child.attempt} after ${trades} trades`);
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
