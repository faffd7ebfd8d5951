import { expect } from "vitest";
import { formatPrice, type Price } from "../../src/decimal/index.ts";
import type { OrderUpdate } from "../../src/engine/index.ts";
import { statusOf } from "../../src/lifecycle/index.ts";
import type { JournalRecord, ParentOrder, QuoteStamp, Trigger } from "../../src/model/index.ts";
import {
  executableSide,
  meets,
  stopDirection,
  takeProfitDirection,
  trailingLevel,
} from "../../src/triggers/index.ts";

/** The plainest trail: its reference, and the quote of this engine it sees next. */
type Trail = { reference: Price; next: number; triggeredBy?: number };
type Seen = Readonly<{ quote: QuoteStamp; failed: boolean }>;

const TERMINAL = ["FILLED", "CANCELED", "EXPIRED", "REJECTED"];

/**
 * What a listener of the event stream knows, and the rules it sees kept: numbers, quantities, states, triggers. Beside
 * every trailing order it runs the plainest trail there is; over crashes and failures of the store both say the same.
 */
export class ToldOrders {
  readonly #latest: Map<number, ParentOrder> = new Map();
  readonly #updates: readonly OrderUpdate[];
  readonly #sequences: Map<number, number> = new Map();
  readonly #trails: Map<number, Trail> = new Map();
  /** What the engine of now has counted. */
  #quotes: Seen[] = [];
  #read = 0;

  /** `updates` grows with what is told. */
  constructor(updates: readonly OrderUpdate[]) {
    this.#updates = updates;
  }

  /** Every order as it was told last. */
  get all(): readonly ParentOrder[] {
    this.#catchUp();
    return [...this.#latest.values()];
  }

  find(orderId: number): ParentOrder | undefined {
    this.#catchUp();
    return this.#latest.get(orderId);
  }

  get triggered(): number {
    return this.all.filter(({ trigger }) => trigger !== undefined).length;
  }

  /** These quotes were counted, one after the other; `failed` says that the store failed meanwhile. */
  counted(quotes: readonly QuoteStamp[], failed: boolean): void {
    this.#catchUp();
    for (const quote of quotes) this.#quotes.push({ quote, failed });
    for (const [orderId, trail] of this.#trails) this.#follow(orderId, trail);
  }

  #catchUp(): void {
    for (; this.#read < this.#updates.length; this.#read++) {
      const update = this.#updates[this.#read];
      if (update !== undefined) this.#take(update);
    }
  }

  #take({ shard, sequence, record, order }: OrderUpdate): void {
    expect(sequence, "I54").toBe((this.#sequences.get(shard) ?? 0) + 1);
    this.#sequences.set(shard, sequence);
    const before = this.#latest.get(order.orderId);
    checkChange(before, order);
    const by = record.cause.kind === "QUOTE" ? record.cause.quote.sequence : -1;
    if (before?.activation === undefined && order.activation !== undefined) {
      this.#trails.set(order.orderId, { reference: order.activation.seed, next: by });
    }
    if (before?.trigger === undefined && order.trigger !== undefined) {
      checkTrigger(order, order.trigger, record);
      const trail = this.#trails.get(order.orderId);
      if (trail !== undefined) trail.triggeredBy = by;
    }
    this.#latest.set(order.orderId, order);
  }

  /** Lets the plain trail of an order see what it has not seen; an activation may be told late. */
  #follow(orderId: number, trail: Trail): void {
    const order = this.#latest.get(orderId);
    for (; trail.next < this.#quotes.length; trail.next++) {
      const seen = this.#quotes[trail.next];
      if (order === undefined || seen === undefined || !this.#step(order, trail, seen)) {
        this.#trails.delete(orderId);
        return;
      }
    }
  }

  /** One quote; false when the order sees no more. */
  #step(order: ParentOrder, trail: Trail, { quote, failed }: Seen): boolean {
    const distance = order.intent.trailing;
    if (distance === undefined) return false;
    const side = executableSide(order.intent.side);
    const observed = quote[side];
    const level = trailingLevel({ side, reference: trail.reference, distance });
    const fires = side === "ask" ? observed >= level : observed <= level;
    const what = `I31: ${[trail.reference, level, observed].map(formatPrice).join(" ")}`;
    const triggered = trail.triggeredBy === quote.sequence;
    if (triggered) expect([fires, order.trigger?.reference], what).toEqual([true, trail.reference]);
    const ending = order.ended !== undefined || order.pendingEnd !== undefined;
    if (fires && !triggered) expect(failed || ending, what).toBe(true);
    if (fires || ending) return false;
    if (side === "ask" ? observed < trail.reference : observed > trail.reference) trail.reference = observed;
    return true;
  }

  /** A new engine counts its quotes from one. */
  restarted(): void {
    this.counted([], false);
    this.#quotes = [];
    for (const trail of this.#trails.values()) trail.next = 0;
  }
}

function checkChange(before: ParentOrder | undefined, order: ParentOrder): void {
  const { status, apiState, held, cancelPending } = statusOf(order);
  const allowed = TERMINAL.includes(status)
    ? apiState === status && !cancelPending
    : ["NEW", "PARTIALLY_FILLED"].includes(status) && ["WAITING", "WORKING", "UNKNOWN"].includes(apiState);
  expect(allowed && !held && !(cancelPending && apiState === "WAITING"), "I51").toBe(true);
  expect(new Set(order.executions).size, "I15").toBe(order.executions.length);
  if (before === undefined) return;
  expect(order.executedQuantity >= before.executedQuantity, "I10").toBe(true);
  if (before.ended !== undefined) expect(order.ended, "I50").toEqual(before.ended);
  if (before.activation !== undefined) expect(order.activation, "I31").toEqual(before.activation);
  if (before.trigger !== undefined) expect(order.trigger, "decision 17").toEqual(before.trigger);
}

/** A trigger's record holds the quote that caused it, and that quote meets the level on the executable side (I30). */
function checkTrigger({ intent }: ParentOrder, trigger: Trigger, { cause }: JournalRecord): void {
  expect(cause.kind).toBe("QUOTE");
  if (cause.kind !== "QUOTE") return;
  const { bid, ask } = cause.quote;
  const observed = cause.quote[executableSide(intent.side)];
  expect([trigger.observed, bid > 0 && bid <= ask], "I30").toEqual([observed, true]);
  if (intent.trailing !== undefined || intent.stopPrice === undefined) return;
  const profits = intent.type.startsWith("TAKE_PROFIT");
  const direction = profits ? takeProfitDirection(intent.side) : stopDirection(intent.side);
  expect(meets({ direction, level: intent.stopPrice }, observed), "I30").toBe(true);
}
