import { KeyedMutex } from "../../common/index.ts";
import {
  capabilitiesOf,
  childIdIn,
  type ParsedReport,
  readNotFound,
  readReport,
  reportIn,
} from "../../host-answers/index.ts";
import { childIdOf, type ParentEvent, readChildId } from "../../lifecycle/index.ts";
import { type Cause, type ChildRequest, MOST_CLOSE_WAIT_MS, type ParentOrder } from "../../model/index.ts";
import type { ExecutionVenue } from "../../ports/index.ts";
import type { Core } from "../core/core.ts";
import {
  childRequestOf,
  ifLost,
  type LiveOrder,
  noteLookUp,
  type PendingRecord,
} from "../core/live-order.ts";
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
  answered({ childId, parentOrderId }: ChildRequest, answer: unknown): void {
    this.take(readReport(answer, childId), "SUBMIT", parentOrderId);
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
   * does not hear them, and a look-up may lag behind them. `parentId` spares a search for it.
   */
  take(reading: ParsedReport, source: Source, parentId?: number, isAgain = false): void {
    const orderId = parentId ?? readChildId(idOf(reading))?.orderId;
    if (orderId === undefined) return this.#refuse(idOf(reading), "childId is not the id of a child order");
    const shard = this.#parts.shards.ofOrder(orderId);
    const input = (): void => {
      const live = shard.liveOrders.get(orderId);
      if (live === undefined || live.durable?.ended !== undefined) {
        const late = { orderId, shard, reading, source };
        return void this.#late.runExclusive([String(orderId)], () => this.#takeInLate(late));
      }
      const pending = this.#takeIn(shard, { live, reading }, source);
      // If the store does not keep the record, take the report in again: no look-up covers a resolved child, and that of any
      // other may lag behind what the venue has reported.
      ifLost(pending, () => this.take(reading, source, orderId, true));
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
    { live, reading }: Readonly<{ live: LiveOrder; reading: ParsedReport }>,
    source: Source,
  ): PendingRecord | undefined {
    const order = live.working;
    const childId = idOf(reading);
    const isOutstanding = order.child?.childId === childId;
    const { attempt = 0 } = (isOutstanding ? undefined : readChildId(childId)) ?? {};
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
    { shard, reading, source }: LateReport,
  ): Promise<boolean> {
    return new Promise((resolve, reject) => {
      shard.post(() => {
        if (shard.memory !== memory) return resolve(false);
        const live = memory.adopt(ended);
        const pending = this.#takeIn(shard, { live, reading }, source);
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

/** How long the venue may execute a child after it has closed it: what it declares, or took in any parent seen here. */
export class CloseWait {
  readonly #venue: ExecutionVenue;
  readonly #failed: (error: unknown) => void;
  #longestMs = 0;

  constructor(core: Core, venue: ExecutionVenue) {
    this.#venue = venue;
    this.#failed = core.reporterOf("venue.capabilities");
  }

  get ms(): number {
    const { fillsMayFollowCloseMs = 0 } = capabilitiesOf(this.#venue, this.#failed);
    return Math.max(fillsMayFollowCloseMs, this.#longestMs);
  }

  /** Never sends the next child earlier again than the venue has needed once. */
  raise(waitMs: number): void {
    this.#longestMs = Math.max(this.#longestMs, waitMs);
  }
}

/** What asks the venue about children of the shards, and takes in what it answers or leaves unanswered. */
export type VenueSide = Readonly<{
  venue: ExecutionVenue;
  timers: Timers;
  shards: Shards;
  reports: ChildReports;
}>;

type Closed = {
  readonly child: ChildRequest;
  /** Time since which look-ups bring no readable answer, by the monotonic clock. */
  failingSinceMs: number | undefined;
  failures: number;
  /** Number of the newest look-up. Only its own patience may end it. */
  turn: number;
  cancel: (() => void) | undefined;
};

/**
 * Looks children up that the venue closed with less than asked, before the next child of their parents: the venue may have
 * closed them too early, and the next child would execute the same quantity again. The journal keeps which child it is, so
 * it is looked up also after a restart.
 */
export class ClosedChildren {
  readonly #core: Core;
  readonly #parts: VenueSide;
  readonly #closeWait: CloseWait;
  /** By parent. */
  readonly #closed: Map<number, Closed> = new Map();

  constructor(core: Core, parts: VenueSide, closeWait: CloseWait) {
    this.#core = core;
    this.#parts = parts;
    this.#closeWait = closeWait;
  }

  /** Whether any child is to be looked up. */
  get busy(): boolean {
    return this.#closed.size > 0;
  }

  /** Follows the durable state of a parent. */
  follow(order: ParentOrder): void {
    const { earlyClose, orderId } = order;
    if (earlyClose === undefined) return;
    this.#closeWait.raise(earlyClose.waitMs);
    const child = earlyClose.child && childRequestOf(order, earlyClose.child);
    const known = this.#closed.get(orderId);
    if (known !== undefined && known.child.childId === child?.childId) return;
    this.drop(orderId);
    if (child === undefined || this.#parts.shards.live(orderId)?.lookedUp === child.childId) return;
    const one: Closed = { child, failingSinceMs: undefined, failures: 0, turn: 0, cancel: undefined };
    this.#closed.set(orderId, one);
    if (earlyClose.waitMs > 0) this.#lookAfter(one, earlyClose.waitMs);
    else void this.#look(one);
  }

  /** Follows a parent that was read from the store. What was found out before is not known any more. */
  recover(order: ParentOrder): void {
    this.drop(order.orderId);
    this.follow(order);
  }

  /** Stops following a parent. */
  drop(orderId: number): void {
    this.#closed.get(orderId)?.cancel?.();
    this.#closed.delete(orderId);
  }

  stop(): void {
    for (const orderId of [...this.#closed.keys()]) this.drop(orderId);
  }

  #lookAfter(one: Closed, waitMs: number): void {
    one.cancel?.();
    one.cancel = this.#parts.timers.after(waitMs, () => void this.#look(one));
  }

  #isFollowed(one: Closed): boolean {
    return this.#closed.get(one.child.parentOrderId) === one;
  }

  async #look(one: Closed): Promise<void> {
    if (!this.#isFollowed(one)) return;
    const { settings, trust, counters } = this.#core;
    const { venue, timers, shards, reports } = this.#parts;
    const { childId, parentOrderId } = one.child;
    if (!trust.holds || shards.ofOrder(parentOrderId).state === "reloading")
      return this.#lookAfter(one, settings.reconcileEveryMs);
    const turn = ++one.turn;
    const failed = (why: string): void => {
      if (this.#isFollowed(one) && one.turn === turn) this.#failed(one, why);
    };
    const cancelPatience = timers.after(settings.submitDeadlineMs, () => failed("no answer"));
    try {
      const answer: unknown = await venue.lookup(one.child);
      counters.activity++;
      if (readNotFound(answer) !== undefined) return failed("the venue does not know it any more");
      const reading = readReport(answer, childId);
      reports.take(reading, "LOOKUP");
      if (reading.kind === "unreadable") return failed(reading.problem);
      if (!this.#isFollowed(one)) return;
      one.failingSinceMs = undefined;
      if (reading.report.state === "open") this.#lookAfter(one, settings.reconcileEveryMs);
      else this.#resume(one);
    } catch (error) {
      failed(String(error));
    } finally {
      cancelPatience();
    }
  }

  /** Looks up again, for as long as an execution may follow at most. */
  #failed(one: Closed, why: string): void {
    const { settings, telemetry } = this.#core;
    const nowMs = this.#core.monotonicMs();
    one.failingSinceMs ??= nowMs;
    const leftMs = one.failingSinceMs + MOST_CLOSE_WAIT_MS - nowMs;
    telemetry.event("warn", "lookup.failed", { childId: one.child.childId, message: why });
    if (leftMs <= 0) return this.#resume(one);
    const pauseMs = Math.min(settings.retryMaxMs, settings.retryMinMs * 2 ** Math.min(one.failures++, 30));
    this.#lookAfter(one, Math.min(pauseMs, leftMs));
  }

  /** Lets the parent send its next child, after the executions that the look-up found. */
  #resume(one: Closed): void {
    const { childId, parentOrderId } = one.child;
    this.drop(parentOrderId);
    const shard = this.#parts.shards.ofOrder(parentOrderId);
    shard.post(() => {
      const live = shard.liveOrders.get(parentOrderId);
      if (live?.working.earlyClose?.child?.childId !== childId) return;
      noteLookUp(live, childId);
      this.#core.effects.emit({ kind: "REARM", live });
    });
  }
}
