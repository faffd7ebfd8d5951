import { errorMessage } from "../../common/index.ts";
import type { Reconciler } from "../children/reconciler.ts";
import type { Core } from "../core/core.ts";
import type { EventStream } from "../core/event-stream.ts";
import {
  type ConditionCounts,
  type EngineStatus,
  STATUS_ENDS,
  type StatusChange,
  type StatusKind,
  type StatusReason,
} from "../core/events.ts";
import type { StallWatch } from "../eligibility/stall-watch.ts";
import type { MarketHub } from "../market/market-hub.ts";
import type { QuoteWatch } from "../market/quote-watch.ts";
import type { Shards } from "../shards/shards.ts";
import type { Timers } from "../time/timers.ts";

/** Dependencies of {@link StatusBoard}. */
export type StatusParts = Readonly<{
  shards: Shards;
  market: MarketHub;
  reconciler: Reconciler;
  stream: EventStream;
  quotes: QuoteWatch;
  stalls: StallWatch;
  timers: Timers;
}>;

/** Codes by which a store's error says that the disk is full. */
const FULL: ReadonlySet<unknown> = new Set(["SQLITE_FULL", "ENOSPC", "EDQUOT"]);

const LONGEST_DETAIL = 200;

const KINDS = Object.keys(STATUS_ENDS) as readonly StatusKind[];

/** Conditions that consist of orders or children, and the words for their end. */
const OF_ORDERS = [
  ["ORDERS_STALLED", "no order is stalled any more"],
  ["CHILD_UNKNOWN", "the outcome of every child is known"],
] as const;

/** Conditions of an engine that are not normal. Announces each when it begins and when it ends. */
export class StatusBoard {
  readonly #core: Core;
  readonly #parts: StatusParts;
  readonly #fenced: number[] = [];
  #store: StatusReason | undefined;
  /** Prints that were not counted since the store began to fail. */
  #uncounted = 0;
  /** Children that the store made late, and by the monotonic clock when the last one became durable. */
  #childrenLate: StatusReason | undefined;
  #childLateAtMs = 0;
  #ending: StatusReason | undefined;
  #lease: StatusReason | undefined;
  #clock: StatusReason | undefined;
  #nodes: StatusReason | undefined;
  #dropped: StatusReason | undefined;
  #wanted: StatusReason | undefined;
  #unowned: StatusReason | undefined;
  /** Conditions of orders and children that were told and have not ended. */
  readonly #ofOrders: Set<"ORDERS_STALLED" | "CHILD_UNKNOWN"> = new Set();
  readonly #begun: Map<StatusChange, number> = new Map();

  constructor(core: Core, parts: StatusParts) {
    this.#core = core;
    this.#parts = parts;
  }

  get status(): EngineStatus {
    const reasons = [...this.#own(), ...this.#watched()];
    if (this.isDraining) return { system: "draining", reasons };
    return { system: reasons.length > 0 ? "degraded" : "normal", reasons };
  }

  /** Each condition for a monitor. */
  get conditions(): ConditionCounts {
    const standing = new Set(this.status.reasons.map(({ kind }) => kind));
    const counts = KINDS.map((kind) => [
      kind,
      { stands: standing.has(kind), begun: this.#begun.get(kind) ?? 0 },
    ]);
    return Object.fromEntries(counts);
  }

  /** Whether the engine refuses new orders. */
  get isDraining(): boolean {
    return this.#ending !== undefined || this.#clock !== undefined;
  }

  /** Whether new orders are refused because the clock of this machine differs from that of the store. */
  get isClockApart(): boolean {
    return this.#ending === undefined && this.#clock !== undefined;
  }

  /** Reports a lease that was not renewed in time, or, with LEASE_LOST, that another node has ended. */
  leaseFailed(kind: "LEASE_LAPSED" | "LEASE_LOST"): void {
    const detail =
      kind === "LEASE_LOST"
        ? "another node has declared this one dead; it decides and answers nothing any more"
        : "the lease could not be renewed in time; until it is, nothing is decided, sent or answered";
    this.#lease = { kind, detail };
    this.#publish(kind, detail);
  }

  leaseRenewed(): void {
    if (this.#lease === undefined) return;
    this.#lease = undefined;
    this.#publish("LEASE_RENEWED", "the lease is renewed again");
  }

  /** Reports by how much the clocks of machine and store are further apart than allowed; undefined ends that. */
  clockApart(byMs: number | undefined): void {
    if (byMs === undefined) {
      if (this.#clock === undefined) return;
      this.#clock = undefined;
      return this.#publish("CLOCK_NEAR", "the clocks of this machine and of the store agree again");
    }
    const detail = `the clock of this machine and that of the store are ${Math.round(byMs)} ms apart; no new orders are accepted`;
    this.#clock = { kind: "CLOCK_APART", detail };
    this.#publish("CLOCK_APART", detail);
  }

  /** Reports for good that a standby dropped events of the venue before its engine took over. */
  eventsDropped(events: number): void {
    const detail = `number of events of the venue that this node dropped before it took over: ${events}; let the venue report the executions of that time again`;
    this.#dropped = { kind: "EVENTS_DROPPED", detail };
    this.#publish("EVENTS_DROPPED", detail);
  }

  /** Reports live nodes that cannot read what this engine writes; undefined ends that. */
  nodesOutdated(detail: string | undefined): void {
    if (detail === this.#nodes?.detail) return;
    this.#nodes = detail === undefined ? undefined : { kind: "NODE_OUTDATED", detail };
    if (detail === undefined)
      this.#publish("NODES_CURRENT", "every live node can read what this engine writes");
    else this.#publish("NODE_OUTDATED", detail);
  }

  /** Whether a live node cannot read everything that this engine could write. */
  get hasOutdatedNodes(): boolean {
    return this.#nodes !== undefined;
  }

  /** Reports shards, with the market journal as 256, that no node has taken for some time; an empty list ends that. */
  shardsUnowned(shards: readonly number[]): void {
    if (shards.length > 0 === (this.#unowned !== undefined)) return;
    const [first] = shards;
    const detail =
      first === undefined
        ? "every shard has an owner again"
        : `${shards.length} shards have no owner, ${first} among them: no node takes them`;
    this.#unowned = first === undefined ? undefined : { kind: "SHARDS_UNOWNED", detail };
    this.#publish(first === undefined ? "SHARDS_OWNED" : "SHARDS_UNOWNED", detail);
  }

  /** Reports that an operator wants this node to hand over, or wants it no more. */
  handOverWanted(isWanted: boolean): void {
    const detail = isWanted
      ? "an operator wants this node to hand its shards over"
      : "no operator wants a hand-over";
    this.#wanted = isWanted ? { kind: "HAND_OVER_WANTED", detail } : undefined;
    this.#publish(isWanted ? "HAND_OVER_WANTED" : "HAND_OVER_WITHDRAWN", detail);
  }

  fenced(shard: number): void {
    this.#fenced.push(shard);
    this.#publish("SHARD_FENCED", `another engine owns shard ${shard}`);
  }

  /** Reports a store that fails or does not answer, once for as long as this lasts. */
  storeFailed(error: unknown): void {
    const kind = FULL.has((error as { code?: unknown } | null | undefined)?.code)
      ? "DISK_FULL"
      : "STORE_FAILING";
    if (this.#store?.kind === kind) return;
    const detail = errorMessage(error).slice(0, LONGEST_DETAIL);
    this.#store = { kind, detail };
    this.#publish(kind, detail);
  }

  /** Notes that the store kept an append. While a shard cannot be read, the store still counts as failing. */
  storeWorked(): void {
    if (this.#store !== undefined) {
      if (this.#parts.shards.all.some(({ state }) => state === "reloading")) return;
      this.#store = undefined;
      this.#publish("STORE_RECOVERED", "the store accepts writes again");
    }
    if (this.#uncounted === 0 || this.#waitsForWriter) return;
    const detail = this.#parts.market.writes
      ? `${this.#uncounted} executed trades were not counted`
      : `${this.#uncounted} executed trades were counted and not kept for the store`;
    this.#uncounted = 0;
    this.#publish("VOLUME_COUNTED", detail);
  }

  /**
   * Notes that the intent of a child is durable, and when it was decided, by the monotonic clock. From the first one that
   * took longer than `submitDeadlineMs` until none has for `stalledAfterMs`, children are late.
   */
  childDurable(decidedAtMs: number): void {
    const nowMs = this.#core.monotonicMs();
    const afterMs = nowMs - decidedAtMs;
    if (afterMs <= this.#core.settings.submitDeadlineMs) return;
    this.#childLateAtMs = nowMs;
    const detail = `the store kept a child ${Math.round(afterMs)} ms after its decision: children go out late, and only if the market is still there`;
    const isFirst = this.#childrenLate === undefined;
    this.#childrenLate = { kind: "CHILDREN_LATE", detail };
    if (!isFirst) return;
    this.#publish("CHILDREN_LATE", detail);
    this.#awaitChildrenInTime();
  }

  #awaitChildrenInTime(): void {
    const { monotonicMs, settings } = this.#core;
    const waitMs = this.#childLateAtMs + settings.stalledAfterMs - monotonicMs();
    if (waitMs > 0) return void this.#parts.timers.after(waitMs, () => this.#awaitChildrenInTime());
    this.#childrenLate = undefined;
    this.#publish("CHILDREN_IN_TIME", "the store keeps children in time again");
  }

  /**
   * Notes that a print was not counted because the limit of prints waiting for the store is reached; or, on a node that
   * does not write the market journal, that the oldest one waits no longer.
   */
  volumeDropped(): void {
    this.#uncounted++;
    if (this.#uncounted > 1) return;
    const detail = this.#parts.market.writes
      ? "the maximum number of executed trades waits for the store; further trades are not counted"
      : "the maximum number of executed trades waits for the node that stores them; this node would not store older ones";
    this.#publish("VOLUME_NOT_COUNTED", detail);
  }

  /** Whether the writer of the market journal, another node, is far behind. Appends of this node do not end that. */
  get #waitsForWriter(): boolean {
    const { market } = this.#parts;
    return !market.writes && market.tape.isFull;
  }

  /** Reports markets that open orders watch and of which no quote has counted for a while, or counts again. */
  quotesChanged(change: "QUOTES_STOPPED" | "QUOTES_RESUMED", detail: string): void {
    this.#publish(change, detail);
  }

  /** Looks whether the first order has stalled or the first child become unknown, or the last one is so no more. */
  ordersChanged(): void {
    const standing = new Map(this.#watched().map(({ kind, detail }) => [kind, detail]));
    for (const [kind, ended] of OF_ORDERS) {
      const detail = standing.get(kind);
      if ((detail !== undefined) === this.#ofOrders.has(kind)) continue;
      if (detail === undefined) this.#ofOrders.delete(kind);
      else this.#ofOrders.add(kind);
      this.#publish(detail === undefined ? STATUS_ENDS[kind] : kind, detail ?? ended);
    }
  }

  draining(): void {
    if (this.#ending !== undefined) return;
    this.#ending = { kind: "DRAINING", detail: "the engine accepts no new orders" };
    this.#publish("DRAINING", this.#ending.detail);
  }

  closed(detail: string): void {
    this.#ending = { kind: "CLOSED", detail };
    this.#publish("CLOSED", detail);
  }

  #own(): readonly StatusReason[] {
    const reasons: StatusReason[] = [];
    if (this.#ending !== undefined) reasons.push(this.#ending);
    for (const reason of [
      ...[this.#store, this.#childrenLate, this.#lease, this.#clock, this.#nodes, this.#unowned],
      ...[this.#dropped, this.#wanted],
    ])
      if (reason !== undefined) reasons.push(reason);
    const [first] = this.#fenced;
    if (first !== undefined) {
      const more = this.#fenced.length > 1 ? ` and ${this.#fenced.length - 1} more` : "";
      reasons.push({ kind: "SHARD_FENCED", detail: `another engine owns shard ${first}${more}` });
    }
    if (this.#uncounted > 0)
      reasons.push({
        kind: "VOLUME_NOT_COUNTED",
        detail: this.#parts.market.writes
          ? `${this.#uncounted} executed trades are not counted`
          : `${this.#uncounted} executed trades are counted and not kept for the store`,
      });
    return reasons;
  }

  #watched(): readonly StatusReason[] {
    const { market, reconciler, quotes, stalls } = this.#parts;
    const stopped = new Set([...market.stopped, ...quotes.stopped]);
    const [unknown, stalled] = [reconciler.unknown, stalls.summary];
    const reasons: StatusReason[] = [];
    if (stopped.size > 0) {
      const causes = [...stopped].map((symbol) => `${symbol} (${quotes.causeOf(symbol)})`);
      reasons.push({ kind: "QUOTES_STOPPED", detail: `no fresh quote of ${causes.join(", ")}` });
    }
    if (stalled !== undefined) reasons.push({ kind: "ORDERS_STALLED", detail: stalled });
    if (unknown > 0)
      reasons.push({
        kind: "CHILD_UNKNOWN",
        detail: `number of children with an unknown outcome: ${unknown}`,
      });
    return reasons;
  }

  #publish(change: StatusChange, detail: string): void {
    this.#begun.set(change, (this.#begun.get(change) ?? 0) + 1);
    this.#parts.stream.status({ change, detail, timeMs: this.#core.nowMs(), status: this.status });
  }
}
