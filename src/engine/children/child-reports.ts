import { KeyedMutex } from "../../common/index.ts";
import { childIdIn, type ParsedReport, readReport, reportIn } from "../../host-answers/index.ts";
import { childIdOf, type ParentEvent, readChildId } from "../../lifecycle/index.ts";
import type { Cause, ChildRequest, ParentOrder } from "../../model/index.ts";
import type { Core } from "../core/core.ts";
import { ifLost, type LiveOrder, type PendingRecord } from "../core/live-order.ts";
import type { FundsQueue } from "../eligibility/funds-queue.ts";
import type { MarketHub } from "../market/market-hub.ts";
import type { ReadModel } from "../reads/read-model.ts";
import type { Shard } from "../shards/shard.ts";
import type { ShardMemory } from "../shards/shard-memory.ts";
import type { Shards } from "../shards/shards.ts";
import type { Timers } from "../time/timers.ts";

/** Dependencies of {@link ChildReports}. */
export type ReportParts = Readonly<{
  shards: Shards;
  market: MarketHub;
  reads: ReadModel;
  funds: FundsQueue;
  timers: Timers;
  closeWait: Readonly<{ ms: number }>;
}>;

/** Why a child is not handed over, and whether the next one may go without a pause. */
export type Withdrawal = Pick<Extract<ParentEvent, { kind: "CHILD_WITHDRAWN" }>, "detail" | "atOnce">;

type Source = Extract<Cause, { kind: "VENUE" }>["source"];
type LateReport = Readonly<{
  shard: Shard;
  orderId: number;
  attempt: number;
  reading: ParsedReport;
  source: Source;
}>;

/** Processes the outcomes of children: the venue's reports, and conclusions from its silence. */
export class ChildReports {
  readonly #core: Core;
  readonly #parts: ReportParts;
  /** Serializes reports on one ended parent. Each builds on the result of the previous one. */
  readonly #late: KeyedMutex = new KeyedMutex();
  /** Number of ended parents that are being read from the store. */
  #reading = 0;
  #stopped = false;

  constructor(core: Core, parts: ReportParts) {
    this.#core = core;
    this.#parts = parts;
  }

  /** Whether a report waits for the store to read its parent. */
  get busy(): boolean {
    return this.#reading > 0;
  }

  /** Stops all retries. */
  stop(): void {
    this.#stopped = true;
  }

  /** Processes an event that the venue sent by itself. Its format has not been checked yet. */
  receive(event: unknown): void {
    const childId = childIdIn(event);
    if (childId === undefined) return this.#refuse("", "the event does not name a child");
    this.take(readReport(reportIn(event), childId), "EVENT");
  }

  /** Processes the venue's answer to a submit. Its format has not been checked yet. */
  answered({ childId }: ChildRequest, answer: unknown): void {
    this.take(readReport(answer, childId), "SUBMIT");
  }

  /** Records an unknown outcome: no answer by the deadline, or a failed call. */
  lost(child: ChildRequest, detail: string): void {
    this.#core.telemetry.event("warn", "child.unknown", { childId: child.childId, detail });
    this.#post(
      child,
      { kind: "OUTCOME_UNKNOWN", childId: child.childId },
      { kind: "TIMER", timer: "DEADLINE" },
    );
  }

  /** Records an unknown outcome for an in-flight child that the venue does not know. */
  missing(child: ChildRequest): void {
    this.lost(child, "the venue does not know the child");
  }

  /** Records an unknown outcome for an in-flight child whose look-ups have brought no readable answer for a while. */
  unanswered(child: ChildRequest): void {
    this.lost(child, "the venue cannot report the outcome of the child");
  }

  /**
   * Records that the child was not handed over and will not be, also while its shard leaves. Nobody else knows: if the store
   * does not keep the record, it is decided again.
   */
  withdrawn(child: ChildRequest, why: Withdrawal): void {
    const { childId, parentOrderId } = child;
    const shard = this.#parts.shards.ofOrder(parentOrderId);
    const event: ParentEvent = { kind: "CHILD_WITHDRAWN", childId, ...why };
    shard.conclude(() => {
      const pending = shard.change(parentOrderId, event, SUBMITTING);
      ifLost(pending, () => this.withdrawn(child, why));
    });
  }

  /** Records proof that the child did not reach the venue and never can. */
  voided(child: ChildRequest): void {
    this.#post(child, { kind: "CHILD_VOIDED", childId: child.childId }, LOOKING_UP);
  }

  /** Records that a person must look at the child. */
  escalated(child: ChildRequest, detail: string): void {
    this.#post(child, { kind: "ESCALATED", detail }, LOOKING_UP);
  }

  /** Records an unknown outcome for a child that was read from the store and that this process did not hand over. */
  recovered(child: ChildRequest): void {
    this.#post(child, { kind: "OUTCOME_UNKNOWN", childId: child.childId }, { kind: "RECOVERY" });
  }

  /**
   * Processes a report on a child for the parent that its id names. The parent may be open, ended or unknown. An answer to a
   * submit and a report that is taken in again, because its record was lost, count also while the shard leaves: the next owner
   * does not hear them, and a look-up may lag behind them.
   */
  take(reading: ParsedReport, source: Source, isAgain = false): void {
    const childId = idOf(reading);
    const named = readChildId(childId);
    if (named === undefined) return this.#refuse(childId, "childId is not the id of a child order");
    const shard = this.#parts.shards.ofOrder(named.orderId);
    const input = (): void => {
      const live = shard.liveOrders.get(named.orderId);
      if (live === undefined || live.durable?.ended !== undefined) {
        const late = { ...named, shard, reading, source };
        return void this.#late.runExclusive([String(late.orderId)], () => this.#takeInLate(late));
      }
      const pending = this.#takeIn(shard, { live, attempt: named.attempt, reading }, source);
      // If the store does not keep the record, take the report in again: no look-up covers a resolved child, and that of any
      // other may lag behind what the venue has reported.
      ifLost(pending, () => this.take(reading, source, true));
    };
    if (isAgain || source === "SUBMIT") shard.conclude(input);
    else shard.post(input);
  }

  #post(child: ChildRequest, event: ParentEvent, cause: Cause): void {
    const shard = this.#parts.shards.ofOrder(child.parentOrderId);
    shard.post(() => void shard.change(child.parentOrderId, event, cause));
  }

  #takeIn(
    shard: Shard,
    { live, attempt, reading }: Readonly<{ live: LiveOrder; attempt: number; reading: ParsedReport }>,
    source: Source,
  ): PendingRecord | undefined {
    const order = live.working;
    const childId = idOf(reading);
    const isOutstanding = order.child?.childId === childId;
    const wasSent = isOutstanding || (attempt >= 1 && attempt <= order.attempts);
    if (!wasSent || (!isOutstanding && childIdOf(order, attempt) !== childId)) {
      this.#refuse(childId, "the engine has not sent this child");
      return undefined;
    }
    if (isOutstanding && isForWantOfFunds(reading)) this.#parts.funds.refused(order);
    return shard.change(order.orderId, this.#eventOf(order, reading, source), { kind: "VENUE", source });
  }

  #eventOf(order: ParentOrder, reading: ParsedReport, source: Source): ParentEvent {
    if (reading.kind === "unreadable") {
      const { childId, fills, problem } = reading;
      this.#core.telemetry.event("error", "venue.report-invalid", { childId, problem });
      return { kind: "REPORT_INVALID", childId, fills, problem };
    }
    const now = this.#parts.market.now(order.intent.symbol);
    const { report } = reading;
    const waitMs = this.#parts.closeWait.ms;
    // A look-up that closes the child is the one that is due, unless executions may follow it.
    const isEarly = report.state === "closed" && (source !== "LOOKUP" || waitMs > 0);
    return {
      kind: "REPORTED",
      report,
      quote: now?.fresh === true ? now.quote : undefined,
      lookUpAfterMs: isEarly ? waitMs : undefined,
    };
  }

  /**
   * Adds a report to a parent that has ended. Retries until it succeeds, because no look-up covers children of ended
   * parents.
   */
  async #takeInLate(late: LateReport): Promise<void> {
    const { settings, telemetry } = this.#core;
    while (!this.#stopped && !isOver(late.shard)) {
      try {
        await this.#untilDurable(late);
        const { memory } = late.shard;
        const ended = await this.#readEnded(late.orderId);
        if (ended === undefined) return this.#refuse(idOf(late.reading), "the order of the child is unknown");
        if (!(await this.#addTo({ ended, memory }, late))) continue;
        // A report that waits for this one is activity too.
        this.#core.counters.activity++;
        return;
      } catch (error) {
        telemetry.event("error", "late-report.failed", {
          childId: idOf(late.reading),
          message: String(error),
        });
        await new Promise<void>((resolve) => this.#parts.timers.after(settings.retryMaxMs, resolve));
      }
    }
  }

  /**
   * Waits for the record of a parent that is under way. The store would show the parent as before it, and an execution in it
   * would be lost.
   */
  async #untilDurable({ shard, orderId }: LateReport): Promise<void> {
    const pending = shard.liveOrders.get(orderId)?.pending;
    // A lost record is taken in again by whoever decided it.
    if (pending !== undefined) await shard.whenDurable(pending).catch(() => undefined);
  }

  async #readEnded(orderId: number): Promise<ParentOrder | undefined> {
    this.#reading++;
    try {
      return await this.#parts.reads.findEnded(orderId);
    } finally {
      this.#reading--;
      this.#core.counters.activity++;
    }
  }

  /**
   * Takes an ended parent back into memory until the record is durable. Resolves to false if the shard has been read again since
   * the parent was: an append that was under way then may have become durable in between, and the parent lacks it.
   */
  #addTo(
    { ended, memory }: Readonly<{ ended: ParentOrder; memory: ShardMemory }>,
    { shard, attempt, reading, source }: LateReport,
  ): Promise<boolean> {
    return new Promise((resolve, reject) => {
      shard.post(() => {
        if (shard.memory !== memory) return resolve(false);
        const live = memory.adopt(ended);
        const pending = this.#takeIn(shard, { live, attempt, reading }, source);
        if (pending !== undefined) return void shard.whenDurable(pending).then(() => resolve(true), reject);
        memory.release(live);
        resolve(true);
      }, reject);
    });
  }

  #refuse(childId: string, why: string): void {
    this.#core.counters.alerts++;
    this.#core.telemetry.event("warn", "venue.report-refused", { childId: childId.slice(0, 64), why });
  }
}

const idOf = (reading: ParsedReport): string =>
  reading.kind === "report" ? reading.report.childId : reading.childId;

const isForWantOfFunds = (reading: ParsedReport): boolean =>
  reading.kind === "report" &&
  reading.report.state === "rejected" &&
  reading.report.mark === "INSUFFICIENT_FUNDS";

/** Returns whether the shard belongs to another engine now, or to none. Another engine hears the venue's events itself. */
const isOver = ({ state }: Shard): boolean =>
  state === "fenced" || state === "elsewhere" || state === "closed";

const SUBMITTING: Cause = { kind: "VENUE", source: "SUBMIT" };
const LOOKING_UP: Cause = { kind: "VENUE", source: "LOOKUP" };
