import { errorMessage } from "../../common/index.ts";
import { InvariantError, invariant, type OrderError } from "../../errors/index.ts";
import { executes, managedIdOf, type ParentEvent, transitionList } from "../../lifecycle/index.ts";
import type { Activation, Cause, MarketMark } from "../../model/index.ts";
import type { ShardAppend, ShardHead, ShardSnapshot } from "../../ports/index.ts";
import type { ReadonlyIdMap } from "../../triggers/index.ts";
import { encodeRecord } from "../../wire/index.ts";
import type { Core } from "../core/core.ts";
import { EngineError } from "../core/engine-error.ts";
import { Fifo } from "../core/fifo.ts";
import { hesitate, ifLost, type LiveOrder, type ParentStep, type PendingRecord } from "../core/live-order.ts";
import type { ShardReads } from "../core/stored.ts";
import type { AccountOrders } from "./account-orders.ts";
import { Endings } from "./ended.ts";
import {
  acceptedStep,
  appendOf,
  canceledStep,
  Intents,
  membershipOf,
  type NewParents,
  resolveAll,
  Undecided,
  whenDurable,
} from "./pending-records.ts";
import { executionReader, type ParentCapture, type Replayed, replayShard } from "./replay.ts";
import { ShardMemory } from "./shard-memory.ts";
import { type Followed, ShardLife, type ShardSources, type ShardState } from "./shard-state.ts";

/**
 * The single writer of its accounts. Every event of these accounts passes through `post`, one at a time and without
 * waiting. A decision is visible only after its record is durable. A shard decides only while it runs; see {@link
 * ShardLife}.
 */
export class Shard {
  readonly number: number;
  /** Endings that are decided. */
  readonly endings: Endings = new Endings();
  /** Records that wait for the committer. */
  readonly pending: Fifo<PendingRecord> = new Fifo();
  readonly #core: Core;
  readonly #reads: ShardReads;
  readonly #deadlines: ShardSources["deadlines"];
  readonly #life: ShardLife;
  #epoch: number;
  /**
   * Rises before every reading after the first. The store then refuses appends of earlier rounds that are still under
   * way.
   */
  #round = 0;
  #memory: ShardMemory = new ShardMemory();
  #sequence = 0;
  #durableSequence = 0;
  #counter = 0;
  #snapshotSequence = 0;
  readonly #activating: Map<number, Activation> = new Map();
  /** Sequence of the last record of which callers may have been told that its outcome is unknown, because the store is late. */
  #lateTo = 0;
  readonly #intents: Intents;
  readonly #undecided: Undecided = new Undecided();

  constructor(head: ShardHead, core: Core, { deadlines, reads }: ShardSources) {
    this.number = head.shard;
    this.#epoch = head.epoch;
    this.#core = core;
    this.#reads = reads;
    this.#intents = new Intents(core.counters);
    this.#deadlines = deadlines;
    this.#life = new ShardLife({
      shard: head.shard,
      maxWaiting: core.settings.maxPendingCommands,
      trust: core.trust,
      telemetry: core.telemetry,
    });
  }

  /** The current memory. It is replaced when the shard has been read again or was released. */
  get memory(): ShardMemory {
    return this.#memory;
  }

  get liveOrders(): ReadonlyIdMap<LiveOrder> {
    return this.#memory.liveOrders;
  }

  get accounts(): ReadonlyMap<number, AccountOrders> {
    return this.#memory.accounts;
  }

  /** Sequence of the last durable record. */
  get durableSequence(): number {
    return this.#durableSequence;
  }

  get state(): ShardState {
    return this.#life.state;
  }

  /** Whether this engine owns the shard and is not giving it away. */
  get isOwned(): boolean {
    return this.#life.isOwned;
  }

  /** The epoch with which this engine owns the shard, or owned it last. */
  get epoch(): number {
    return this.#epoch;
  }

  /** Whether callers were told that an outcome is unknown: an append failed, or the store has not answered in time. */
  get isInDoubt(): boolean {
    return this.#durableSequence < this.#lateTo || this.state === "reloading";
  }

  /** Notes that the store is late, and callers who wait for a record are told that its outcome is unknown. */
  noteLate(): void {
    this.#lateTo = this.#sequence;
  }

  /** Throws if nothing can be decided here now. */
  requireRunning(): void {
    const { refusal } = this.#life;
    if (refusal !== undefined) throw refusal;
  }

  /**
   * Throws SHARD_ELSEWHERE unless this engine has owned the shard without interruption since it had that epoch. Work that
   * has waited rests on what it had read before.
   */
  requireSince(epoch: number): void {
    if (this.state === "elsewhere" || epoch !== this.#epoch)
      throw new EngineError("SHARD_ELSEWHERE", { shard: this.number });
  }

  /** Runs an input now, or when the shard runs. Calls `refused` if it never will. */
  post(input: () => void, refused?: (error: OrderError) => void): void {
    this.#core.counters.activity++;
    this.#life.post(input, refused);
  }

  /**
   * Activates a trailing parent now, or when the shard runs. The quote may not come again: what waits is decided also while
   * the shard leaves, and what the store does not keep is decided again. The next owner sees later quotes itself.
   */
  activate(orderId: number, activation: Activation, cause: Cause, isAgain = false): void {
    if (isAgain ? this.#hasStopped : !this.isOwned) return;
    this.#activating.set(orderId, activation);
    this.conclude(() => {
      this.#activating.delete(orderId);
      const pending = this.change(orderId, { kind: "ACTIVATED", activation }, cause);
      ifLost(pending, () => this.activate(orderId, activation, cause, true));
    });
  }

  /** Activations that wait in the mailbox, by order. No state of a parent has them yet. */
  get activating(): ReadonlyMap<number, Activation> {
    return this.#activating;
  }

  /** Runs an input as {@link post} does, and also while the shard leaves: it belongs to what was decided before. */
  conclude(input: () => void): void {
    this.#core.counters.activity++;
    this.#life.conclude(input);
  }

  /** Runs inputs that waited because the trust of the engine had lapsed. */
  resume(): void {
    this.#life.resume();
  }

  /** Accepts new parents, all in one record. Call it inside the mailbox. */
  accept({ accountId, timeMs, parents, list, canceled }: NewParents): PendingRecord {
    this.requireRunning();
    const place = { sequence: this.#sequence + 1, timeMs };
    const listId = list === undefined ? 0 : this.#nextId();
    const ids = parents.map(() => this.#nextId());
    const steps = parents.map(({ intent, admission }, index) => {
      this.#core.clientIds.add(accountId, intent.clientOrderId);
      const membership = list && { list: membershipOf(list, { listId, legs: ids, index }) };
      const acceptance = ++this.#core.counters.acceptances;
      const accepted = { accountId, intent, acceptance, ...admission, ...membership };
      return acceptedStep(accepted, { orderId: ids[index] ?? 0, ...place });
    });
    if (canceled !== undefined)
      steps.unshift(
        canceledStep(canceled, { ...place, nowMs: timeMs, rules: this.#core.rules, notAfterMs: 0 }),
      );
    return this.#write({ steps, cause: { kind: "PLACE" }, timeMs });
  }

  /**
   * Applies an event to a parent, and with it to its list. Call it inside the mailbox. Returns undefined if nothing
   * changed. If the rules fail on a parent, the parent is stopped, and with it its account; the other parents of the
   * same quote or batch continue.
   */
  change(orderId: number, event: ParentEvent, cause: Cause): PendingRecord | undefined {
    if (this.state !== "running")
      throw new InvariantError("I65", `a change was decided while the shard was ${this.state}`);
    const live = this.liveOrders.get(orderId);
    if (live === undefined) return undefined;
    const before = live.working;
    const timeMs = this.#core.nowMs();
    const { rules } = this.#core;
    const notAfterMs = executes(event) ? this.#deadlines.notAfterMs() : 0;
    const { isLookedUp } = this.memory;
    const context = { sequence: this.#sequence + 1, nowMs: timeMs, rules, notAfterMs, isLookedUp };
    try {
      const steps = transitionList({ legs: this.memory.legsOf(before), orderId, event }, context);
      const lead = steps.find(({ order }) => order.orderId === orderId);
      hesitate(live, lead?.wait);
      const changed = steps.filter(({ facts }) => facts.length > 0);
      if (changed.length > 0) return this.#write({ steps: changed, cause, timeMs });
      if (lead?.effects.some((effect) => effect.kind === "MEASURE"))
        this.#core.effects.emit({ kind: "EXPOSURE_WANTED", order: before });
      return undefined;
    } catch (error) {
      if (event.kind === "INVARIANT_BROKEN") throw error;
      const detail = errorMessage(error);
      return this.change(orderId, { kind: "INVARIANT_BROKEN", detail }, cause);
    }
  }

  /** Resolves when the record is durable. Rejects when it is not, or when that is unknown. */
  whenDurable(pending: PendingRecord): Promise<void> {
    return whenDurable(pending);
  }

  /** Returns the append that stores records and marks. */
  appendOf(pending: readonly PendingRecord[], marks: readonly MarketMark[]): ShardAppend {
    return appendOf({ shard: this.number, epoch: this.#epoch, round: this.#round }, pending, marks);
  }

  /** Handles a durable record: makes it visible, then emits what follows. Called in sequence. */
  settle(settled: PendingRecord): void {
    const { record, steps } = settled;
    // The record is kept, but this engine has no memory left to show it.
    if (this.state !== "running") return resolveAll(settled);
    this.#durableSequence = record.sequence;
    this.#intents.durable(steps);
    for (const { order, facts } of steps) this.#core.executions.note(order, facts);
    const liveOrders = steps.map(({ order }) => this.memory.show(order, settled));
    for (const live of liveOrders) this.memory.retire(live);
    for (const { order } of steps) if (order.ended !== undefined) this.endings.durable(order.orderId);
    this.#core.effects.emit({ kind: "RECORD_DURABLE", record: settled, liveOrders });
    resolveAll(settled);
  }

  /** Asks the store for the owner of the shard, and stops the shard if another engine owns it. */
  async confirm(): Promise<void> {
    const { epoch } = await this.#reads.head(this.number);
    this.noteEpoch(epoch);
  }

  /**
   * Notes the epoch that the store has for the shard, and stops the shard if it is that of a later owner. A lower one was read
   * before the shard came to this engine.
   */
  noteEpoch(epoch: number): void {
    if (epoch > this.#epoch && this.state !== "elsewhere") this.#fence(epoch);
  }

  /** Takes a memory that followed the journal up to its last record, and runs from then on. */
  continueFrom(followed: Followed): void {
    this.#restore(followed.sequence, followed, followed.memory);
    this.#life.enter("running");
  }

  /** Starts as a shard of other nodes, in place of {@link load}: it refuses every input until {@link arrive}. */
  startElsewhere(): void {
    this.#life.enter("elsewhere");
  }

  /**
   * Runs the shard from now on, because a claim has made this engine its owner. If the epoch is the same as before, this
   * engine has owned the shard without interruption, and its round continues.
   */
  arrive(epoch: number, followed: Followed): void {
    if (epoch !== this.#epoch) this.#round = 0;
    this.#epoch = epoch;
    this.#snapshotSequence = 0;
    this.continueFrom(followed);
  }

  /** Decides nothing more; what is decided still becomes durable. The shard goes to another node. */
  leave(): void {
    this.#life.leave();
  }

  /** Whether everything that was decided is durable, and nothing waits that belongs to it. */
  get isSettled(): boolean {
    return this.state === "running" && this.#sequence === this.#durableSequence && this.#life.isEmpty;
  }

  /**
   * Hands over the memory, from which a follower or a later {@link arrive} continues. The shard is elsewhere from now on. Call
   * it when the shard has left and is settled.
   */
  depart(): Followed {
    invariant(this.isSettled, "I65", "a shard departs with records that are not durable");
    const { memory } = this;
    const { acceptances } = this.#core.counters;
    const [sequence, counter, lastMs] = [this.#durableSequence, this.#counter, this.#core.nowMs()];
    this.#life.enter("elsewhere");
    this.#replaceMemory(new ShardMemory());
    return { memory, sequence, counter, acceptances, lastMs };
  }

  /** Builds the memory from snapshot and journal, and runs from then on. Rejects when the store cannot be read. */
  async load(): Promise<void> {
    if (await this.#read()) this.#life.enter("running");
  }

  /**
   * Recovers from an append that failed, whose outcome is unknown, or that the store refused without keeping
   * anything. Begins a new round, so that earlier appends cannot become durable any more, drops the memory, reads the
   * store and continues from there. A caller whose record is in the store gets success. A caller whose record is not
   * there gets an error that says so, and one whose record's fate is unknown gets UNEXPECTED_RESPONSE. Rejects when
   * the store cannot be fenced or read; then it is called again.
   */
  async reload(lost: readonly PendingRecord[], mayBeStored: boolean): Promise<void> {
    invariant(this.state !== "loading", "I65", "an append failed on a shard that is not loaded yet");
    this.#lateTo = 0;
    for (const pending of lost) this.#undecided.add(pending, mayBeStored);
    if (this.#hasStopped) return this.#answerAll();
    if (this.state === "running") this.#life.enter("reloading");
    this.#abandonPending();
    const before = this.liveOrders;
    try {
      if (!(await this.#readAgain())) return;
    } catch (error) {
      this.#undecided.report(error);
      throw error;
    }
    this.#answerAll();
    // Run the mailbox before arming: a parent that was activated or triggered meanwhile is armed when its new state
    // is durable.
    this.#life.enter("running");
    this.#core.effects.emit({ kind: "SHARD_RELOADED", shard: this.number, before });
  }

  /** Closes the shard: nothing is decided, shown or sent from here any more, and all waiters are answered. */
  close(): void {
    if (this.state === "closed") return;
    this.#life.enter("closed");
    this.#abandonPending();
    this.#answerAll();
  }

  /** Reads the store again behind a fence, because an append may still be under way. */
  async #readAgain(): Promise<boolean> {
    const { number: shard } = this;
    await this.#reads.fence({ shard, epoch: this.#epoch, round: ++this.#round });
    return !this.#hasStopped && (await this.#read());
  }

  /**
   * Reads the store into memory. Resolves to false when the shard was fenced or closed meanwhile, or has another
   * owner.
   */
  async #read(): Promise<boolean> {
    const head = await this.#reads.head(this.number);
    if (head.epoch !== this.#epoch) this.#fence(head.epoch);
    if (this.#hasStopped) return false;
    const { turns } = this.#core;
    const show = this.#undecided.reading();
    const { sequence: until, forgotten = 0 } = head;
    const executions = executionReader(this.#core, this.number);
    const range = { shard: this.number, until, forgotten, turns, show, executions };
    const state = await replayShard(this.#reads, range);
    const memory = new ShardMemory();
    await memory.remember(state.parents, this.#core);
    if (this.#hasStopped) return false;
    this.#restore(head.sequence, state, memory);
    return true;
  }

  get #hasStopped(): boolean {
    return this.state === "fenced" || this.state === "closed" || this.state === "elsewhere";
  }

  #restore(
    sequence: number,
    state: Pick<Replayed, "counter" | "lastMs" | "acceptances">,
    memory: ShardMemory,
  ): void {
    this.#replaceMemory(memory);
    this.endings.reloaded(sequence);
    this.#sequence = sequence;
    this.#durableSequence = sequence;
    this.#counter = state.counter;
    if (state.lastMs !== undefined) this.#core.time.startFrom(state.lastMs);
    const { counters } = this.#core;
    counters.acceptances = Math.max(counters.acceptances, state.acceptances);
  }

  /** Stops the shard for good: the store says that another epoch owns it. */
  #fence(epoch: number): void {
    if (this.#hasStopped) return;
    this.#life.enter("fenced");
    this.#core.counters.shards--;
    const fields = { shard: this.number, epoch: this.#epoch, owner: epoch };
    this.#core.telemetry.event("error", "shard.fenced", fields);
    this.#abandonPending();
    const before = this.liveOrders;
    this.#replaceMemory(new ShardMemory());
    this.#core.effects.emit({ kind: "SHARD_RELOADED", shard: this.number, before });
    this.#answerAll();
  }

  /**
   * Starts a capture of the current durable state, to be gathered in slices. The capture does not change with the
   * shard.
   */
  capture(): ParentCapture {
    return this.memory.capture(this.#durableSequence);
  }

  /** Whether enough records came since the last snapshot. Never true while another engine may own the shard. */
  get isSnapshotDue(): boolean {
    return this.hasRecordsSince(this.#core.settings.snapshotEvery);
  }

  /** Whether at least `count` records came since the last snapshot. Never true while another engine may own the shard. */
  hasRecordsSince(count: number): boolean {
    return this.state === "running" && this.#durableSequence - this.#snapshotSequence >= count;
  }

  /**
   * Gathers a snapshot of the current durable state in slices. Resolves to undefined when no record came since the last
   * one, or when the shard stops running or is read again meanwhile, because its memory is then unfit for a snapshot.
   */
  async snapshot(): Promise<ShardSnapshot | undefined> {
    if (!this.hasRecordsSince(1)) return undefined;
    const { number: shard, memory } = this;
    const [sequence, counter] = [this.#durableSequence, this.#counter];
    const goesOn = (): boolean => this.state === "running" && this.memory === memory;
    const parents = await this.capture().gather(this.#core.turns, goesOn);
    if (parents === undefined) return undefined;
    this.#snapshotSequence = sequence;
    return { shard, sequence, counter, parents };
  }

  /** Makes the records that were not handed to the store undecided. The store cannot have kept them. */
  #abandonPending(): void {
    for (const pending of this.pending.takeWhile(() => true)) this.#undecided.add(pending, false);
  }

  #answerAll(): void {
    this.#undecided.answer({
      refusal: this.#life.refusal,
      // The journal of a later owner does not tell whose record is at this place, and a closed store does not tell what
      // it kept.
      last: this.#hasStopped ? undefined : this.#durableSequence,
      found: (record) => this.#core.effects.emit({ kind: "RECORD_FOUND", record }),
    });
  }

  #nextId(): number {
    return managedIdOf({ count: ++this.#counter, shard: this.number });
  }

  /**
   * Takes a decision. First creates everything that can fail, then changes the shard in one step. The text of the
   * record is part of that: a record that cannot be encoded is not decided, and does not fail other appends.
   */
  #write({ steps, cause, timeMs }: Decision): PendingRecord {
    const changes = steps.map(({ order: { orderId }, facts }) => {
      return { orderId, previous: this.liveOrders.get(orderId)?.working.lastSequence ?? 0, facts };
    });
    const record = { shard: this.number, sequence: this.#sequence + 1, timeMs, cause, changes };
    const text = encodeRecord(record);
    const list = this.memory.listAfter(steps);
    const decision = this.#core.counters.decisions++;
    const decidedAtMs = this.#core.monotonicMs();
    const pending: PendingRecord = { record, text, decision, decidedAtMs, steps, list, waiters: undefined };
    this.#sequence = record.sequence;
    this.#intents.decided(steps);
    this.pending.push(pending);
    this.endings.decided(record.sequence, steps, this.liveOrders);
    for (const { order } of steps) this.memory.take(order, pending);
    this.#core.counters.activity++;
    this.#core.effects.emit({
      kind: "RECORD_DECIDED",
      shard: this.number,
      isRequested: REQUESTED.has(cause.kind),
    });
    return pending;
  }

  #replaceMemory(memory: ShardMemory): void {
    this.#intents.clear();
    this.#memory = memory;
    this.pending.clear();
  }
}

/** Causes of records that a caller waits for. */
const REQUESTED: ReadonlySet<Cause["kind"]> = new Set(["PLACE", "CANCEL", "AMEND", "OPERATOR"]);

type Decision = Readonly<{ steps: readonly ParentStep[]; cause: Cause; timeMs: number }>;
