import { notional } from "../decimal/index.ts";
import { checkedClock, harmless, Questions, quietTelemetry } from "../host-answers/index.ts";
import type { Effect, Rules, WaitReason } from "../lifecycle/index.ts";
import type { ChildRequest, Fact, JournalRecord, OrderList, ParentOrder, Quote } from "../model/index.ts";
import type { Clock, OrderStore, Telemetry } from "../ports/index.ts";
import type { EngineOptions, EngineSettings, ProbePoint } from "./api.ts";
import { EngineTime } from "./engine-time.ts";
import { resolveSettings } from "./settings.ts";
import { Turns } from "./turns.ts";

/** What the parts of one engine share. */
export type Core = Readonly<{
  settings: EngineSettings;
  rules: Rules;
  store: OrderStore;
  clock: Clock;
  /** Never throws. */
  telemetry: Telemetry;
  /** Makes what tells the operator that something failed which must not stop anything else. */
  told: (name: string) => (error: unknown) => void;
  questions: Questions;
  probe: (point: ProbePoint) => void;
  /** Engine time, in which records are written; it never falls. */
  nowMs: () => number;
  /** The wall clock, which somebody may set: for what comes from outside or goes there. */
  wallMs: () => number;
  /** Time that only passes: for waiting. */
  monotonicMs: () => number;
  time: EngineTime;
  /** For work that nobody waits for. */
  turns: Turns;
  counters: Counters;
}>;

/**
 * Counters of an engine; `decisions` numbers the records in the order in which they were decided, `acceptances` the
 * parents in the order in which they were accepted, `activity` rises with everything that happens and tells when nothing
 * does.
 */
export type Counters = {
  decisions: number;
  /** Children that are decided while their intent is not durable yet. */
  deciding: number;
  acceptances: number;
  triggers: number;
  children: number;
  appends: number;
  records: number;
  alerts: number;
  activity: number;
};

/** One open parent in memory: as decided, and as durable. They differ while a record is on its way. */
export type LiveOrder = {
  working: ParentOrder;
  durable: ParentOrder | undefined;
  /** Its newest record that is not durable yet. */
  pending?: PendingRecord;
  /** Why it sent nothing on the last quote it looked at. */
  wait?: WaitReason;
  /** The measurement of exposure under way for it; the answer to an earlier one does not count. */
  measuring?: object;
  /** Prints up to this position of the volume tape have been followed (POV). */
  followedTo?: number;
  /** Whether the memory of quotes counts it. */
  isWatching?: boolean;
  cancelExpiry?: () => void;
  cancelRetry?: () => void;
  cancelSlot?: () => void;
  cancelScheduleEnd?: () => void;
};

/** What one record does to one parent: the parent after it, the facts that say so, and what is to be done then. */
export type ParentStep = Readonly<{ order: ParentOrder; facts: readonly Fact[]; effects: readonly Effect[] }>;

/** A record of a shard that is not durable yet, with what follows when it is. */
export type PendingRecord = {
  readonly record: JournalRecord;
  /** Counts the decisions of all shards: what they decided on one quote is acted on in that order (decision 20). */
  readonly decision: number;
  /** In the order of the record's changes. */
  readonly steps: readonly ParentStep[];
  /** The list it touches, as it is after it. */
  readonly list?: OrderList;
  readonly waiters: Waiter[];
};

/** Somebody who waits until a record is durable. */
export type Waiter = Readonly<{ resolve: () => void; reject: (error: unknown) => void }>;

/** What a shard tells the engine once a record is durable. */
export type DurableRecord = Omit<PendingRecord, "decision" | "waiters">;

/** A parent as a record on its way leaves it; undefined when the record does not touch it. */
export function orderIn({ steps }: PendingRecord, orderId: number): ParentOrder | undefined {
  return steps.find(({ order }) => order.orderId === orderId)?.order;
}

/** The counted quote of an instrument and whether it is fresh. */
export type QuoteNow = Readonly<{ quote: Quote; fresh: boolean }>;

/** The parts of an engine that all others share; throws a RangeError on a setting out of range. */
export function coreOf(options: EngineOptions): Core {
  const settings = resolveSettings(options.settings);
  const telemetry = quietTelemetry(options.telemetry);
  const told = (name: string) => (error: unknown) =>
    telemetry.event("error", name, { message: String(error).slice(0, 200) });
  const clock = checkedClock(options.clock, telemetry);
  const time = new EngineTime(clock, settings.clockStepMs);
  return {
    settings,
    rules: {
      minimum: notional(settings.minimumNotional),
      retryMinMs: settings.retryMinMs,
      retryMaxMs: settings.retryMaxMs,
    },
    store: options.store,
    clock,
    telemetry,
    questions: new Questions({ clock, telemetry, timeoutMs: settings.hostTimeoutMs }),
    probe: (point) => harmless(() => options.probe?.(point), told("probe.failed")),
    told,
    nowMs: () => time.nowMs(),
    wallMs: () => clock.nowMs(),
    monotonicMs: () => clock.monotonicMs(),
    time,
    turns: new Turns(clock),
    counters: {
      decisions: 0,
      deciding: 0,
      acceptances: 0,
      triggers: 0,
      children: 0,
      appends: 0,
      records: 0,
      alerts: 0,
      activity: 0,
    },
  };
}

/** The request a venue gets for the outstanding child of a parent. */
export function childRequestOf(order: ParentOrder): ChildRequest | undefined {
  const { child, intent } = order;
  if (child === undefined) return undefined;
  return {
    childId: child.childId,
    parentOrderId: order.orderId,
    accountId: order.accountId,
    symbol: intent.symbol,
    side: intent.side,
    quantity: child.quantity,
    ...(child.limitPrice === undefined ? {} : { limitPrice: child.limitPrice }),
    timeInForce: intent.childTimeInForce,
    reduceOnly: intent.reduceOnly,
  };
}
