import { errorMessage } from "../../common/index.ts";
import { InvariantError } from "../../errors/index.ts";
import { readOutcomes } from "../../host-answers/index.ts";
import type { KeptQuote } from "../../model/index.ts";
import type { AppendOutcome } from "../../ports/index.ts";
import type { Core } from "../core/core.ts";
import type { PendingRecord } from "../core/live-order.ts";
import type { OpenCalls } from "../core/open-calls.ts";
import { isEmpty, MarketBacklog, type MarketFacts } from "../market/market-backlog.ts";
import type { MarketHub } from "../market/market-hub.ts";
import type { CommitQueue, ShardPart } from "../shards/commit-queue.ts";
import type { Shard } from "../shards/shard.ts";
import type { StatusBoard } from "../status/status-board.ts";
import type { Bursts } from "../time/bursts.ts";
import type { Timers } from "../time/timers.ts";
import type { Housekeeping } from "./housekeeping.ts";
import { MarkPause } from "./mark-pause.ts";

/** What a committer works with. */
export type CommitParts = Readonly<{
  commits: CommitQueue;
  timers: Timers;
  bursts: Bursts;
  market: MarketHub;
  board: StatusBoard;
  calls: OpenCalls;
  housekeeping: Housekeeping;
}>;

/** Records that are acted on in one turn: with what a venue answers at once, some tens of microseconds each. */
const SETTLED_PER_TURN = 64;

/** Units of a turn's share that storing a record takes. */
const UNITS_PER_RECORD = 0.5;

/** After so many times `hostTimeoutMs` an append that is not answered was lost on its way, or its answer was. */
const APPEND_PATIENCE = 12;

type Batch = Readonly<{
  parts: readonly ShardPart[];
  market: MarketFacts;
  quotes: readonly KeptQuote[];
}>;

/**
 * Group commit: records of many commands of many shards share one append; one append is under way at a time.
 * After a failed append every shard in it reads itself from the store again.
 */
export class Committer {
  readonly #core: Core;
  readonly #parts: CommitParts;
  readonly #backlog: MarketBacklog = new MarketBacklog();
  readonly #marks: MarkPause;
  #begun = false;
  #busy = false;
  #running: Promise<void> = Promise.resolve();
  /** What the store has been handed and has not answered for. */
  #handedOver: readonly ShardPart[] = [];
  #askedAtMs = 0;
  /** Waits for time to pass after a failure; this ends it. */
  #endPause: (() => void) | undefined;
  /** Appends in a row that were not kept. */
  #failures = 0;
  #stopped = false;

  constructor(core: Core, parts: CommitParts) {
    this.#core = core;
    this.#parts = parts;
    this.#marks = new MarkPause(core, parts);
  }

  /** Until now nothing was appended: whoever opens the engine hears of everything that becomes durable. */
  begin(): void {
    this.#begun = true;
    if (!this.#parts.commits.isEmpty) this.wake();
  }

  /** When the append that is acted on now was handed to the store, engine time: since then a shard may be another's. */
  get askedAtMs(): number {
    return this.#askedAtMs;
  }

  /** Whether an append is due or under way. */
  get busy(): boolean {
    return this.#busy && this.#endPause === undefined;
  }

  /**
   * A shard has records to keep, `asked` if somebody waits for them, who is not kept waiting after a failure; without a
   * shard, the market journal has marks.
   */
  wake(shard?: Shard, asked = false): void {
    if (shard !== undefined) this.#parts.commits.add(shard);
    if (asked) this.#endPause?.();
    if (!this.#begun || this.#busy || this.#stopped) return;
    this.#core.clock.soon(() => {
      this.#running = this.#run();
    });
    this.#busy = true;
  }

  /** Keeps the last counted quotes unless the store is failing; nothing is appended from then on. */
  async finish(): Promise<void> {
    const isCalm = !this.#busy && this.#backlog.isEmpty;
    this.#stopped = true;
    const quotes = isCalm ? this.#parts.market.quotesToKeep([]) : [];
    if (quotes.length === 0) return;
    try {
      await this.#core.store.append({ shards: [], marks: [], quotes });
    } catch (error) {
      this.#core.telemetry.event("warn", "quotes.unsaved", { message: errorMessage(error) });
    }
  }

  /** Resolves when no append is under way or waits. */
  get resting(): Promise<void> {
    return this.#running;
  }

  /** Nothing is appended from now on, and nobody waits any more for what the store has not answered for. */
  stop(): void {
    this.#stopped = true;
    for (const part of this.#handedOver) void this.#reload(part, true);
  }

  /** Finding nothing and resting are one step: what wakes between them would wait for the next to come. */
  async #run(): Promise<void> {
    while (!this.#stopped) {
      if (this.#backlog.isEmpty && this.#marks.isDue) await this.#marks.over();
      const batch = this.#gather();
      if (batch === undefined) break;
      await this.#commit(batch);
      this.#parts.bursts.wake();
      // What is left and what came of it wait for a turn: callers who place again as soon as they are answered would else
      // keep quotes, timers and the network out for as long as they do.
      if (!this.#parts.commits.isEmpty || this.#parts.market.hasFacts) await this.#core.turns.next();
    }
    this.#busy = false;
  }

  #gather(): Batch | undefined {
    const { commits, market } = this.#parts;
    const parts = commits.take();
    const facts = this.#backlog.take(market.takeFacts());
    if (parts.length === 0 && isEmpty(facts)) return undefined;
    const quotes = market.quotesToKeep(marketsOf(parts));
    return { parts, market: facts, quotes };
  }

  async #commit(batch: Batch): Promise<void> {
    const { parts, market } = batch;
    this.#core.counters.activity++;
    let refused: readonly ShardPart[];
    try {
      const outcomes = await this.#ask(batch);
      this.#parts.board.storeWorked();
      refused = await this.#settle(parts, outcomes);
      this.#parts.market.kept({ ...market, quotes: batch.quotes });
    } catch (error) {
      // The market journal of a later engine is no failure of the store.
      if (!(error instanceof InvariantError)) this.#parts.board.storeFailed(error);
      this.#backlog.put(market);
      return await this.#recover(batch, error);
    }
    await this.#retake(refused);
    this.#parts.housekeeping.afterCommit(parts.map(({ shard }) => shard));
  }

  async #ask(batch: Batch): Promise<readonly AppendOutcome[]> {
    let cancelPatience = (): void => undefined;
    const silence = new Promise<never>((_, giveUp) => {
      cancelPatience = this.#watchStore(giveUp);
    });
    this.#handedOver = batch.parts;
    try {
      return await Promise.race([this.#append(batch), silence]);
    } finally {
      this.#handedOver = [];
      cancelPatience();
    }
  }

  /** The store kept nothing of these: another epoch owns the shard, or its memory is out of step. */
  async #retake(refused: readonly ShardPart[]): Promise<void> {
    for (const part of refused) {
      this.#core.telemetry.event("error", "append.refused", { shard: part.shard.number });
      await this.#reload(part, false);
    }
    if (refused.some(({ shard }) => shard.state === "running")) await this.#pace();
    else this.#failures = 0;
  }

  /**
   * A store that does not answer is one that fails; for as long as it does not, nobody is left waiting for it. One that
   * does not for very long never will: what became of the append its shards read then, behind a fence.
   */
  #watchStore(giveUp: (error: Error) => void): () => void {
    const { hostTimeoutMs } = this.#core.settings;
    let times = 0;
    const late = (): void => {
      const error = new Error(`an append has not been answered for ${++times * hostTimeoutMs} ms`);
      this.#parts.board.storeFailed(error);
      this.#parts.calls.giveUp(this.#core.monotonicMs() - hostTimeoutMs);
      if (times === APPEND_PATIENCE) return giveUp(error);
      cancel = this.#parts.timers.after(hostTimeoutMs, late);
    };
    let cancel = this.#parts.timers.after(hostTimeoutMs, late);
    return () => cancel();
  }

  async #append({ parts, market: { marks, prints }, quotes }: Batch): Promise<readonly AppendOutcome[]> {
    const outcome = parts.some(({ pending }) => pending.some(({ record }) => record.cause.kind === "VENUE"));
    if (outcome) this.#core.probe("before-outcome-append");
    this.#core.probe("before-append");
    this.#parts.bursts.spend(UNITS_PER_RECORD * countOf(parts));
    this.#askedAtMs = this.#core.nowMs();
    const outcomes = await this.#core.store.append({
      shards: parts.map(({ shard, pending }) => shard.appendOf(pending)),
      marks,
      ...(prints.length > 0 && { prints }),
      ...(quotes.length > 0 && { quotes }),
    });
    this.#core.probe("after-append");
    this.#core.counters.appends++;
    return readOutcomes(outcomes, parts.length);
  }

  /**
   * What is durable is acted on in the order in which it was decided, whatever the shard (decision 20): little at once,
   * much in turns after the one in which it was stored. Resolves to what the store refused.
   */
  async #settle(
    parts: readonly ShardPart[],
    outcomes: readonly AppendOutcome[],
  ): Promise<readonly ShardPart[]> {
    const settled: Readonly<{ shard: Shard; record: PendingRecord }>[] = [];
    const refused: ShardPart[] = [];
    for (const [index, part] of parts.entries()) {
      if (outcomes[index] !== "durable") refused.push(part);
      else for (const record of part.pending) settled.push({ shard: part.shard, record });
    }
    this.#core.counters.records += settled.length;
    settled.sort((a, b) => a.record.decision - b.record.decision);
    for (let from = 0; from < settled.length; from += SETTLED_PER_TURN) {
      if (settled.length > SETTLED_PER_TURN && !this.#stopped) await this.#core.turns.next();
      const some = settled.slice(from, from + SETTLED_PER_TURN);
      this.#parts.bursts.spend(some.length);
      for (const { shard, record } of some) shard.settle(record);
    }
    return refused;
  }

  async #recover({ parts, market }: Batch, error: unknown): Promise<void> {
    this.#core.telemetry.event("error", "append.failed", {
      message: errorMessage(error),
      shards: parts.length,
    });
    for (const part of parts) await this.#reload(part, true);
    if (parts.length > 0) return await this.#pace();
    // The market journal belongs to a later engine: what it keeps is not ours to say.
    if (!(error instanceof InvariantError)) return await this.#pause();
    this.#backlog.drop();
    this.#parts.market.kept({ marks: [], prints: market.prints, quotes: [] });
  }

  async #reload({ shard, pending }: ShardPart, mayBeKept: boolean): Promise<void> {
    try {
      await shard.reload(pending, mayBeKept);
    } catch (error) {
      const fields = { message: errorMessage(error), shard: shard.number };
      this.#core.telemetry.event("error", "reload.failed", fields);
      this.#parts.board.storeFailed(error);
      const again = (): void => void this.#reload({ shard, pending: [] }, mayBeKept);
      this.#parts.timers.after(this.#core.settings.retryMaxMs, again);
    }
  }

  /**
   * What was lost is decided again at once, as its cause lasts: an expiry, a look-up. One failure is retried without
   * waiting; a store that goes on failing is asked now and then, not in a circle (decision EG).
   */
  async #pace(): Promise<void> {
    if (++this.#failures > 1) await this.#pause();
  }

  async #pause(): Promise<void> {
    let cancel: () => void = () => undefined;
    await new Promise<void>((resolve) => {
      this.#endPause = resolve;
      cancel = this.#parts.timers.after(this.#core.settings.retryMinMs, resolve);
    });
    cancel();
    this.#endPause = undefined;
  }
}

const countOf = (parts: readonly ShardPart[]): number =>
  parts.reduce((sum, { pending }) => sum + pending.length, 0);

/** The markets of parents that are open after a batch. */
function marketsOf(parts: readonly ShardPart[]): ReadonlySet<string> {
  const symbols = new Set<string>();
  for (const { pending } of parts) {
    for (const { steps } of pending)
      for (const { order } of steps) if (order.ended === undefined) symbols.add(order.intent.symbol);
  }
  return symbols;
}
