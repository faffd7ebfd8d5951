import { OrderError } from "../errors/index.ts";
import { type Effect, evolve, managedIdOf, type ParentEvent, transition } from "../lifecycle/index.ts";
import type { Cause, Fact, ParentIntent, ParentOrder } from "../model/index.ts";
import type { ShardAppend, ShardHead, ShardSnapshot } from "../ports/index.ts";
import { AccountOrders } from "./account-orders.ts";
import type { Core, DurableStep, PendingRecord, Slot, Waiter } from "./core.ts";
import { replayShard } from "./replay.ts";

/** What a shard needs from its engine. */
export type ShardHost = Readonly<{
  /** A record waits to be made durable. */
  dirty: (shard: Shard) => void;
  /** A record became durable; called in sequence. */
  durable: (step: DurableStep, slot: Slot) => void;
  /** A record whose append failed was found in the store: it is told like any other; its effects are recovery's. */
  found: (step: DurableStep) => void;
  /** The memory of the shard was made again from the store; `lost` are the slots it had before. */
  reloaded: (shard: Shard, lost: Iterable<Slot>) => void;
  /** A transition wants an exposure and changed nothing else. */
  measure: (order: ParentOrder) => void;
}>;

/** What is decided for a new parent inside the mailbox. */
export type NewParent = Readonly<{
  accountId: number;
  intent: ParentIntent;
  facts: Readonly<Partial<AcceptedFacts>>;
}>;
type AcceptedFacts = Pick<Extract<Fact, { kind: "ACCEPTED" }>, "admissionPrice" | "exposure">;

/**
 * The single writer of its accounts. Everything that happens to them passes through `post`, one at a time and
 * without waiting; what it decides is visible only after the record that says so is durable.
 */
export class Shard {
  readonly number: number;
  readonly slots: Map<number, Slot> = new Map();
  readonly accounts: Map<number, AccountOrders> = new Map();
  readonly #core: Core;
  readonly #host: ShardHost;
  #epoch: number;
  #sequence = 0;
  #durableSequence = 0;
  #counter = 0;
  #snapshotSequence = 0;
  #pending: PendingRecord[] = [];
  /** Records of an append that failed, until the store was read again. */
  #undecided: PendingRecord[] = [];
  #mailbox: (() => void)[] | undefined;
  #fenced = false;

  constructor(head: ShardHead, core: Core, host: ShardHost) {
    this.number = head.shard;
    this.#epoch = head.epoch;
    this.#core = core;
    this.#host = host;
  }

  /** Sequence of the last durable record. */
  get durableSequence(): number {
    return this.#durableSequence;
  }

  /** Another engine owns this shard now; nothing is written or sent from here any more. */
  get fenced(): boolean {
    return this.#fenced;
  }

  /** Whether inputs wait because the shard reads itself from the store again. */
  get reloading(): boolean {
    return this.#mailbox !== undefined;
  }

  account(accountId: number): AccountOrders {
    let orders = this.accounts.get(accountId);
    if (orders === undefined) {
      orders = new AccountOrders();
      this.accounts.set(accountId, orders);
    }
    return orders;
  }

  /** Runs an input now, or after the reload that is under way. */
  post(input: () => void): void {
    this.#core.counters.activity++;
    if (this.#mailbox === undefined) input();
    else this.#mailbox.push(input);
  }

  /** Accepts a new parent; call inside the mailbox. */
  accept(parent: NewParent): PendingRecord {
    this.#demandOwnership();
    const orderId = managedIdOf({ count: ++this.#counter, shard: this.number });
    const fact: Fact = {
      kind: "ACCEPTED",
      accountId: parent.accountId,
      intent: parent.intent,
      ...parent.facts,
    };
    const timeMs = this.#core.nowMs();
    const order = evolve(undefined, fact, { orderId, sequence: this.#sequence + 1, timeMs });
    const slot: Slot = { working: order, durable: undefined };
    this.slots.set(orderId, slot);
    this.account(parent.accountId).add(order);
    return this.#write(slot, {
      previous: 0,
      order,
      facts: [fact],
      effects: [],
      cause: { kind: "PLACE" },
      timeMs,
    });
  }

  /** Takes an ended parent back in so that a late fact can be added to it. */
  adopt(order: ParentOrder): Slot {
    const known = this.slots.get(order.orderId);
    if (known !== undefined) return known;
    const slot: Slot = { working: order, durable: order };
    this.slots.set(order.orderId, slot);
    return slot;
  }

  /**
   * Lets a parent meet an event; call inside the mailbox. Undefined when nothing came of it. A parent that its rules
   * cannot cope with is stopped, and with it its account; the others of the same quote or batch go on.
   */
  change(orderId: number, event: ParentEvent, cause: Cause): PendingRecord | undefined {
    const slot = this.slots.get(orderId);
    if (slot === undefined || this.#fenced) return undefined;
    const before = slot.working;
    const timeMs = this.#core.nowMs();
    const context = { sequence: this.#sequence + 1, nowMs: timeMs, rules: this.#core.rules };
    try {
      const { order, facts, effects, wait } = transition(before, event, context);
      if (wait === undefined) delete slot.wait;
      else slot.wait = wait;
      if (facts.length > 0)
        return this.#write(slot, { previous: before.record, order, facts, effects, cause, timeMs });
      if (effects.some((effect) => effect.kind === "MEASURE")) this.#host.measure(before);
      return undefined;
    } catch (error) {
      if (event.kind === "BROKEN") throw error;
      const detail = error instanceof Error ? error.message : String(error);
      return this.change(orderId, { kind: "BROKEN", detail }, cause);
    }
  }

  /** Resolves when the record is durable, with the order as it says; rejects when it is not, or cannot be told. */
  whenDurable(pending: PendingRecord): Promise<ParentOrder> {
    return new Promise((resolve, reject) => pending.waiters.push({ resolve, reject }));
  }

  /** Takes what waits for the store. */
  takePending(): readonly PendingRecord[] {
    const taken = this.#pending;
    this.#pending = [];
    return taken;
  }

  /** What the store is asked to keep for `pending`. */
  appendOf(pending: readonly PendingRecord[]): ShardAppend {
    const ended = new Map<number, ParentOrder>();
    for (const { order } of pending) if (order.ended !== undefined) ended.set(order.orderId, order);
    return {
      shard: this.number,
      epoch: this.#epoch,
      records: pending.map(({ record }) => record),
      ended: [...ended.values()],
    };
  }

  /** A record is durable: show it, then let follow what follows. Called in sequence. */
  settle(settled: PendingRecord): void {
    const { record, order, waiters } = settled;
    if (this.#fenced) return resolveAll(waiters, order);
    this.#durableSequence = record.sequence;
    const slot = this.slots.get(order.orderId) ?? { working: order, durable: order };
    if (slot.durable === undefined) this.account(order.accountId).confirmed++;
    slot.durable = order;
    if (slot.pending === settled) delete slot.pending;
    if (order.ended !== undefined && slot.working === order) this.#release(order);
    this.#host.durable(this.#stepOf(settled), slot);
    resolveAll(waiters, order);
  }

  /** Asks the store whose the shard is, and stops it when it is another's. */
  async confirm(): Promise<void> {
    const { epoch } = await this.#core.store.head(this.number);
    if (epoch !== this.#epoch) this.fence([]);
  }

  /** The store says that another epoch owns the shard: it stops for good. */
  fence(lost: readonly PendingRecord[]): void {
    this.#fenced = true;
    this.#core.telemetry.event("error", "shard.fenced", { shard: this.number, epoch: this.#epoch });
    for (const { waiters } of [...lost, ...this.takePending()])
      rejectAll(waiters, new OrderError("DISCONNECTED"));
    const slots = [...this.slots.values()];
    this.#forget();
    this.#host.reloaded(this, slots);
  }

  /**
   * An append failed or its outcome is not known: drops the memory, reads the store and goes on from there. A caller
   * whose record is there hears of success, one whose record is not is told so, one that cannot be told hears that.
   */
  async reload(lost: readonly PendingRecord[]): Promise<void> {
    this.#mailbox ??= [];
    this.#undecided.push(...lost, ...this.takePending());
    const before = [...this.slots.values()];
    try {
      await this.load();
    } catch (error) {
      for (const { waiters } of this.#undecided)
        rejectAll(waiters, new OrderError("UNEXPECTED_RESPONSE", {}, { cause: error }));
      throw error;
    }
    for (const pending of this.#undecided.splice(0)) this.#answer(pending);
    const mailbox = this.#mailbox;
    this.#mailbox = undefined;
    // Before arming: a parent that was activated or triggered meanwhile is armed as what it is when that is durable.
    for (const input of mailbox) input();
    this.#host.reloaded(this, before);
  }

  /** Makes the memory from snapshot and journal. */
  async load(): Promise<void> {
    const head = await this.#core.store.head(this.number);
    if (head.epoch !== this.#epoch) return this.fence([]);
    const state = await replayShard(this.#core.store, { shard: this.number, until: head.sequence });
    this.#forget();
    this.#sequence = head.sequence;
    this.#durableSequence = head.sequence;
    this.#counter = state.counter;
    for (const order of state.parents.values()) {
      if (order.ended !== undefined) continue;
      this.slots.set(order.orderId, { working: order, durable: order });
      this.account(order.accountId).add(order);
      this.account(order.accountId).confirmed++;
      this.#index(order);
    }
  }

  /**
   * A snapshot of the durable state when enough records came since the last one; never of a shard that another engine
   * owns, whose memory here is empty.
   */
  snapshotIfDue(): ShardSnapshot | undefined {
    if (this.#fenced) return undefined;
    if (this.#durableSequence - this.#snapshotSequence < this.#core.settings.snapshotEvery) return undefined;
    const parents: ParentOrder[] = [];
    for (const { durable } of this.slots.values()) {
      if (durable !== undefined && durable.ended === undefined) parents.push(durable);
    }
    this.#snapshotSequence = this.#durableSequence;
    return { shard: this.number, sequence: this.#durableSequence, counter: this.#counter, parents };
  }

  /** Tells what became of a record whose append failed, as the store says. */
  #answer(undecided: PendingRecord): void {
    const { record, order, waiters } = undecided;
    // Whose record it is that a later owner's journal holds here cannot be told.
    if (this.#fenced) return rejectAll(waiters, new OrderError("UNEXPECTED_RESPONSE"));
    if (record.sequence > this.#durableSequence) return rejectAll(waiters, new OrderError("DISCONNECTED"));
    this.#host.found(this.#stepOf(undecided));
    resolveAll(waiters, order);
  }

  #stepOf({ record, order, facts, effects }: PendingRecord): DurableStep {
    return { shard: this.number, record, order, facts, effects };
  }

  #demandOwnership(): void {
    if (this.#fenced) throw new OrderError("DISCONNECTED");
  }

  #write(slot: Slot, step: Step): PendingRecord {
    const { previous, order, facts, effects, cause, timeMs } = step;
    const record = {
      shard: this.number,
      sequence: ++this.#sequence,
      timeMs,
      cause,
      changes: [{ orderId: order.orderId, previous, facts }],
    };
    slot.working = order;
    this.#index(order);
    if (facts.some(movesExposure)) this.account(order.accountId).moves++;
    const decision = this.#core.counters.decisions++;
    const pending: PendingRecord = { record, decision, order, facts, effects, waiters: [] };
    slot.pending = pending;
    this.#pending.push(pending);
    this.#core.counters.activity++;
    this.#host.dirty(this);
    return pending;
  }

  /** Keeps the account's reservations and its freeze in step with a parent. */
  #index(order: ParentOrder): void {
    const account = this.account(order.accountId);
    if (order.intent.reduceOnly && order.child !== undefined) account.reducing.add(order.orderId);
    else account.reducing.delete(order.orderId);
    if (order.frozen !== undefined && order.ended === undefined) account.frozen = true;
  }

  #release(order: ParentOrder): void {
    this.slots.delete(order.orderId);
    const account = this.account(order.accountId);
    account.remove(order);
    if (account.size === 0 && !account.frozen) this.accounts.delete(order.accountId);
  }

  #forget(): void {
    this.slots.clear();
    this.accounts.clear();
    this.#pending = [];
  }
}

const movesExposure = ({ kind }: Fact): boolean => kind === "FILLED" || kind === "CHILD_CLOSED";

function resolveAll(waiters: readonly Waiter[], order: ParentOrder): void {
  for (const waiter of waiters) waiter.resolve(order);
}

function rejectAll(waiters: readonly Waiter[], error: OrderError): void {
  for (const waiter of waiters) waiter.reject(error);
}

type Step = Readonly<{
  previous: number;
  order: ParentOrder;
  facts: readonly Fact[];
  effects: readonly Effect[];
  cause: Cause;
  timeMs: number;
}>;
