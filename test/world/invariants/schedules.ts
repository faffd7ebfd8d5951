import { FINE_LIMIT, type Price, type Quantity } from "../../../src/decimal/index.ts";
import type { ChildOutcome, Fact, SchedulePlan } from "../../../src/model/index.ts";
import { ownFillsOf } from "../faults.ts";
import type { SeenChange, SeenOrder, SeenRecord } from "../journal-book.ts";
import type { WorldParts } from "../parts.ts";
import { storesEveryPrint } from "../plan.ts";
import { stepsOf } from "../venue-row.ts";

type IntentFact = Extract<Fact, { kind: "CHILD_INTENDED" }>;

/** Outcomes of children that have not used their slot, if they executed nothing. */
const UNUSED: readonly ChildOutcome[] = ["WITHDRAWN", "REJECTED"];

/**
 * Checks I33 and I34: children in open slots, each slot once, slices by the plan of the acceptance, and never more than
 * the share of volume.
 */
export class Schedules {
  readonly #parts: WorldParts;
  /** The slots in which children of each order were sent, newest last, with the generation of the sender. */
  readonly #used: Map<number, Readonly<{ slot: number; generation: number }>[]> = new Map();
  /** Children that have executed. */
  readonly #executed: Set<string> = new Set();
  /**
   * True time of each order's acceptance, or in a cluster of its first request, or the time by the clock of its node if that is
   * earlier; and the generation of the process that accepted it.
   */
  readonly #accepted: Map<number, Readonly<{ ms: number; generation: number }>> = new Map();
  /**
   * True time at which each execution was counted, by child and id, and the generation of the process. A print before that time
   * could not be recognised as an own one.
   */
  readonly #counted: Map<string, Readonly<{ atMs: number; generation: number }>> = new Map();

  constructor(parts: WorldParts) {
    this.#parts = parts;
  }

  /** Checks a record. */
  check({ changes, record, instance }: SeenRecord): void {
    for (const change of changes) {
      if (change.before === undefined) this.#accept(change, instance.generation);
      for (const fact of change.facts)
        this.#fact(change, fact, { timeMs: record.timeMs, generation: instance.generation });
    }
  }

  #fact(change: SeenChange, fact: Fact, at: Readonly<{ timeMs: number; generation: number }>): void {
    const { situations } = this.#parts;
    const { orderId, plan, intent } = change.after;
    if (fact.kind === "FILLED") {
      const counted = { atMs: this.#parts.time.trueMs, generation: at.generation };
      this.#counted.set(`${fact.childId} ${fact.fill.executionId}`, counted);
      this.#executed.add(fact.childId);
    }
    // A child that was never handed over, or refused without execution, leaves its slot open.
    if (fact.kind === "CHILD_CLOSED" && UNUSED.includes(fact.outcome) && !this.#executed.has(fact.childId))
      this.#used.get(orderId)?.pop();
    if (fact.kind === "ENDED" && fact.reason === "SCHEDULE_ENDED")
      situations.observe("schedule ended with a residual");
    const followed =
      fact.kind === "ACCEPTED" ? fact.volumeBefore : fact.kind === "CHILD_INTENDED" && fact.volume;
    if (followed && storesEveryPrint(this.#parts.plan)) this.#stored(change.after, followed);
    if (fact.kind !== "CHILD_INTENDED") return;
    if (plan !== undefined) this.#slot(change.after, plan, { fact, ...at });
    if (intent.participationBips !== undefined) this.#share(change, fact, at.generation);
  }

  #accept({ after: order, facts }: SeenChange, generation: number): void {
    const { plan, ledger, time } = this.#parts;
    // In a cluster an acceptance may be under way for long, and trades of that time count after a takeover. A node whose
    // machine has stood still accepts by the clock of that time until it has compared clocks.
    const sent = plan.cluster && ledger.find(order.accountId, order.intent.clientOrderId);
    const acceptedAtMs = Math.min(
      sent?.sentAtMs ?? time.trueMs,
      plan.cluster ? order.acceptedAtMs : time.trueMs,
    );
    this.#accepted.set(order.orderId, { ms: acceptedAtMs, generation });
    const { type, schedule } = order.intent;
    const isOfHost =
      this.#parts.plan.brings.volumeHistory && type === "VWAP" && schedule?.weights === undefined;
    const accepted = facts.find((fact) => fact.kind === "ACCEPTED");
    if (isOfHost && order.plan !== undefined) this.#profile(order, order.plan, accepted?.admissionPrice);
  }

  /**
   * Checks the rule "VWAP": the weights come from the host's own minutes, in a window that was requested, and slices below
   * the minimum are joined.
   */
  #profile(
    { orderId, intent }: SeenOrder,
    { count, intervalMs, cumulative = [] }: SchedulePlan,
    price: Price | undefined,
  ): void {
    const { requireThat, situations, volumes } = this.#parts;
    situations.observe("VWAP by the volumes of the host");
    const isTrue = volumes.requested(intent.symbol).some(({ symbol, toMs }) => {
      const fromMs = toMs - count * intervalMs;
      const bars = volumes.minutes({ symbol, fromMs, toMs });
      const sums = Array.from({ length: count }, (_, slot) => {
        const until = bars.filter(({ minuteMs }) => minuteMs < fromMs + (slot + 1) * intervalMs);
        return until.reduce((total, bar) => total + BigInt(bar.quantity), 0n);
      });
      const least = price === undefined ? 0n : (MINIMUM + BigInt(price) - 1n) / BigInt(price);
      const frozen = price === undefined ? sums : joinedSums(sums, BigInt(intent.quantity), least);
      return frozen.every((sum, slot) => sum === BigInt(cumulative.at(slot) ?? -1));
    });
    requireThat(isTrue && cumulative.length === count, "VWAP", () => `order ${orderId} weighs ${cumulative}`);
  }

  /** Checks that the volume in a record was durable before it or with it: after a crash the volume is not less. */
  #stored(order: SeenOrder, followed: Quantity): void {
    const { requireThat, journal } = this.#parts;
    const stored = BigInt(journal.volumes.get(order.intent.symbol) ?? 0) + this.#unprinted(order);
    requireThat(
      BigInt(followed) <= stored,
      "I34",
      () => `order ${order.orderId} uses a volume of ${followed}, but ${stored} is durable`,
    );
  }

  /** Returns what an order has executed and the prints leave out: that is volume, too. */
  #unprinted({ executed }: SeenOrder): bigint {
    return ownFillsOf(this.#parts.plan.rates) === "none" ? BigInt(stepsOf(executed)) : 0n;
  }

  #slot(
    { orderId, intent }: SeenOrder,
    plan: SchedulePlan,
    { fact, timeMs, generation }: Readonly<{ fact: IntentFact; timeMs: number; generation: number }>,
  ): void {
    const { requireThat, situations } = this.#parts;
    const { slot = -1, quantity } = fact.child;
    const opensAtMs = plan.startsAtMs + slot * plan.intervalMs;
    const isOpen = timeMs >= opensAtMs && timeMs < opensAtMs + plan.intervalMs;
    requireThat(isOpen, "I33", () => `slot ${slot} of order ${orderId} is not open at ${timeMs}`);
    const before = this.#used.get(orderId) ?? [];
    const last = before.at(-1);
    requireThat(
      slot > (last?.slot ?? -1),
      "I33",
      () => `slot ${slot} of order ${orderId} after ${last?.slot}`,
    );
    if (slot > (last?.slot ?? -1) + 1) situations.observe("slot missed");
    if (last !== undefined && last.generation !== generation) situations.observe("slot used after a restart");
    before.push({ slot, generation });
    this.#used.set(orderId, before);
    const slices = slicesOf(plan, BigInt(intent.quantity));
    const largest = slices.reduce((most, slice) => (slice > most ? slice : most), 0n);
    if (slot >= slices.length) situations.observe("VWAP goes on after its last slot");
    const slice = slices[slot] ?? (intent.type === "VWAP" ? largest : 0n);
    const isWithin = BigInt(quantity) <= slice && slice > 0n;
    requireThat(isWithin, "I33", () => `${quantity} in slot ${slot} of order ${orderId}, which has ${slice}`);
  }

  #share({ before, after }: SeenChange, { child, volume }: IntentFact, sender: number): void {
    const { requireThat, situations, tape, journal, plan } = this.#parts;
    const { intent, volumeBefore, orderId } = after;
    const executed = before?.executed ?? after.executed;
    situations.observe("POV child after a print");
    requireThat(volume !== undefined, "I34", () => `order ${orderId} follows no volume`);
    const seen = BigInt(volume ?? 0);
    requireThat(
      seen <= BigInt(tape.total(intent.symbol)) + this.#unprinted(after),
      "I34",
      () => `order ${orderId} follows volume that was never executed`,
    );
    const target = ((seen - BigInt(volumeBefore ?? 0)) * BigInt(intent.participationBips ?? 0)) / 10_000n;
    const committed = stepsUp(executed) + BigInt(child.quantity);
    requireThat(
      committed <= target,
      "I34",
      () => `order ${orderId} has ${committed}, its share is ${target}`,
    );
    if (committed === target) situations.observe("POV at its whole share");
    const own = journal.fills.get(orderId);
    // A process knows all executions of its time, and of its predecessors those of the order.
    const isOwn = (id: string, reportedAtMs: number): boolean => {
      const name = tape.ownName(intent.symbol, id) ?? "";
      const counted = this.#counted.get(name);
      if (counted === undefined || counted.atMs >= reportedAtMs) return false;
      return own?.has(name) === true || (plan.cluster === undefined && counted.generation === sender);
    };
    const { ms, generation } = this.#accepted.get(orderId) ?? { ms: 0, generation: sender };
    // Prints that a node of a cluster reads later are news to it.
    const unreceivedBy = plan.cluster !== undefined ? [generation, sender] : [];
    const trades = tape.tradesSince(intent.symbol, { ms, unreceivedBy }, isOwn);
    requireThat(
      child.attempt <= trades,
      "POV",
      () => `order ${orderId} sends child ${child.attempt} after ${trades} trades`,
    );
  }
}

/** Returns whole steps, rounded up. */
const stepsUp = (exact: bigint): bigint => BigInt(stepsOf(exact + BigInt(FINE_LIMIT) - 1n));

/** The opening minimum, in the steps of an amount. */
const MINIMUM = 15n * 10n ** 14n;

/** Returns the sums in which every slice below the least joins the next, and the last one the slot before. */
function joinedSums(sums: readonly bigint[], quantity: bigint, least: bigint): readonly bigint[] {
  const whole = sums.at(-1) ?? 0n;
  const shared = (sum: bigint): bigint => (whole === 0n ? 0n : (sum * quantity) / whole);
  const joined: bigint[] = [];
  for (const sum of sums) {
    const before = joined.at(-1) ?? 0n;
    joined.push(shared(sum) - shared(before) >= least ? sum : before);
  }
  const sent = joined.at(-1) ?? 0n;
  const from = sent === 0n ? joined.length - 1 : joined.indexOf(sent);
  return joined.map((sum, slot) => (slot >= from ? whole : sum));
}

/** Returns the slices by the cumulative floor. They sum to the quantity. */
function slicesOf({ count, cumulative }: SchedulePlan, quantity: bigint): readonly bigint[] {
  const sums = Array.from({ length: count }, (_, slot) => BigInt(cumulative?.at(slot) ?? slot + 1));
  const whole = sums.at(-1) ?? 1n;
  return sums.map((sum, slot) => {
    const before = slot === 0 ? 0n : ((sums[slot - 1] ?? 0n) * quantity) / whole;
    return (sum * quantity) / whole - before;
  });
}
