import {
  childIdOf as childIdIn,
  harmless,
  type ParsedReport,
  readReport,
  reportIn,
} from "../host-answers/index.ts";
import {
  childIdOf,
  executable,
  executableLevels,
  isActive,
  isExpired,
  type ParentEvent,
  readChildId,
  shardOfId,
} from "../lifecycle/index.ts";
import type { Cause, ChildOrder, ChildRequest, Fact, ParentOrder } from "../model/index.ts";
import type { ExecutionVenue } from "../ports/index.ts";
import {
  type Core,
  childRequestOf,
  type LiveOrder,
  type ParentStep,
  type PendingRecord,
  type QuoteNow,
} from "./core.ts";
import { Dispatcher } from "./dispatcher.ts";
import type { FundsQueue } from "./funds-queue.ts";
import { Reconciler } from "./reconciler.ts";
import type { Shard } from "./shard.ts";
import { stored } from "./stored.ts";
import type { Timers } from "./timers.ts";

/** What the child desk needs from its engine. */
export type DeskHost = Readonly<{
  shard: (number: number) => Shard;
  quote: (symbol: string) => QuoteNow | undefined;
  isFrozen: (order: ParentOrder) => boolean;
}>;

type DeskParts = Readonly<{ venue: ExecutionVenue; timers: Timers; funds: FundsQueue }>;

type Source = Extract<Cause, { kind: "VENUE" }>["source"];
type LateReport = Readonly<{
  shard: Shard;
  orderId: number;
  attempt: number;
  said: ParsedReport;
  source: Source;
}>;

/** Everything between parents and the venue: handing over, answers, events, and the search for lost outcomes. */
export class ChildOrderManager {
  readonly dispatcher: Dispatcher;
  readonly reconciler: Reconciler;
  readonly #core: Core;
  readonly #host: DeskHost;
  readonly #venue: ExecutionVenue;
  readonly #timers: Timers;
  readonly #funds: FundsQueue;
  #unsubscribe: () => void = () => undefined;
  /** Reports on ended parents that are being taken in, by parent: the last of each. */
  readonly #late: Map<number, Promise<void>> = new Map();
  /** Ended parents that are being read from the store. */
  #reading = 0;
  #stopped = false;

  constructor(core: Core, parts: DeskParts, host: DeskHost) {
    this.#core = core;
    this.#venue = parts.venue;
    this.#timers = parts.timers;
    this.#funds = parts.funds;
    this.#host = host;
    this.dispatcher = new Dispatcher(core, parts, {
      objection: (child) => this.#objection(child),
      withdrawn: (child, detail) =>
        this.#post(child, { kind: "CHILD_WITHDRAWN", childId: child.childId, detail }, SUBMITTING),
      confirm: (child) => this.#host.shard(shardOfId(child.parentOrderId)).confirm(),
      handedOver: (child, deadlineMs) => this.reconciler.follow(child, "SENT", deadlineMs),
      answered: ({ childId }, answer) => this.#report(readReport(answer, childId), "SUBMIT"),
      lost: (child, detail) => this.#lose(child, detail),
    });
    this.reconciler = new Reconciler(core, parts, {
      mayAsk: (child) => this.#host.shard(shardOfId(child.parentOrderId)).state !== "reloading",
      found: (said, source) => this.#report(said, source),
      missing: (child) => this.#lose(child, "the venue does not know it"),
      unanswered: (child) => this.#lose(child, "the venue cannot say what became of it"),
      voided: (child) => this.#post(child, { kind: "CHILD_VOIDED", childId: child.childId }, LOOKING_UP),
      escalated: (child, detail) => this.#post(child, { kind: "ESCALATED", detail }, LOOKING_UP),
    });
  }

  /**
   * Hears what the venue says by itself from now on. What it said before is found by the look-ups of recovery, which
   * come after this.
   */
  listen(): void {
    this.#unsubscribe = this.#venue.subscribe((event: unknown) =>
      harmless(() => this.#hear(event), this.#core.told("venue-event.failed")),
    );
  }

  /** Whether a report waits for the store to read its parent. */
  get busy(): boolean {
    return this.#reading > 0;
  }

  /** Follows what a durable record did to a parent's child. */
  followUp({ order, facts }: ParentStep): void {
    this.#dropClosed(facts);
    const child = childRequestOf(order);
    if (child === undefined || order.child === undefined || order.child.state === "SENT") return;
    this.reconciler.follow(
      child,
      order.child.state,
      this.reconciler.deadlineOf(child.childId) ?? this.#deadlineOf(order.child),
    );
  }

  /** A record whose append failed was found in the store: it is as durable as any other. */
  found(steps: readonly ParentStep[]): void {
    for (const step of steps) {
      this.#dropClosed(step.facts);
      this.#funds.saw(step);
    }
  }

  /** Follows children no longer that durable facts have closed. */
  #dropClosed(facts: readonly Fact[]): void {
    for (const fact of facts) if (fact.kind === "CHILD_CLOSED") this.#drop(fact.childId);
  }

  /**
   * A parent came out of the store: the outcome of a child that this process did not hand over is unknown.
   */
  recover({ durable, working }: LiveOrder): void {
    const child = durable && childRequestOf(durable);
    if (durable?.child === undefined || child === undefined || working.child?.childId !== child.childId)
      return;
    const { childId, state } = durable.child;
    const deadlineMs = this.reconciler.deadlineOf(childId);
    if (deadlineMs !== undefined) {
      this.reconciler.follow(child, state, deadlineMs);
      this.reconciler.recheck(childId);
    } else if (this.dispatcher.holds(childId)) return;
    else if (state === "UNKNOWN") this.reconciler.follow(child, state, this.#deadlineOf(durable.child));
    else this.#post(child, { kind: "OUTCOME_UNKNOWN", childId }, { kind: "RECOVERY" });
  }

  /** Another engine owns the parent now, and follows its child. */
  letGo({ durable, working }: LiveOrder): void {
    this.#funds.forget(working.orderId);
    for (const childId of [durable?.child?.childId, working.child?.childId]) {
      if (childId !== undefined) this.#drop(childId);
    }
  }

  stop(): void {
    this.#stopped = true;
    this.dispatcher.stop();
    this.reconciler.stop();
    // Last: a host's own may throw.
    this.#unsubscribe();
  }

  #drop(childId: string): void {
    this.dispatcher.forget(childId);
    this.reconciler.drop(childId);
  }

  /** The last deadline with which anybody can have handed a child over. One without was handed over just now at worst. */
  #deadlineOf({ notAfterMs }: ChildOrder): number {
    return notAfterMs ?? this.#core.wallMs() + this.#core.settings.submitDeadlineMs;
  }

  #lose(child: ChildRequest, detail: string): void {
    this.#core.telemetry.event("warn", "child.unknown", { childId: child.childId, detail });
    this.#post(
      child,
      { kind: "OUTCOME_UNKNOWN", childId: child.childId },
      { kind: "TIMER", timer: "DEADLINE" },
    );
  }

  #post(child: ChildRequest, event: Parameters<Shard["change"]>[1], cause: Cause): void {
    const shard = this.#host.shard(shardOfId(child.parentOrderId));
    shard.post(() => void shard.change(child.parentOrderId, event, cause));
  }

  /** The last look before a child leaves: a cancel, time, its list or the market may have come in between (I23, I25). */
  #objection(child: ChildRequest): string | undefined {
    const shard = this.#host.shard(shardOfId(child.parentOrderId));
    const order = shard.liveOrders.get(child.parentOrderId)?.working;
    if (shard.state === "reloading") return "the state is being read again";
    if (shard.state !== "running" || order?.child?.childId !== child.childId)
      return "the order is not here any more";
    if (!isActive(order)) return "the order is ending";
    const isUnknown = (leg: ParentOrder): boolean => leg !== order && leg.child?.state === "UNKNOWN";
    if (shard.memory.legsOf(order).some(isUnknown)) return "the outcome of a child of its list is not known";
    if (this.#host.isFrozen(order)) return "the account is frozen";
    if (isExpired(order, this.#core.nowMs())) return "the order has expired";
    const now = this.#host.quote(child.symbol);
    if (now?.fresh !== true) return "the quote is stale";
    const levels = executableLevels(order, now.quote);
    const { quantity, value } = executable(order, { levels, wanted: child.quantity });
    if (quantity <= 0 || (child.timeInForce === "FOK" && quantity < child.quantity))
      return "the market went away";
    return !child.reduceOnly && value < this.#core.rules.minimum
      ? "what is left in the market is below the minimum"
      : undefined;
  }

  #hear(event: unknown): void {
    const childId = childIdIn(event);
    if (childId === undefined) return this.#refuse("", "the event names no child");
    this.#report(readReport(reportIn(event), childId), "EVENT");
  }

  /** Takes in what was said of a child, for whichever parent its id names: open, ended, or none of ours. */
  #report(said: ParsedReport, source: Source): void {
    const childId = idOf(said);
    const named = readChildId(childId);
    if (named === undefined) return this.#refuse(childId, "the id is none of a child");
    const shard = this.#host.shard(shardOfId(named.orderId));
    shard.post(() => {
      const live = shard.liveOrders.get(named.orderId);
      if (live === undefined || live.durable?.ended !== undefined) {
        return this.#queueLate({ ...named, shard, said, source });
      }
      const late = live.working.child?.childId !== childId;
      const pending = this.#takeIn(shard, { live, attempt: named.attempt, said }, source);
      // Nobody looks a resolved child up again: what the store does not keep of it is taken in once more.
      if (late && pending !== undefined) shard.whenDurable(pending).catch(() => this.#report(said, source));
    });
  }

  #takeIn(
    shard: Shard,
    { live, attempt, said }: Readonly<{ live: LiveOrder; attempt: number; said: ParsedReport }>,
    source: Source,
  ): PendingRecord | undefined {
    const order = live.working;
    const childId = idOf(said);
    if (attempt < 1 || attempt > order.attempts || childIdOf(order, attempt) !== childId) {
      this.#refuse(childId, "no such child was sent");
      return undefined;
    }
    if (order.child?.childId === childId && isForWantOfFunds(said)) this.#funds.refused(order);
    return shard.change(order.orderId, this.#eventOf(order, said), { kind: "VENUE", source });
  }

  #eventOf(order: ParentOrder, said: ParsedReport): ParentEvent {
    if (said.kind === "unreadable") {
      const { childId, fills, problem } = said;
      this.#core.telemetry.event("error", "venue.report-invalid", { childId, problem });
      return { kind: "REPORT_INVALID", childId, fills, problem };
    }
    const now = this.#host.quote(order.intent.symbol);
    return { kind: "REPORTED", report: said.report, ...(now?.fresh === true && { quote: now.quote }) };
  }

  /** Reports on one ended parent are taken in one after the other: each builds on what the one before has made of it. */
  #queueLate(late: LateReport): void {
    const { orderId } = late;
    const before = this.#late.get(orderId) ?? Promise.resolve();
    const taken = before
      .then(() => this.#takeInLate(late))
      .finally(() => {
        if (this.#late.get(orderId) === taken) this.#late.delete(orderId);
      });
    this.#late.set(orderId, taken);
  }

  /** Adds a report to a parent that has ended, for as long as it takes: nobody looks its children up again. */
  async #takeInLate(late: LateReport): Promise<void> {
    const { settings, telemetry } = this.#core;
    while (!this.#stopped && !isOver(late.shard)) {
      try {
        const ended = await this.#readEnded(late.orderId);
        if (ended === undefined) return this.#refuse(idOf(late.said), "its order is not known");
        await this.#addTo(ended, late);
        // What waits behind it goes on.
        this.#core.counters.activity++;
        return;
      } catch (error) {
        telemetry.event("error", "late-report.failed", {
          childId: idOf(late.said),
          message: String(error),
        });
        await new Promise<void>((resolve) => this.#timers.after(settings.retryMaxMs, resolve));
      }
    }
  }

  async #readEnded(orderId: number): Promise<ParentOrder | undefined> {
    this.#reading++;
    try {
      return await this.findEnded(orderId);
    } finally {
      this.#reading--;
      this.#core.counters.activity++;
    }
  }

  /** An ended parent comes back into memory for as long as the record takes. */
  #addTo(ended: ParentOrder, { shard, attempt, said, source }: LateReport): Promise<void> {
    return new Promise((resolve, reject) => {
      shard.post(() => {
        const live = shard.memory.adopt(ended);
        const pending = this.#takeIn(shard, { live, attempt, said }, source);
        if (pending !== undefined) return void shard.whenDurable(pending).then(() => resolve(), reject);
        shard.memory.letGo(live);
        resolve();
      }, reject);
    });
  }

  /** An ended parent by its id alone; its account stands in its row. */
  async findEnded(orderId: number): Promise<ParentOrder | undefined> {
    const page = await stored(this.#core, () =>
      this.#core.store.readEnded({ shard: shardOfId(orderId), afterOrderId: orderId + 1, limit: 1 }),
    );
    return page[0]?.orderId === orderId ? page[0] : undefined;
  }

  #refuse(childId: string, why: string): void {
    this.#core.counters.alerts++;
    this.#core.telemetry.event("warn", "venue.report-refused", { childId: childId.slice(0, 64), why });
  }
}

const idOf = (said: ParsedReport): string => (said.kind === "report" ? said.report.childId : said.childId);

const isForWantOfFunds = (said: ParsedReport): boolean =>
  said.kind === "report" && said.report.state === "rejected" && said.report.mark === "INSUFFICIENT_FUNDS";

/** Whether another engine answers for the shard now, or none. */
const isOver = ({ state }: Shard): boolean => state === "fenced" || state === "closed";

const SUBMITTING: Cause = { kind: "VENUE", source: "SUBMIT" };
const LOOKING_UP: Cause = { kind: "VENUE", source: "LOOKUP" };
