import { errorMessage, Pause } from "../../common/index.ts";
import { InvariantError } from "../../errors/index.ts";
import { readOutcomes } from "../../host-answers/index.ts";
import type { MarketMark, PricedPrint, StoredQuote } from "../../model/index.ts";
import type { AppendOutcome, ShardAppend } from "../../ports/index.ts";
import type { AppendTimes, Core } from "../core/core.ts";
import type { Moment } from "../core/engine-time.ts";
import type { PendingRecord } from "../core/live-order.ts";
import type { OpenCalls } from "../core/open-calls.ts";
import { MarketBacklog } from "../market/market-backlog.ts";
import type { MarketHub } from "../market/market-hub.ts";
import { type CommitQueue, type ShardPart, settlingOrder } from "../shards/commit-queue.ts";
import type { Shard } from "../shards/shard.ts";
import type { Shards } from "../shards/shards.ts";
import type { StatusBoard } from "../status/status-board.ts";
import type { Bursts } from "../time/bursts.ts";
import type { Timers } from "../time/timers.ts";
import type { Housekeeping } from "./housekeeping.ts";
import { MarkPause } from "./mark-pause.ts";
import { Reloads, watchLateCalls } from "./reloads.ts";

/** Dependencies of {@link Committer}. */
export type CommitParts = Readonly<{
  shards: Shards;
  commits: CommitQueue;
  timers: Timers;
  bursts: Bursts;
  market: MarketHub;
  board: StatusBoard;
  calls: OpenCalls;
  housekeeping: Housekeeping;
  times: AppendTimes;
}>;

/**
 * Records settled in one turn. Each takes some tens of microseconds, including the work of a venue that answers at
 * once.
 */
const SETTLED_PER_TURN = 64;

/** Units of a turn's share that storing one record takes. */
const UNITS_PER_RECORD = 0.5;

/** After this many times `hostTimeoutMs` without an answer, the append or its answer counts as lost. */
export const APPEND_PATIENCE = 12;

/** Lets the next append follow, at once or after a pause. Only the first call counts. */
type Resume = (after?: "pause") => void;

type MarkWaiter = Readonly<{ shard: number; resolve: (durable: boolean) => void }>;

/**
 * One append. `held` are the shards that wait for it since it had no answer for `hostTimeoutMs`; undefined before, while all
 * do.
 */
type Batch = Readonly<{
  parts: readonly ShardPart[];
  prints: readonly PricedPrint[];
  quotes: readonly StoredQuote[];
}> & { requestedAt: Moment; held: Shard[] | undefined; isAnswered: boolean; over: Promise<void> };

/**
 * Group commit: records of many commands and many shards share one append. One append is under way at a time, besides those
 * without an answer for `hostTimeoutMs`. What such an append has a part of waits for it: its shards, and the market journal
 * with the records that rest on its volume. All others go on. After a failed append every shard in it reads itself from the
 * store again, while the appends of others go on.
 */
export class Committer {
  readonly #core: Core;
  readonly #parts: CommitParts;
  readonly #backlog: MarketBacklog = new MarketBacklog();
  readonly #marks: MarkPause;
  readonly #reloads: Reloads;
  #begun = false;
  #busy = false;
  #running: Promise<void> = Promise.resolve();
  /** Appends without an answer, and those whose records are being settled or read again. A map would keep old ones alive. */
  #open: readonly Batch[] = [];
  /** The append whose prints and quotes the later ones wait for. */
  #marketAside: Batch | undefined;
  #requestedAt: Moment = { wallMs: 0, monotonicMs: 0 };
  /** The pause after a failure. */
  readonly #pause: Pause = new Pause();
  /** Whether a caller waits for records that were decided since the last failure. */
  #isRequested = false;
  /** Number of consecutive appends that were not kept. */
  #failures = 0;
  #stopped = false;
  /** Called with whether the marks of a shard that were made before are durable. */
  #whenMarked: MarkWaiter[] = [];

  constructor(core: Core, parts: CommitParts) {
    this.#core = core;
    this.#parts = parts;
    this.#marks = new MarkPause(core, parts.market, parts.commits, parts.timers);
    this.#reloads = new Reloads(core, { ...parts, read: () => this.#requeue() });
  }

  /**
   * Allows appends. Nothing is appended before, so that the opener of the engine sees everything that becomes
   * durable.
   */
  begin(): void {
    this.#begun = true;
    if (!this.#parts.commits.isEmpty) this.wake();
  }

  /**
   * When the append that is settled now was handed to the store. Another engine may own the shard since then.
   */
  get requestedAt(): Moment {
    return this.#requestedAt;
  }

  /** Whether an append is due or under way. */
  get busy(): boolean {
    return this.#open.length > 0 || (this.#busy && !this.#pause.isOn);
  }

  /**
   * Schedules an append for the pending records of a shard, or without a shard for marks and prints.
   * `asked` says that a caller waits for the records; it ends the pause after a failure, or leaves it out.
   */
  wake(shard?: Shard, isRequested = false): void {
    if (shard !== undefined) this.#parts.commits.add(shard);
    if (isRequested) {
      this.#isRequested = true;
      this.#pause.end();
    }
    if (!this.#begun || this.#busy || this.#stopped) return;
    this.#core.clock.soon(() => {
      this.#running = this.#run();
    });
    this.#busy = true;
  }

  /** Appends all marks that were made until now, also those that could wait. Resolves to whether those of a shard are durable. */
  persistMarks(shard: number): Promise<boolean> {
    if (this.#stopped) return Promise.resolve(false);
    return new Promise((resolve) => {
      this.#whenMarked.push({ shard, resolve });
      this.wake();
    });
  }

  /**
   * Drops the marks of a shard that a failed append left: another engine has made marks of it since. Call it before the shard
   * runs again.
   */
  dropMarks(shard: number): void {
    this.#backlog.evict(shard);
  }

  /** Appends the marks that waited and the last counted quotes unless the store is failing, and nothing after them. */
  async finish(): Promise<void> {
    const { market } = this.#parts;
    const isCalm = !this.#busy && this.#open.length === 0 && this.#backlog.isEmpty;
    this.#stopped = true;
    if (!isCalm) return;
    const parts = this.#partsOf(new Map(), market.takeFacts({ onlyDue: false }).marks);
    const quotes = market.quotesToStore([]);
    if (parts.length + quotes.length === 0) return;
    try {
      await this.#core.store.append({ shards: parts.map(appendOf), quotes });
    } catch (error) {
      this.#core.telemetry.event("warn", "quotes.unsaved", { message: errorMessage(error) });
    }
  }

  /** Resolves when no append is under way or waits. */
  get resting(): Promise<unknown> {
    return Promise.all([this.#running, ...this.#open.map(({ over }) => over)]);
  }

  /** Stops appending, and ends the wait of all callers for records that the store has not answered for. */
  stop(): void {
    this.#stopped = true;
    for (const { parts, isAnswered } of this.#open) if (!isAnswered) void this.#reloads.start(parts, true);
    for (const { resolve } of this.#whenMarked.splice(0)) resolve(false);
  }

  /**
   * Appends batch by batch. Clears `#busy` in the same synchronous step that finds nothing left; otherwise a wake-up
   * is lost.
   */
  async #run(): Promise<void> {
    while (!this.#stopped) {
      if (this.#backlog.isEmpty && this.#marks.isDue && !this.#isMarkingAll) await this.#marks.over();
      const waiting = this.#whenMarked;
      const batch = this.#gather();
      this.#whenMarked = [];
      if (batch !== undefined && (await this.#commit(batch)) === "pause") await this.#waitAfterFailure();
      for (const { shard, resolve } of waiting) resolve(this.#areMarksDurable(shard));
      if (batch === undefined) break;
      this.#parts.bursts.wake();
      // Remaining records and follow-up work wait for the next turn. Otherwise callers that place again as soon as
      // they are answered would block quotes, timers and the network for as long as they continue.
      if (!this.#parts.commits.isEmpty || this.#parts.market.hasFacts) await this.#core.turns.next();
    }
    this.#busy = false;
    this.#marks.later(() => this.wake());
  }

  get #isMarkingAll(): boolean {
    return this.#whenMarked.length > 0;
  }

  #areMarksDurable(shard: number): boolean {
    const { shards, commits } = this.#parts;
    return !this.#backlog.has(shard) && !commits.isHeld(shards.at(shard));
  }

  #gather(): Batch | undefined {
    const { commits, market } = this.#parts;
    if (this.#marketAside !== undefined)
      for (const shard of commits.holdIf(restsOnVolume)) this.#marketAside.held?.push(shard);
    const taken = commits.take();
    const onlyDue = this.#marks.onlyDue && !this.#isMarkingAll;
    const { marks: since, prints } = market.takeFacts({ onlyDue });
    const marks = this.#backlog.take(since);
    this.#marks.taken(marks.length);
    const parts = this.#partsOf(taken, marks);
    if (parts.length + prints.length === 0) return undefined;
    const quotes = market.quotesToStore(marketsOf(parts));
    return {
      parts,
      prints,
      quotes,
      requestedAt: this.#requestedAt,
      held: undefined,
      isAnswered: false,
      over: this.#running,
    };
  }

  /**
   * Returns the parts of an append, each with the records and marks of its shard. Marks of a shard that is being read
   * again, or waits for an append, wait until it runs; those of a shard that another engine owns are dropped.
   */
  #partsOf(
    records: ReadonlyMap<Shard, readonly PendingRecord[]>,
    marks: readonly MarketMark[],
  ): readonly ShardPart[] {
    const marksOf = new Map<Shard, MarketMark[]>();
    const waiting: MarketMark[] = [];
    const { shards: all, commits } = this.#parts;
    for (const mark of marks) {
      const shard = all.at(mark.shard);
      const waits = shard.state === "reloading" || commits.isHeld(shard);
      if (waits) waiting.push(mark);
      if (waits || shard.state !== "running") continue;
      const those = marksOf.get(shard);
      if (those === undefined) marksOf.set(shard, [mark]);
      else those.push(mark);
    }
    this.#backlog.put(waiting);
    const shards = new Set([...records.keys(), ...marksOf.keys()]);
    return [...shards].map((shard) => ({
      shard,
      epoch: shard.epoch,
      pending: records.get(shard) ?? [],
      marks: marksOf.get(shard) ?? [],
    }));
  }

  /**
   * Appends a batch. Resolves when the next append may follow, to whether that waits for a pause: when the records are
   * settled or the append has failed, and at the latest after `hostTimeoutMs`.
   */
  #commit(batch: Batch): Promise<"pause" | undefined> {
    this.#core.counters.activity++;
    return new Promise((resume) => {
      this.#open = [...this.#open, batch];
      batch.over = this.#complete(batch, resume).then(() => this.#over(batch));
    });
  }

  async #complete(batch: Batch, resume: Resume): Promise<void> {
    const { parts, prints, quotes } = batch;
    let refused: readonly ShardPart[];
    try {
      const outcomes = await this.#appendInTime(batch, resume);
      if (!this.#isSilent) this.#parts.board.storeWorked();
      refused = await this.#settle(batch, outcomes);
      const stored = parts.filter((part) => !refused.includes(part));
      this.#parts.market.stored({ marks: marksIn(stored), prints, quotes });
      this.#backlog.put(marksIn(refused));
    } catch (error) {
      // A market journal that belongs to a later engine is not a failure of the store.
      if (!(error instanceof InvariantError)) this.#parts.board.storeFailed(error);
      this.#backlog.put(marksIn(parts));
      this.#parts.market.notStored(prints);
      return await this.#recover(batch, error, resume);
    }
    const read = this.#retake(refused, resume);
    this.#parts.housekeeping.afterCommit(parts.map(({ shard }) => shard));
    await read;
  }

  /** Lets others go on without an append that has no answer. What it has a part of waits until it is over. */
  #setAside(batch: Batch): void {
    const { commits, market } = this.#parts;
    batch.held = batch.parts.map(({ shard }) => shard);
    commits.hold(batch.held);
    if (batch.prints.length + batch.quotes.length === 0) return;
    this.#marketAside = batch;
    market.tape.isAside = true;
  }

  #over(batch: Batch): void {
    this.#open = this.#open.filter((one) => one !== batch);
    if (batch.held === undefined) return;
    this.#core.counters.activity++;
    this.#parts.commits.release(batch.held);
    if (this.#marketAside === batch) {
      this.#marketAside = undefined;
      this.#parts.market.tape.isAside = false;
      this.#core.effects.emit({ kind: "VOLUME_MOVES" });
    }
    this.wake();
  }

  /** Whether an append that was set aside has no answer still. */
  get #isSilent(): boolean {
    return this.#open.some(({ held, isAnswered }) => held !== undefined && !isAnswered);
  }

  async #appendInTime(batch: Batch, resume: Resume): Promise<readonly AppendOutcome[]> {
    let cancelPatience = (): void => undefined;
    const silence = new Promise<never>((_, abandon) => {
      cancelPatience = this.#watchStore(batch, resume, abandon);
    });
    const answered = this.#parts.times.requested();
    try {
      return await Promise.race([this.#append(batch), silence]);
    } finally {
      batch.isAnswered = true;
      answered();
      cancelPatience();
    }
  }

  /**
   * Reads the shards again whose records the store refused: another epoch owns the shard, or its memory is out of step.
   */
  #retake(refused: readonly ShardPart[], resume: Resume): Promise<void> {
    this.#isRequested = false;
    for (const { shard } of refused)
      this.#core.telemetry.event("error", "append.refused", { shard: shard.number });
    const isFailure = refused.some(({ shard }) => shard.state === "running");
    if (!isFailure) this.#failures = 0;
    const read = this.#reloads.start(refused, false);
    resume(isFailure ? this.#paceOfFailures() : undefined);
    return read;
  }

  /**
   * Reports a store that does not answer as failing, and answers the calls that wait for it; after the first such period
   * others go on. After `APPEND_PATIENCE` periods the append is given up. Its shards then read, behind a fence, what
   * became of it.
   */
  #watchStore(batch: Batch, resume: Resume, abandon: (error: Error) => void): () => void {
    const { hostTimeoutMs } = this.#core.settings;
    let times = 0;
    return watchLateCalls(this.#core, this.#parts, () => {
      const error = new Error(`the store has not answered an append for ${++times * hostTimeoutMs} ms`);
      this.#parts.board.storeFailed(error);
      // Calls are given up whatever their records wait for: this append, one that was set aside, or the next.
      for (const shard of this.#parts.shards.all) shard.noteLate();
      if (times === 1) this.#setAside(batch);
      if (times === APPEND_PATIENCE) abandon(error);
      resume();
    });
  }

  async #append(batch: Batch): Promise<readonly AppendOutcome[]> {
    const { parts, prints, quotes } = batch;
    const outcome = parts.some(({ pending }) => pending.some(({ record }) => record.cause.kind === "VENUE"));
    if (outcome) this.#core.probe("before-outcome-append");
    this.#core.probe("before-append");
    this.#parts.bursts.spend(UNITS_PER_RECORD * countOf(parts));
    batch.requestedAt = this.#core.time.moment();
    const outcomes = await this.#core.store.append({
      shards: parts.map(appendOf),
      ...(prints.length > 0 && { prints }),
      ...(quotes.length > 0 && { quotes }),
    });
    this.#core.probe("after-append");
    this.#core.counters.appends++;
    return readOutcomes(outcomes, parts.length);
  }

  /**
   * Acts on durable records in decision order, across all shards. Small batches are settled at once, large ones in turns
   * after the one in which they were stored, and shard by shard. Resolves to the parts that the store refused.
   */
  async #settle(
    { parts, requestedAt }: Batch,
    outcomes: readonly AppendOutcome[],
  ): Promise<readonly ShardPart[]> {
    const refused = parts.filter((_, index) => outcomes[index] !== "durable");
    const durable = parts.filter((_, index) => outcomes[index] === "durable");
    const settled = settlingOrder(durable, SETTLED_PER_TURN);
    this.#core.counters.records += settled.length;
    for (let from = 0; from < settled.length; from += SETTLED_PER_TURN) {
      if (settled.length > SETTLED_PER_TURN && !this.#stopped) await this.#core.turns.next();
      const some = settled.slice(from, from + SETTLED_PER_TURN);
      this.#parts.bursts.spend(some.length);
      this.#requestedAt = requestedAt;
      for (const { shard, record } of some) shard.settle(record);
    }
    return refused;
  }

  /** Reads the shards again whose records may be kept or not. Resolves when each has been read or has failed once. */
  async #recover({ parts }: Batch, error: unknown, resume: Resume): Promise<void> {
    this.#isRequested = false;
    this.#core.telemetry.event("error", "append.failed", {
      message: errorMessage(error),
      shards: parts.length,
    });
    const withRecords = parts.filter(({ pending }) => pending.length > 0);
    if (withRecords.length > 0) {
      const read = this.#reloads.start(withRecords, true);
      resume(this.#paceOfFailures());
      return await read;
    }
    if (!isOfLaterOwner(error)) return resume("pause");
    // The market journal belongs to a later engine, and this engine has no say in what it keeps.
    this.#parts.market.stopWriting();
    resume();
  }

  /** Appends the marks that have waited until their shard runs. */
  #requeue(): void {
    if (!this.#backlog.isEmpty) this.wake();
  }

  /**
   * Limits the pace of failures. Lost records are decided again at once while their cause lasts, such as an expiry or a
   * look-up. The first failure is retried without waiting. A store that keeps failing is retried only after a pause, not in
   * a tight loop.
   */
  #paceOfFailures(): "pause" | undefined {
    return ++this.#failures > 1 ? "pause" : undefined;
  }

  async #waitAfterFailure(): Promise<void> {
    const { retryMinMs } = this.#core.settings;
    if (!this.#isRequested) await this.#pause.until((over) => this.#parts.timers.after(retryMinMs, over));
  }
}

/** Returns whether an error says that the market journal belongs to another engine. */
const isOfLaterOwner = (error: unknown): boolean =>
  error instanceof InvariantError && error.invariant === "I60";

/** Returns whether a record uses the volume of prints, which must not be less after a crash. */
const restsOnVolume = ({ steps }: PendingRecord): boolean =>
  steps.some(({ facts }) =>
    facts.some(
      (fact) =>
        (fact.kind === "ACCEPTED" && fact.volumeBefore !== undefined) ||
        (fact.kind === "CHILD_INTENDED" && fact.volume !== undefined),
    ),
  );

const appendOf = ({ shard, pending, marks }: ShardPart): ShardAppend => shard.appendOf(pending, marks);

/** Returns the marks of an append, without those of shards that another engine has owned since. */
const marksIn = (parts: readonly ShardPart[]): readonly MarketMark[] =>
  parts.flatMap(({ shard, epoch, marks }) => (shard.epoch === epoch ? marks : []));

const countOf = (parts: readonly ShardPart[]): number =>
  parts.reduce((sum, { pending }) => sum + pending.length, 0);

/** Returns the markets of parents that are open after a batch. */
function marketsOf(parts: readonly ShardPart[]): ReadonlySet<string> {
  const symbols = new Set<string>();
  for (const { pending } of parts) {
    for (const { steps } of pending)
      for (const { order } of steps) if (order.ended === undefined) symbols.add(order.intent.symbol);
  }
  return symbols;
}
