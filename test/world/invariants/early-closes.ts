import { type Fact, MOST_CLOSE_WAIT_MS } from "../../../src/model/index.ts";
import type { SeenChange, SeenRecord } from "../journal-book.ts";
import type { WorldParts } from "../parts.ts";
import { exactOf, executedOf, type Row } from "../venue-row.ts";

type CloseFact = Extract<Fact, { kind: "CHILD_CLOSED" }>;

/**
 * A child that was closed with less than asked, when, after what time it must be looked up, and whether no other one was
 * decided since.
 */
type Closed = Readonly<{
  childId: string;
  atMs: number;
  engineMs: number;
  waitMs: number;
  isNewest: boolean;
}>;

/** How long an execution took to come after the close of its child, and when that became durable. */
type Late = Readonly<{ tookMs: number; atMs: number }>;

/** Longer than an engine takes to learn of what is durable, however its store answers. */
const LEARNT_MS = 180_000;

/**
 * Checks the rule "A venue that closes a child and then executes it". The next child of an order is decided after the venue has answered its process a look-up of the child
 * that was closed with less than asked, asked once the wait was over, and every execution in that answer is counted; or after
 * look-ups have failed for 30 s. The wait is as long as the venue declares, and as it took in this order, or in any that the
 * process has counted. So orders of a venue that executes within the time that it declares never execute more than their
 * quantity; others exceed it only by what comes after that, and each such execution must take longer than all before.
 */
export class EarlyCloses {
  readonly #get: () => WorldParts;
  /** The child of each order that was closed with less than asked last. */
  readonly #closed: Map<number, Closed> = new Map();
  /** The longest wait of each order. */
  readonly #waits: Map<number, number> = new Map();
  /** What each process has seen come late. */
  readonly #late: Map<number, Late[]> = new Map();
  /** Orders that went on although nobody had answered for 30 s. */
  readonly #unanswered: Set<number> = new Set();

  constructor(parts: () => WorldParts) {
    this.#get = parts;
  }

  get #parts(): WorldParts {
    return this.#get();
  }

  /** Checks a record. */
  check(seen: SeenRecord): void {
    for (const change of seen.changes)
      for (const fact of change.facts) {
        if (fact.kind === "FILLED") this.#filled(change, fact.childId, seen);
        else if (fact.kind === "CHILD_CLOSED") this.#close(change, fact, seen);
        else if (fact.kind === "CHILD_INTENDED") this.#intended(change, seen);
      }
  }

  /** Checks that an order has not executed more than its quantity, if its venue declares how long executions may follow a close. */
  executed({ child }: Row): void {
    const { venue, journal, requireThat } = this.#parts;
    const order = journal.find(child.parentOrderId);
    if (order === undefined || this.#declaredMs === 0 || this.#unanswered.has(order.orderId)) return;
    const beyond = (row: Row): bigint => executedOf(row) - exactOf(row.child);
    const rows = venue.rowsOf.get(order.orderId) ?? [];
    const more = rows.map(beyond).reduce((sum, one) => (one > 0n ? sum + one : sum), 0n);
    const executed = venue.executedOf(order.orderId);
    requireThat(
      executed - more <= exactOf(order.intent),
      "A venue that closes a child and then executes it",
      () =>
        `order ${order.orderId} has executed ${executed} after a close, asked were ${order.intent.quantity}`,
    );
  }

  get #declaredMs(): number {
    return this.#parts.venue.capabilities.fillsMayFollowCloseMs ?? 0;
  }

  #filled(
    { after: { orderId, ended } }: SeenChange,
    childId: string,
    { record, instance }: SeenRecord,
  ): void {
    const { situations, time } = this.#parts;
    const closed = this.#closed.get(orderId);
    if (closed === undefined || childId !== closed.childId) return;
    situations.observe("execution after an early close");
    const tookMs = Math.min(record.timeMs - closed.engineMs, MOST_CLOSE_WAIT_MS);
    this.#waits.set(orderId, Math.max(tookMs, this.#waits.get(orderId) ?? 0));
    // Of an order that has ended, a process learns nothing for others.
    if (ended !== undefined) return;
    const { generation } = instance;
    this.#late.set(generation, [...(this.#late.get(generation) ?? []), { tookMs, atMs: time.trueMs }]);
  }

  #close({ after }: SeenChange, fact: CloseFact, { record, instance }: SeenRecord): void {
    const { requireThat, venue, time } = this.#parts;
    const { orderId, ended } = after;
    const { cause } = record;
    const { childId, lookUpAfterMs } = fact;
    const row = venue.rows.get(childId);
    if (fact.outcome !== "DONE" || row === undefined || cause.kind !== "VENUE" || ended !== undefined) return;
    const knownMs = this.#knownMs(instance.generation);
    const isEarly = this.#countedOf(orderId, childId) < exactOf(row.child);
    const isLookedUp = cause.source === "LOOKUP" && knownMs === 0;
    requireThat(
      !isEarly || isLookedUp || (lookUpAfterMs !== undefined && lookUpAfterMs >= knownMs),
      "A venue that closes a child and then executes it",
      () => `${childId} closed early is looked up after ${lookUpAfterMs} ms, it took ${knownMs} ms once`,
    );
    if (lookUpAfterMs === undefined) return;
    const waitMs = Math.max(lookUpAfterMs, this.#waits.get(orderId) ?? 0);
    this.#closed.set(orderId, {
      childId,
      atMs: time.trueMs,
      engineMs: record.timeMs,
      waitMs,
      isNewest: true,
    });
  }

  /** Returns what the venue declares, or what a process has certainly learnt that it needs. */
  #knownMs(generation: number): number {
    const { time } = this.#parts;
    const learnt = (this.#late.get(generation) ?? []).filter(({ atMs }) => atMs < time.trueMs - LEARNT_MS);
    return Math.max(this.#declaredMs, ...learnt.map(({ tookMs }) => tookMs));
  }

  #countedOf(orderId: number, childId: string): bigint {
    const fills = [...(this.#parts.journal.fills.get(orderId)?.values() ?? [])];
    return fills.reduce((sum, one) => (one.childId === childId ? sum + exactOf(one.fill) : sum), 0n);
  }

  #intended({ after: { orderId } }: SeenChange, { instance }: SeenRecord): void {
    const { requireThat, venue, time, journal, situations } = this.#parts;
    const closed = this.#closed.get(orderId);
    if (closed?.isNewest !== true) return;
    this.#closed.set(orderId, { ...closed, isNewest: false });
    const { childId, atMs, waitMs } = closed;
    const row = venue.rows.get(childId);
    const answer = row?.answered.get(instance.generation);
    const sinceMs = (answer?.requestedAtMs ?? 0) - atMs;
    if (answer === undefined || sinceMs < waitMs) {
      this.#unanswered.add(orderId);
      const waitedMs = time.trueMs - atMs;
      return requireThat(
        waitedMs >= waitMs + MOST_CLOSE_WAIT_MS,
        "A venue that closes a child and then executes it",
        () =>
          `order ${orderId} goes on ${waitedMs} ms after ${childId} closed early, no look-up was answered`,
      );
    }
    situations.observe("next child after a look-up of an early close");
    const fills = row?.fills.slice(0, answer.fills) ?? [];
    const missing = fills.filter(
      ({ executionId }) => journal.fills.get(orderId)?.has(`${childId} ${executionId}`) !== true,
    );
    requireThat(
      missing.length === 0,
      "A venue that closes a child and then executes it",
      () => `order ${orderId} goes on without ${missing.length} executions that the look-up told`,
    );
  }
}
