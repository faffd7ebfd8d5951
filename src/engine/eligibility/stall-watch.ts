import {
  executable,
  executableLevels,
  isInside,
  isMet,
  isStallAlertDue,
  type ParentEvent,
  restOf,
  type WaitReason,
} from "../../lifecycle/index.ts";
import type { Cause, Fact, ParentOrder, StallCause } from "../../model/index.ts";
import type { QuoteNow } from "../core/api.ts";
import type { Core } from "../core/core.ts";
import { awaitsLookUp, type LiveOrder } from "../core/live-order.ts";
import type { MarketHub } from "../market/market-hub.ts";
import type { Shards } from "../shards/shards.ts";
import type { Bursts } from "../time/bursts.ts";
import type { Timers } from "../time/timers.ts";
import type { FundsQueue } from "./funds-queue.ts";
import type { PovParticipants } from "./pov-participants.ts";

/** What decides whether a parent may act now. */
export type Eligibility = Readonly<{
  timers: Timers;
  bursts: Bursts;
  shards: Shards;
  market: MarketHub;
  funds: FundsQueue;
  participants: PovParticipants;
}>;

/** Follows every child that was handed to the venue. */
type HandedOver = Readonly<{ deadlineOf: (childId: string) => number | undefined }>;

/** Why a child is withdrawn that executions of its account have overtaken. */
export const OVERTAKEN = "the exposure that it reduces has become smaller";
/** Why a child is withdrawn whose intent became durable too late. */
export const LATE = "the time for it has passed";
/** Why a child is withdrawn that was in time, and waited too long for its turn. */
export const LATE_IN_QUEUE = "the time for it has passed while it waited for the rate of the venue";

/** The obstacle that a withdrawn child has met. The market decides about any other. */
const WITHDRAWN_FOR: Readonly<Record<string, StallCause>> = {
  [LATE]: "STORE_SLOW",
  [LATE_IN_QUEUE]: "RATE",
  [OVERTAKEN]: "WAITING_FOR_EXPOSURE",
};

type Obstacle = Readonly<{ cause: StallCause; detail: string }>;

/** A parent whose condition was met when it was last looked at, and of which nothing has executed since. */
type Candidate = {
  live: LiveOrder;
  /** When it could act first, by the monotonic clock as `dueMs`; undefined while its market is silent. */
  sinceMs: number | undefined;
  dueMs: number;
  /** What became of its last child, until it is kept from sending one by something else. */
  obstacle: Obstacle | undefined;
  /** When the obstacle was met. */
  obstacleMs: number;
};

/** Candidates that are looked at in one go, and the pause after it: 100,000 at once must leave room for the orders. */
const MOST_AT_ONCE = 256;
const PAUSE_MS = 100;

/** Number of stalled parents by cause. */
type StallCounts = Readonly<Record<StallCause, number>>;

/**
 * Finds parents that should act and cannot, and raises ORDER_STALLED for each. A parent is a candidate from the time at
 * which its condition is met and it sends nothing; a fill ends that, and a refused child does not. All candidates wait
 * equally long, so one timer for the oldest is enough, and a parent that waits for its price costs nothing.
 */
export class StallWatch {
  readonly #core: Core;
  readonly #parts: Eligibility;
  readonly #handedOver: HandedOver;
  /** By order id, in the order in which they are due. */
  readonly #candidates: Map<number, Candidate> = new Map();
  /** The cause and market for which each stalled parent is counted. */
  readonly #counted: Map<number, Readonly<{ cause: StallCause; symbol: string }>> = new Map();
  #isWaiting = false;

  constructor(core: Core, parts: Eligibility, handedOver: HandedOver) {
    this.#core = core;
    this.#parts = parts;
    this.#handedOver = handedOver;
  }

  /** Looks at a parent whose state is durable and that has been armed. */
  armed(live: LiveOrder): void {
    const { working: order } = live;
    if (order.stall !== undefined || this.#counted.has(order.orderId)) this.#count(order);
    const { child, trigger, plan, stall } = order;
    const isCandidate =
      child === undefined ? (trigger ?? plan ?? stall) !== undefined : child.state === "SENT";
    if (isCandidate) this.#add(live);
  }

  /** Notes that a parent was offered the market, and why it sent nothing. */
  idle(live: LiveOrder): void {
    const { wait } = live;
    if (wait !== undefined && NOT_MET.has(wait)) return;
    const candidate = this.#add(live);
    if (wait !== undefined && wait !== "RETRY_PACE") candidate.obstacle = undefined;
  }

  /** Follows a durable change of a parent: a fill is progress, a child that fills nothing is none. */
  follow(live: LiveOrder, facts: readonly Fact[]): void {
    for (const fact of facts) {
      if (fact.kind === "FILLED") this.#candidates.delete(live.working.orderId);
      else if (fact.kind === "CHILD_CLOSED" && fact.notBeforeMs !== undefined) {
        const candidate = this.#add(live);
        candidate.obstacle = obstacleOf(fact);
        candidate.obstacleMs = this.#core.monotonicMs();
      }
    }
  }

  /** Forgets a parent that has ended, or is not in memory any more. */
  evict(live: LiveOrder): void {
    const { orderId } = live.working;
    if (this.#candidates.get(orderId)?.live === live) this.#candidates.delete(orderId);
    const now = this.#parts.shards.live(orderId);
    if (now === undefined || now === live) this.#uncount(orderId);
  }

  /** Number of stalled parents, by cause. */
  get counts(): StallCounts {
    const counts = { ...NONE };
    for (const { cause } of this.#counted.values()) counts[cause]++;
    return counts;
  }

  /** Stalled parents in words, by cause and market; undefined if there is none. */
  get summary(): string | undefined {
    const { size } = this.#counted;
    if (size === 0) return undefined;
    const groups = new Map<string, number>();
    for (const { cause, symbol } of this.#counted.values()) {
      const group = `${cause} in ${symbol}`;
      groups.set(group, (groups.get(group) ?? 0) + 1);
    }
    const largest = [...groups].sort(([, a], [, b]) => b - a);
    const named = largest.slice(0, MOST_GROUPS).map(([group, count]) => `${count} ${group}`);
    const more = largest.length > MOST_GROUPS ? " and others" : "";
    return `${size} ${size === 1 ? "order sends" : "orders send"} nothing that executes: ${named.join(", ")}${more}`;
  }

  #add(live: LiveOrder): Candidate {
    const { orderId } = live.working;
    const known = this.#candidates.get(orderId);
    if (known !== undefined) {
      known.live = live;
      return known;
    }
    const nowMs = this.#core.monotonicMs();
    const dueMs = nowMs + this.#core.settings.stalledAfterMs;
    const candidate: Candidate = { live, sinceMs: nowMs, dueMs, obstacle: undefined, obstacleMs: nowMs };
    this.#candidates.set(orderId, candidate);
    this.#wait(0);
    return candidate;
  }

  #count(order: ParentOrder): void {
    const { stall, orderId, intent } = order;
    if (stall === undefined || stall.over === true) return this.#uncount(orderId);
    const isFirst = this.#counted.size === 0;
    this.#counted.set(orderId, { cause: stall.cause, symbol: intent.symbol });
    if (isFirst) this.#core.effects.emit({ kind: "ORDERS_CHANGED" });
  }

  #uncount(orderId: number): void {
    const isLast = this.#counted.delete(orderId) && this.#counted.size === 0;
    if (isLast) this.#core.effects.emit({ kind: "ORDERS_CHANGED" });
  }

  /**
   * Waits until the oldest candidate is due, and for the pause. This wakes nothing: a market is fresh only while quotes or
   * heartbeats come.
   */
  #wait(pauseMs: number): void {
    const [oldest] = this.#candidates.values();
    if (this.#isWaiting || oldest === undefined) return;
    this.#isWaiting = true;
    const waitMs = Math.max(oldest.dueMs - this.#core.monotonicMs(), pauseMs);
    this.#parts.timers.whileQuoted(this.#core.nowMs() + waitMs, () =>
      this.#parts.bursts.add("time", "stalls", this.#lookAtDue()),
    );
  }

  *#lookAtDue(): Generator<number, void> {
    const nowMs = this.#core.monotonicMs();
    let left = MOST_AT_ONCE;
    for (const [orderId, candidate] of this.#candidates) {
      if (candidate.dueMs > nowMs || left-- === 0) break;
      this.#candidates.delete(orderId);
      if (this.#parts.shards.live(orderId) === candidate.live && this.#stays(candidate)) {
        candidate.dueMs = nowMs + this.#core.settings.stalledAfterMs;
        this.#candidates.set(orderId, candidate);
      }
      yield 1;
    }
    this.#isWaiting = false;
    this.#wait(PAUSE_MS);
  }

  /** Raises the alert of a candidate if it is due. Returns whether it remains one. */
  #stays(candidate: Candidate): boolean {
    const { live } = candidate;
    const { working: order, wait } = live;
    const { market } = this.#parts;
    const { symbol } = order.intent;
    const silentMs = this.#core.monotonicMs() - (market.confirmedMs(symbol) ?? Number.NEGATIVE_INFINITY);
    const now = market.now(symbol);
    if (now === undefined || silentMs >= this.#core.settings.stalledAfterMs) {
      // Nobody can act in such a market, and QUOTES_STOPPED says so.
      candidate.sinceMs = undefined;
      return order.trigger !== undefined || order.plan !== undefined || order.stall !== undefined;
    }
    candidate.sinceMs ??= this.#core.monotonicMs();
    const isHalted = this.#parts.shards.isFrozen(order);
    if (!isHalted && !this.#isMet(candidate, now)) {
      // Between two slots, and until there is more volume, nothing has become better.
      if (isPlain(order)) this.#change(order, { kind: "STALL_OVER", wait });
      return false;
    }
    // It has sent a child, and none before it was refused.
    if (this.#isSent(order) && candidate.obstacle === undefined) return true;
    const isDue = this.#core.monotonicMs() - candidate.sinceMs >= this.#core.settings.stalledAfterMs;
    if (isDue && isStallAlertDue(order, this.#core.nowMs()))
      this.#change(order, { kind: "STALLED", ...this.#obstacleOf(candidate, now), wait });
    return true;
  }

  #isSent({ child }: ParentOrder): boolean {
    return child !== undefined && this.#handedOver.deadlineOf(child.childId) !== undefined;
  }

  #isMet({ live, obstacleMs, obstacle }: Candidate, { quote }: QuoteNow): boolean {
    const order = live.working;
    const { funds, participants } = this.#parts;
    // In its slots, or after prints, its children failed a moment ago.
    const isTrying = this.#core.monotonicMs() - obstacleMs < this.#core.settings.stalledAfterMs;
    if (obstacle !== undefined && isTrying && !isPlain(order)) return true;
    if (order.child !== undefined) return order.pendingEnd === undefined;
    if (!isMet(order, quote, this.#core.nowMs())) return false;
    // A take-profit before its part was executed has nothing to do; a stop that fired and is kept from it has.
    if (live.wait === "NO_SHARE" && order.list?.role !== "protective") return false;
    if (order.intent.participationBips === undefined || funds.waits(order)) return true;
    // There is volume to follow, and its share of it is worth the minimum.
    return live.wait !== "BELOW_MINIMUM_NOTIONAL" && participants.volumeFor(live) !== undefined;
  }

  #obstacleOf({ live, obstacle }: Candidate, { quote }: QuoteNow): Obstacle {
    const { working: order, wait } = live;
    const { shards, funds } = this.#parts;
    if (awaitsLookUp(live)) return LOOKED_UP;
    if (shards.isFrozen(order) || order.restored !== undefined || wait === "LIST_UNKNOWN") return HALTED;
    if (wait === "NO_SHARE") return SHARED;
    if (funds.isShort(order))
      return { cause: "NO_FUNDS", detail: obstacle?.detail ?? "the account has too little" };
    if (!isInside(order, quote)) return OUTSIDE;
    if (obstacle !== undefined) return obstacle;
    if (live.pending !== undefined) return UNSTORED;
    if (order.child !== undefined) return QUEUED;
    if (live.measuring !== undefined || wait === "MEASURING")
      return { cause: "WAITING_FOR_EXPOSURE", detail: "the host has not said what there is to reduce" };
    if (wait === "NO_EXPOSURE")
      return { cause: "WAITING_FOR_EXPOSURE", detail: "no exposure is left to reduce" };
    const { value } = executable(order, { levels: executableLevels(order, quote), wanted: restOf(order) });
    return wait === "BELOW_MINIMUM_NOTIONAL" || (!order.intent.reduceOnly && value < this.#core.rules.minimum)
      ? { cause: "BELOW_MINIMUM", detail: "what it can send is worth less than the minimum" }
      : { cause: "LIMIT", detail: "the market does not offer what its next child needs" };
  }

  /** Decides on a parent in its shard. */
  #change({ orderId }: ParentOrder, event: ParentEvent): void {
    const shard = this.#parts.shards.ofOrder(orderId);
    shard.post(() => void shard.change(orderId, event, BY_TIMER));
  }
}

const BY_TIMER: Cause = { kind: "TIMER", timer: "STALL" };

const MOST_GROUPS = 5;

const NONE: Readonly<Record<StallCause, number>> = {
  REFUSED: 0,
  BELOW_MINIMUM: 0,
  NO_FUNDS: 0,
  STORE_SLOW: 0,
  RATE: 0,
  WAITING_FOR_EXPOSURE: 0,
  LIMIT: 0,
  HALTED: 0,
};

const HALTED: Obstacle = {
  cause: "HALTED",
  detail: "the order, its list or its account is stopped until it is settled",
};
const SHARED: Obstacle = {
  cause: "HALTED",
  detail: "what is left for it is in children of the other orders of its list, which are not settled",
};
const LOOKED_UP: Obstacle = {
  cause: "HALTED",
  detail: "its last child was closed with less than asked, and is looked up before the next one",
};
const QUEUED: Obstacle = { cause: "RATE", detail: "its child waits for the rate of the venue" };
const UNSTORED: Obstacle = { cause: "STORE_SLOW", detail: "the store has not kept its last record yet" };
const OUTSIDE: Obstacle = { cause: "LIMIT", detail: "the market is outside its limit price" };

/** Reasons of parents that wait for what they were placed to wait for, and of markets without a fresh quote. */
const NOT_MET: ReadonlySet<WaitReason> = new Set(["STALE_QUOTE", "NO_OPEN_SLOT", "NO_VOLUME", "SHARE_USED"]);

/** Whether the price alone decides that a parent acts. */
const isPlain = ({ plan, trigger, intent }: ParentOrder): boolean =>
  plan === undefined && trigger === undefined && intent.participationBips === undefined;

type Closed = Extract<Fact, { kind: "CHILD_CLOSED" }>;

/** Returns the obstacle that a child without an execution has met; undefined if the market decides about the next one. */
function obstacleOf({ outcome, detail = "the venue gave no reason" }: Closed): Obstacle | undefined {
  if (outcome === "WITHDRAWN") {
    const cause = WITHDRAWN_FOR[detail];
    return cause && { cause, detail };
  }
  if (outcome === "DONE")
    return { cause: "REFUSED", detail: "the venue closed its child without an execution" };
  return { cause: "REFUSED", detail: outcome === "VOIDED" ? "its child never arrived at the venue" : detail };
}
