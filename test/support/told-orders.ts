import { expect } from "vitest";
import { formatPrice, type Price } from "../../src/decimal/index.ts";
import type { ListUpdate, OrderUpdate } from "../../src/engine/index.ts";
import { statusOf } from "../../src/lifecycle/index.ts";
import type { JournalRecord, ParentOrder, QuoteStamp, Trigger } from "../../src/model/index.ts";
import {
  executableSide,
  meets,
  stopDirection,
  takeProfitDirection,
  trailingLevel,
} from "../../src/triggers/index.ts";
import { demand } from "./demand.ts";
import { checkLists, type ToldChange, type ToldRecord } from "./told-lists.ts";
import { ToldSchedules, type TrueVolume } from "./told-schedules.ts";

/** The plainest trail: its reference, and the quote of this engine it sees next. */
type Trail = { reference: Price; next: number; triggeredBy?: number };
type Seen = Readonly<{ quote: QuoteStamp; failed: boolean }>;

const TERMINAL = ["FILLED", "CANCELED", "EXPIRED", "REJECTED"];

/** What is told, which grows, and what the simulation knows beside it. */
export type ToldSources = Readonly<{
  updates: readonly OrderUpdate[];
  lists: readonly ListUpdate[];
  volume: TrueVolume;
}>;

/** Whose a list is, and the ids of its legs. */
export type ToldList = Readonly<{ accountId: number; legs: readonly number[] }>;

/**
 * What a listener of the event stream knows, and the rules it sees kept: numbers, quantities, states, triggers, lists
 * and schedules. Beside every trailing order it runs the plainest trail there is; over crashes and failures of the store
 * both say the same.
 */
export class ToldOrders {
  readonly #latest: Map<number, ParentOrder> = new Map();
  /** Every order as each record left it, by id and record. */
  readonly #versions: Map<string, ParentOrder> = new Map();
  readonly #lists: Map<number, ToldList> = new Map();
  readonly #told: ToldSources;
  readonly #schedules: ToldSchedules;
  readonly #sequences: Map<number, number> = new Map();
  readonly #trails: Map<number, Trail> = new Map();
  /** What the engine of now has counted. */
  #quotes: Seen[] = [];
  #read = 0;
  #readLists = 0;
  /** The record that is being told, and what it did so far. */
  #record: JournalRecord | undefined;
  #changes: ToldChange[] = [];

  constructor(told: ToldSources) {
    this.#told = told;
    this.#schedules = new ToldSchedules(told.volume);
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
    const { updates, lists } = this.#told;
    for (; this.#read < updates.length; this.#read++) {
      const update = updates[this.#read];
      if (update !== undefined) this.#take(update);
    }
    this.#endRecord();
    for (; this.#readLists < lists.length; this.#readLists++) {
      const update = lists[this.#readLists];
      if (update !== undefined) this.#checkList(update);
    }
  }

  /** A record is told order by order, in its order; records of a shard in sequence. */
  #beginRecord(record: JournalRecord): void {
    if (record === this.#record) return;
    this.#endRecord();
    const { shard, sequence } = record;
    demand(sequence === (this.#sequences.get(shard) ?? 0) + 1, `I54: record ${sequence} of shard ${shard}`);
    this.#sequences.set(shard, sequence);
    this.#record = record;
  }

  #endRecord(): void {
    const record = this.#record;
    if (record === undefined) return;
    const changes = this.#changes;
    this.#record = undefined;
    this.#changes = [];
    const whole = changes.length === record.changes.length;
    const inOrder = changes.every(({ order }, index) => order.orderId === record.changes[index]?.orderId);
    demand(whole && inOrder, "I54: a record is told order by order");
    const told: ToldRecord = { record, changes, latest: (orderId) => this.#latest.get(orderId) };
    checkLists(told);
    this.#schedules.check(told);
  }

  /** A list is told as its legs stand after the record (I44). */
  #checkList({ list, sequence }: ListUpdate): void {
    for (const leg of list.legs) {
      expect(this.#versions.get(`${leg.orderId} ${leg.record}`), "I54: a list is its legs").toEqual(leg);
    }
    expect(Math.max(...list.legs.map((leg) => leg.record)), "I54").toBe(sequence);
  }

  /** The lists that were told of, by id, each with the ids of its legs. */
  get lists(): ReadonlyMap<number, ToldList> {
    this.#catchUp();
    return this.#lists;
  }

  #take({ record, order }: OrderUpdate): void {
    this.#beginRecord(record);
    const before = this.#latest.get(order.orderId);
    this.#changes.push({ before, order });
    const { accountId, list } = order;
    if (list !== undefined) this.#lists.set(list.listId, { accountId, legs: list.legs });
    this.#versions.set(`${order.orderId} ${order.record}`, order);
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
  const isHeld = status === "PENDING_NEW" && apiState === "WAITING" && !cancelPending;
  const stands = held ? isHeld : allowed && !(cancelPending && apiState === "WAITING");
  demand(stands, `I51: ${status} ${apiState}`);
  demand(new Set(order.executions).size === order.executions.length, "I15");
  if (before === undefined) return;
  demand(order.executedQuantity >= before.executedQuantity, "I10");
  checkKept(before, order);
  if (order.attempts > before.attempts) {
    const sends = before.held ?? before.ended ?? before.pendingEnd ?? before.child;
    demand(sends === undefined, "I23, I24: it may not send");
  }
}

/** What never changes once it is there: end, weights, activation, trigger. */
const KEPT = { ended: "I50", plan: "I34", activation: "I31", trigger: "decision 17", list: "I53" } as const;

function checkKept(before: ParentOrder, order: ParentOrder): void {
  for (const [name, rule] of Object.entries(KEPT) as [keyof typeof KEPT, string][]) {
    if (before[name] === undefined || before[name] === order[name]) continue;
    expect(order[name], rule).toEqual(before[name]);
  }
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
