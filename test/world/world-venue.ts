import type { Random } from "../../src/common/random.ts";
import { add, type Price, type Quantity, quantity } from "../../src/decimal/index.ts";
import { type ChildReport, type ChildRequest, type Fill, shardOfId } from "../../src/model/index.ts";
import type { ExecutionVenue, NotFound, VenueCapabilities } from "../../src/ports/index.ts";
import type { Standstill } from "./cluster/machine-clock.ts";
import type { Faults } from "./faults.ts";
import type { Instance } from "./instance.ts";
import { nonsenseOf } from "./nonsense.ts";
import type { Situations } from "./situations.ts";
import type { Submitting } from "./submitting.ts";
import { VenueExecutions } from "./venue-executions.ts";
import { VenueReports } from "./venue-reports.ts";
import { executedOf, isReported, leftOf, newRow, type Row, reportOf } from "./venue-row.ts";
import type { WorldTime } from "./world-time.ts";

/** Dependencies and settings of a venue. */
export type VenueParts = Readonly<{
  random: Random;
  faults: Faults;
  situations: Situations;
  time: WorldTime;
  capabilities: VenueCapabilities;
  quietMs: number;
  /** How long it remembers a settled child that is not looked up. */
  forgetsAfterMs: number;
  /** Whether it reports the time at which it did not find a child. */
  tellsTime: boolean;
  /** How far its clock is ahead, if it tells its time when it is asked for it. */
  clock?: Readonly<{ aheadMs: number; random: Random }>;
  /** Returns the current price of a market. */
  priceOf: (symbol: string) => Price | undefined;
  /** Called before a child is accepted. */
  submitting: (submitting: Submitting) => void;
  /** How long a takeover from a node that stands still may last; absent without nodes. */
  takeoverMs?: number;
  executed: (row: Row, fill: Fill) => void;
  /** Returns whether an engine is being opened. */
  isOpening: () => boolean;
  /**
   * Whether positions are told late. Executions that reduce one are then told when their child is closed: nobody could know
   * what neither the venue nor the position tells.
   */
  latePositions?: boolean;
}>;

const STEP = quantity("0.000001");
/** Longest time that the answer to a submit of a shard in motion takes. */
const SLOWEST_ANSWER_MS = 2_000;
/** Longest time that the answer to a question for the venue's time takes. */
const SLOWEST_TIME_MS = 3_000;
/** How long executions follow a close, of a venue that does not declare it. */
const FOLLOWS_MS = 8_000;

/**
 * A venue with its own record, which is the truth, and faulty reports: answers get lost, come late, twice or in pieces;
 * look-ups fail or do not find children in transit. It keeps its declared capabilities, on its own clock.
 */
export class WorldVenue {
  readonly rows: Map<string, Row> = new Map();
  readonly rowsOf: Map<number, Row[]> = new Map();
  readonly #live: Set<Row> = new Set();
  readonly #parts: VenueParts;
  readonly #reports: VenueReports;
  readonly #stops: Random;
  readonly #slowness: Random;
  /** Until when it answers submits of a shard slowly. */
  readonly #slowUntilMs: Map<number, number> = new Map();
  readonly #closing: Random;
  /** Answers to look-ups of closed children that say what is. */
  readonly #true: WeakSet<object> = new WeakSet();
  readonly #refusals: Random;
  /** Until when it refuses every child of an account on a market and side. */
  readonly #refusedUntilMs: Map<string, number> = new Map();
  readonly #executions: VenueExecutions;

  constructor(parts: VenueParts) {
    this.#parts = parts;
    this.#reports = new VenueReports(parts);
    this.#stops = parts.random.of("stops before the socket");
    this.#slowness = parts.random.of("slow answers");
    this.#executions = new VenueExecutions(parts);
    this.#closing = parts.random.of("executions after the close");
    this.#refusals = parts.random.of("refusals without end");
  }

  get capabilities(): VenueCapabilities {
    return this.#parts.capabilities;
  }

  /** Returns the venue for a process. */
  open(instance: Instance): ExecutionVenue {
    const { clock } = this.#parts;
    const call = <T>(ask: () => Promise<T>): Promise<T> => instance.call(ask, instance.links.venue);
    return {
      capabilities: this.#parts.capabilities,
      submit: (child, { deadlineMs }) => {
        const requestedAtMs = this.#parts.time.trueMs;
        if (this.#parts.takeoverMs !== undefined) this.#stopBefore(instance, this.#parts.takeoverMs);
        const isStopped = instance.paused;
        instance.unanswered.set(child.childId, requestedAtMs);
        const answer = call(() => this.#submit({ child, deadlineMs, instance, requestedAtMs, isStopped }));
        const answered = (): boolean => instance.unanswered.delete(child.childId);
        void answer.then(answered, answered);
        return answer;
      },
      lookup: async (child) => {
        const requestedAtMs = this.#parts.time.trueMs;
        const answer = await call(() => this.#lookup(child));
        this.#received(instance, answer, requestedAtMs);
        return answer;
      },
      voidChild: (child) => call(() => this.#void(child)),
      ...(clock && { venueTimeMs: () => call(() => this.#reportTime(clock.random)) }),
      subscribe: (listener) => {
        const late = [...this.rows.values()].filter((row) => row.late && row.shown > 0);
        return this.#reports.subscribe({ instance, listener }, late);
      },
    };
  }

  /** How far the venue's clock is ahead of true time. */
  get aheadMs(): number {
    return this.#parts.clock?.aheadMs ?? 0;
  }

  /** The venue's own time, by which it judges deadlines. */
  get nowMs(): number {
    return this.#parts.time.trueMs + this.aheadMs;
  }

  /** Removes the subscribers of a process that died. */
  forget(instance: Instance): void {
    this.#reports.forget(instance);
  }

  /** Returns whether a child can still execute. A child that is completely filled cannot, whatever its state. */
  isLive(row: Row): boolean {
    const isDeclared = this.capabilities.fillsMayFollowCloseMs !== undefined;
    const isOpen = row.state === "open" || (isDeclared && this.#follows(row));
    return (isOpen && leftOf(row) > 0) || row.arrivesAtMs !== undefined;
  }

  /** Children that can still execute or that are not fully reported. */
  get live(): ReadonlySet<Row> {
    return this.#live;
  }

  executedOf(parentOrderId: number): bigint {
    const rows = this.rowsOf.get(parentOrderId) ?? [];
    return rows.reduce((sum, row) => sum + executedOf(row), 0n);
  }

  /**
   * Advances the venue after time has passed: children in transit arrive, open ones continue, and withheld fills may be
   * reported.
   */
  tick(): void {
    for (const row of [...this.#live]) this.#tickOne(row);
  }

  /** Answers submits of some shards slowly until a time, and withholds more of their fills. */
  slowDown(shards: readonly number[], untilMs: number): void {
    for (const shard of shards) this.#slowUntilMs.set(shard, untilMs);
  }

  /** Reports everything that was executed and not reported yet. */
  reportWithheld(): void {
    for (const row of [...this.#live]) if (row.shown < row.fills.length) this.#show(row);
  }

  /** Ends all faults: everything is decided and reported. */
  settle(): void {
    for (const row of this.rows.values()) {
      if (row.state === "open") row.state = "closed";
      row.arrivesAtMs = undefined;
      row.followsUntilMs = Number.NEGATIVE_INFINITY;
      row.shown = row.fills.length;
      if (this.#live.has(row)) this.#reports.report(row);
    }
    this.#live.clear();
  }

  /** Stops a process after it has looked at its clocks and before its child is on the wire. */
  #stopBefore(instance: Instance, takeoverMs: number): void {
    const { faults, time } = this.#parts;
    const random = this.#stops;
    const what = random.pick<Standstill>(["none", "monotonic", "both"]);
    // Often until after a takeover, while the world goes on long enough to see what happens then.
    const ms = random.chance(0.5) ? random.below(30_000) : takeoverMs + random.below(takeoverMs);
    if (!faults.strikes("node stops before its socket", random, 0.12) || instance.paused) return;
    instance.standStill(what, time);
    void time.after(ms).then(() => instance.proceed(time));
  }

  async #submit(submitting: Submitting): Promise<ChildReport> {
    const { faults, random, time, situations } = this.#parts;
    const { child, deadlineMs, instance, requestedAtMs } = submitting;
    this.#parts.submitting(submitting);
    const submittedAtMs = time.trueMs;
    if (this.#requested(child.childId)?.forgotten === true) return await this.#lose();
    const deadlineTrueMs = deadlineMs - this.aheadMs;
    const times = { requestedAtMs, submittedAtMs, deadlineMs: deadlineTrueMs };
    const row = newRow(child, { by: instance.generation, ...times });
    if (this.rows.get(child.childId)?.state === "voided") return reportOf(row);
    this.#retain(row);
    if (faults.strikes("venue loses a submit", random, 0.05)) {
      situations.observe("submit lost before the venue had it");
      return await this.#lose();
    }
    if (faults.strikes("venue takes a child in late", random, 0.06)) {
      const latest = this.capabilities.honoursDeadline ? 2_500 : 20_000;
      const arrivesAtMs = submittedAtMs + random.below(latest);
      const isTaken = !this.capabilities.honoursDeadline || arrivesAtMs <= deadlineTrueMs;
      row.arrivesAtMs = isTaken ? arrivesAtMs : undefined;
      if (isTaken) this.#arriveAt(row, arrivesAtMs);
      return await this.#lose();
    }
    if (this.capabilities.honoursDeadline && submittedAtMs > deadlineTrueMs) row.state = "rejected";
    else this.#arrive(row);
    return await this.#answer(row);
  }

  #arriveAt(row: Row, atMs: number): void {
    this.#live.add(row);
    this.#parts.time.clock.schedule(atMs, () => {
      if (row.arrivesAtMs === undefined) return;
      row.arrivesAtMs = undefined;
      this.#arrive(row);
    });
  }

  #retain(row: Row): void {
    this.rows.set(row.child.childId, row);
    const siblings = this.rowsOf.get(row.child.parentOrderId) ?? [];
    siblings.push(row);
    this.rowsOf.set(row.child.parentOrderId, siblings);
  }

  async #lookup({ childId }: ChildRequest): Promise<ChildReport | NotFound> {
    const { faults, random, situations } = this.#parts;
    const row = this.#requested(childId);
    if (faults.strikes("venue fails a look-up", random, 0.15)) {
      situations.observe("look-up fails");
      return await this.#lose();
    }
    if (row?.forgotten === true) return await this.#lose();
    const notFound: NotFound = this.#parts.tellsTime ? { notFoundAtMs: this.nowMs } : "not-found";
    if (row === undefined) return notFound;
    if (row.state === "never") {
      row.denied = true;
      return notFound;
    }
    if (this.#hides(row)) {
      situations.observe("not found, then there");
      return notFound;
    }
    if (row.denied) situations.observe("not found, then there");
    const { fillsMayFollowCloseMs = Number.POSITIVE_INFINITY } = this.capabilities;
    if (this.#parts.time.trueMs >= row.closedAtMs + fillsMayFollowCloseMs) row.shown = row.fills.length;
    const report = reportOf(row);
    if (faults.strikes("venue says nonsense", random, 0.05)) {
      situations.observe("nonsense in a look-up");
      return nonsenseOf(report, random);
    }
    if (report.state === "closed") this.#true.add(report);
    return report;
  }

  /** Notes that a process has heard a true answer to a look-up of a closed child. */
  #received({ generation }: Instance, answer: ChildReport | NotFound, requestedAtMs: number): void {
    if (typeof answer !== "object" || answer === null || !this.#true.has(answer)) return;
    const { childId, fills } = answer as ChildReport;
    this.rows.get(childId)?.answered.set(generation, { requestedAtMs, fills: fills.length });
  }

  /**
   * Returns the row of a child that is looked up. A child that was settled, reported and then left alone is forgotten.
   */
  #requested(childId: string): Row | undefined {
    const { time, situations, forgetsAfterMs } = this.#parts;
    const row = this.rows.get(childId);
    if (row === undefined || row.forgotten) return row;
    if (isReported(row) && time.trueMs - row.touchedAtMs > forgetsAfterMs) {
      row.forgotten = true;
      situations.observe("child forgotten by the venue");
    }
    row.touchedAtMs = time.trueMs;
    return row;
  }

  /** Returns whether a look-up misses an existing child: until the deadline, and longer where only voiding decides. */
  #hides(row: Row): boolean {
    const { faults, random, time, quietMs, tellsTime, clock } = this.#parts;
    const { honoursDeadline, canVoid } = this.capabilities;
    const mayForget = canVoid && !honoursDeadline;
    // From this time on "not found" counts: the first moment after the deadline, or the end of the quiet time.
    const surelyMs = row.deadlineMs + (tellsTime || clock !== undefined ? 1 : quietMs);
    if (!mayForget && time.trueMs >= surelyMs) return false;
    const forMs = mayForget ? random.below(15_000) : 0;
    if (!faults.strikes("venue does not find what is on its way", random, 0.2))
      return time.trueMs < row.hiddenUntilMs && !faults.quiet;
    row.hiddenUntilMs = Math.max(row.hiddenUntilMs, time.trueMs + forMs);
    return true;
  }

  /** Tells the venue's time: late, so that it was read at some time before, or not at all. */
  async #reportTime(random: Random): Promise<number> {
    const { faults, time, situations } = this.#parts;
    if (faults.strikes("venue does not tell its time", random, 0.2)) return await this.#lose();
    const reported = this.nowMs;
    if (faults.strikes("venue answers late", random, 0.2)) {
      situations.observe("late answer to a question for the time");
      await time.after(random.below(SLOWEST_TIME_MS));
    }
    return reported;
  }

  async #void(child: ChildRequest): Promise<ChildReport | "voided"> {
    const { faults, random, time, situations } = this.#parts;
    const known = this.#requested(child.childId);
    if (faults.strikes("venue fails a look-up", random, 0.1) || known?.forgotten === true)
      return await this.#lose();
    if (known !== undefined && known.state !== "never" && known.state !== "voided") {
      situations.observe("void answered with a report");
      return reportOf(known);
    }
    const nowMs = time.trueMs;
    const times = { requestedAtMs: nowMs, submittedAtMs: nowMs, deadlineMs: nowMs };
    const row = known ?? newRow(child, { by: 0, ...times });
    row.state = "voided";
    row.arrivesAtMs = undefined;
    if (known === undefined) this.#retain(row);
    this.#live.delete(row);
    return "voided";
  }

  #tickOne(row: Row): void {
    const { random, time } = this.#parts;
    row.touchedAtMs = time.trueMs;
    if (row.state === "open") this.#tickOpen(row);
    if (this.#follows(row) && this.#closing.chance(0.4)) {
      this.#executions.execute(row, this.#part(row));
      row.late = true;
      row.early = true;
    }
    const isHidden = row.shown < row.fills.length;
    if (isHidden && random.chance(0.1)) this.#show(row);
    const mayExecute = this.isLive(row) || this.#follows(row);
    if (!mayExecute && row.shown === row.fills.length) this.#live.delete(row);
  }

  #tickOpen(row: Row): void {
    const { faults, random, time } = this.#parts;
    const nowMs = time.trueMs;
    const mayFill = !this.capabilities.honoursDeadline || nowMs <= row.deadlineMs;
    if (mayFill && random.chance(0.3)) this.#executions.execute(row, this.#part(row));
    const closes = nowMs > row.deadlineMs || random.chance(0.2);
    if (closes) this.#close(row);
    const isSilent = faults.strikes("venue fills a part and falls silent", random, 0.6);
    if (!isSilent || (closes && this.#tellsAll(row))) this.#show(row);
    if (closes && row.shown < row.fills.length) row.late = true;
    row.early ||= row.late;
  }

  #show(row: Row): void {
    row.shown = row.fills.length;
    this.#reports.report(row);
  }

  #arrive(row: Row): void {
    const { faults, random, situations } = this.#parts;
    const { child } = row;
    row.state = "closed";
    row.touchedAtMs = this.#parts.time.trueMs;
    this.#live.add(row);
    if (this.#refusesAgain(child)) {
      row.state = "rejected";
      return;
    }
    if (faults.strikes("venue refuses", random, 0.12)) {
      row.state = "rejected";
      row.final = faults.strikes("venue refuses for good", random, 0.15);
      situations.observe(row.final ? "refused permanently" : "refused temporarily");
      return;
    }
    const dice = random.below(10);
    if (dice === 0) return this.#close(row);
    if (dice <= 3 && child.timeInForce !== "FOK") this.#arrivePartly(row);
    else if (!child.reduceOnly && faults.strikes("venue fills more than was sent", random, 0.02)) {
      situations.observe("more filled than was sent");
      this.#executions.execute(row, add(child.quantity, quantity("0.25")));
    } else this.#executions.execute(row, child.quantity);
    row.shown = row.fills.length;
    if (row.state === "closed") this.#close(row);
    row.late =
      faults.strikes("venue withholds fills", random, this.#isSlow(row) ? 0.5 : 0.08) && !this.#tellsAll(row);
    row.early ||= row.late;
    if (row.late) row.shown = 0;
  }

  /**
   * Returns whether the account is refused on this market and side, once begun for up to two minutes: for no reason, or
   * because the fee of a purchase has left less than its orders sell.
   */
  #refusesAgain({ accountId, symbol, side }: ChildRequest): boolean {
    const { faults, time } = this.#parts;
    const refusals = this.#refusals;
    const key = `${accountId} ${symbol} ${side}`;
    const untilMs = time.trueMs + 20_000 + refusals.below(100_000);
    if (faults.strikes("venue refuses without end", refusals, 0.02)) this.#refusedUntilMs.set(key, untilMs);
    if (side === "BUY" && faults.strikes("venue takes a fee in the base asset", refusals, 0.05))
      this.#refusedUntilMs.set(`${accountId} ${symbol} SELL`, untilMs);
    return !faults.quiet && time.trueMs < (this.#refusedUntilMs.get(key) ?? 0);
  }

  #arrivePartly(row: Row): void {
    const { faults, random, situations } = this.#parts;
    this.#executions.execute(row, this.#part(row));
    if (!random.chance(0.5)) return;
    row.state = "open";
    if (faults.strikes("venue fills a part and falls silent", random, 0.3))
      situations.observe("part filled, then silence");
  }

  /** Closes a child, perhaps before it has executed all that it will. */
  #close(row: Row): void {
    const { faults, time } = this.#parts;
    const { honoursDeadline, fillsMayFollowCloseMs = FOLLOWS_MS } = this.capabilities;
    row.state = "closed";
    row.closedAtMs = time.trueMs;
    const mayFollow = !row.child.reduceOnly && row.child.timeInForce !== "FOK" && leftOf(row) > 0;
    if (!mayFollow || !faults.strikes("venue executes after closing", this.#closing, 0.3)) return;
    const untilMs = row.closedAtMs + fillsMayFollowCloseMs;
    row.followsUntilMs = honoursDeadline ? Math.min(untilMs, row.deadlineMs) : untilMs;
  }

  /** Returns whether a closed child may still execute. */
  #follows(row: Row): boolean {
    return this.#parts.time.trueMs < row.followsUntilMs && leftOf(row) > 0;
  }

  #tellsAll({ child }: Row): boolean {
    return child.reduceOnly && this.#parts.latePositions === true;
  }

  #isSlow({ child }: Row): boolean {
    return this.#parts.time.trueMs < (this.#slowUntilMs.get(shardOfId(child.parentOrderId)) ?? 0);
  }

  /** Returns a quantity between one step and the rest. */
  #part(row: Row): Quantity {
    const left = leftOf(row);
    if (left <= STEP) return left;
    const wish = quantity(`0.${1 + this.#parts.random.below(8)}`);
    return wish < left ? wish : STEP;
  }

  async #answer(row: Row): Promise<ChildReport> {
    const { faults, random, situations, time } = this.#parts;
    if (faults.strikes("venue tells before it answers", random, 0.2)) {
      if (row.shown > 0) situations.observe("fill reported before the acknowledgement");
      this.#reports.report(row);
    }
    if (faults.strikes("venue loses an answer", random, 0.08)) {
      situations.observe("answer lost after the venue had it");
      return await this.#lose();
    }
    if (faults.strikes("venue answers late", random, 0.1)) {
      await time.after(random.below(4_000));
      if (time.trueMs > row.deadlineMs) situations.observe("answer after the deadline");
    }
    if (this.#isSlow(row)) await time.after(this.#slowness.below(SLOWEST_ANSWER_MS));
    if (faults.strikes("venue says nonsense", random, 0.04)) {
      situations.observe("nonsense in an answer");
      return nonsenseOf(reportOf(row), random);
    }
    return reportOf(row);
  }

  #lose(): Promise<never> {
    return this.#parts.random.chance(0.5)
      ? new Promise(() => undefined)
      : Promise.reject(new Error("connection reset"));
  }
}
