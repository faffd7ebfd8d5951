import { add, type Quantity, quantity, subtract, ZERO_QUANTITY } from "../../src/decimal/index.ts";
import type { ChildRequest, Fill } from "../../src/model/index.ts";
import type {
  ChildReport,
  Clock,
  ExecutionVenue,
  VenueCapabilities,
  VenueEvent,
} from "../../src/ports/index.ts";
import type { Random } from "./random.ts";

/** What really became of a child, whatever the engine was told. */
export type Row = {
  readonly child: ChildRequest;
  readonly deadlineMs: number;
  /** On its way: it arrives at this time unless that is past its deadline. */
  arrivesAtMs: number | undefined;
  state: "never" | "open" | "closed" | "rejected";
  final: boolean;
  /** Executed and shown. */
  readonly fills: Fill[];
  /** Executed and not shown yet. */
  readonly withheld: Fill[];
};

/** What a truth venue tells its simulation. */
export type TruthHost = Readonly<{
  /** Before a child is taken in. */
  submitting: (child: ChildRequest) => void;
  executed: (child: ChildRequest, size: Quantity, executionId: string) => void;
}>;

const STEP = quantity("0.000001");

/**
 * A venue that keeps the truth and tells it badly: answers get lost, come late, twice or in pieces, lookups fail or
 * do not know what is on its way. It honours deadlines, and from a quiet time after them what it says is so.
 */
export class TruthVenue implements ExecutionVenue {
  readonly capabilities: VenueCapabilities;
  readonly rows: Map<string, Row> = new Map();
  /** Whether anything goes wrong. */
  faulty = true;
  readonly #random: Random;
  readonly #clock: Clock;
  readonly #quietMs: number;
  readonly #host: TruthHost;
  readonly #listeners: Set<(event: VenueEvent) => void> = new Set();
  #executions = 0;

  constructor(
    parts: Readonly<{ random: Random; clock: Clock; quietMs: number; ratePerSecond?: number }>,
    host: TruthHost,
  ) {
    this.#random = parts.random;
    this.#clock = parts.clock;
    this.#quietMs = parts.quietMs;
    this.#host = host;
    const rate = parts.ratePerSecond === undefined ? {} : { ratePerSecond: parts.ratePerSecond };
    this.capabilities = { honoursDeadline: true, canVoid: false, ...rate };
  }

  async submit(child: ChildRequest, { deadlineMs }: Readonly<{ deadlineMs: number }>): Promise<ChildReport> {
    this.#host.submitting(child);
    if (this.rows.has(child.childId)) throw new RangeError(`I21: ${child.childId} is submitted twice`);
    const row: Row = {
      child,
      deadlineMs,
      arrivesAtMs: undefined,
      state: "never",
      final: false,
      fills: [],
      withheld: [],
    };
    this.rows.set(child.childId, row);
    if (this.faulty && this.#chance(0.06)) return await this.#lose();
    if (this.faulty && this.#chance(0.06)) {
      row.arrivesAtMs = this.#clock.nowMs() + this.#random.below(2_500);
      return await this.#lose();
    }
    this.#arrive(row);
    return await this.#answer(row);
  }

  async lookup({ childId }: ChildRequest): Promise<ChildReport | "not-found"> {
    const row = this.rows.get(childId);
    if (this.faulty && this.#chance(0.15)) return await this.#lose();
    if (row === undefined || row.state === "never") return "not-found";
    const unsure = this.#clock.nowMs() < row.deadlineMs + this.#quietMs;
    return this.faulty && unsure && this.#chance(0.2) ? "not-found" : this.#report(row);
  }

  subscribe(listener: (event: VenueEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Whether a child may execute yet. */
  isLive({ state, arrivesAtMs, deadlineMs }: Row): boolean {
    return state === "open" || (arrivesAtMs !== undefined && this.#clock.nowMs() <= deadlineMs);
  }

  executedOf(parentOrderId: number): Quantity {
    let sum = ZERO_QUANTITY;
    for (const { child, fills, withheld } of this.rows.values()) {
      if (child.parentOrderId !== parentOrderId) continue;
      for (const fill of [...fills, ...withheld]) sum = add(sum, fill.quantity);
    }
    return sum;
  }

  /** Time has passed: what is on its way arrives, what is open goes on, what was withheld may come out. */
  tick(): void {
    for (const row of this.rows.values()) this.#tickOne(row);
  }

  /** The end of all trouble: everything is decided and told. */
  settle(): void {
    this.faulty = false;
    for (const row of this.rows.values()) {
      if (row.state === "open") row.state = "closed";
      row.arrivesAtMs = undefined;
      row.fills.push(...row.withheld.splice(0));
      if (row.state !== "never") this.#say(row);
    }
  }

  #tickOne(row: Row): void {
    const nowMs = this.#clock.nowMs();
    if (row.arrivesAtMs !== undefined && nowMs >= row.arrivesAtMs) {
      if (row.arrivesAtMs <= row.deadlineMs) this.#arrive(row);
      row.arrivesAtMs = undefined;
    }
    if (row.state === "open") {
      if (nowMs <= row.deadlineMs && this.#chance(0.3)) this.#execute(row, this.#part(row));
      if (nowMs > row.deadlineMs || this.#chance(0.2)) row.state = "closed";
      if (this.#chance(0.4)) this.#say(row);
    }
    if (row.withheld.length > 0 && this.#chance(0.1)) {
      row.fills.push(...row.withheld.splice(0));
      this.#say(row);
    }
  }

  #arrive(row: Row): void {
    const fok = row.child.timeInForce === "FOK";
    const kind = this.faulty ? this.#random.below(10) : 9;
    row.state = "closed";
    if (kind === 0) {
      row.state = "rejected";
      row.final = this.#chance(0.1);
    } else if (kind === 1) return;
    else if (kind <= 4 && !fok) {
      this.#execute(row, this.#part(row));
      if (kind === 3) row.state = "open";
      if (kind === 4) row.withheld.push(...row.fills.splice(0));
    } else this.#execute(row, row.child.quantity);
  }

  #execute(row: Row, size: Quantity): void {
    if (size <= 0) return;
    const executionId = `x${++this.#executions}`;
    const price = row.child.limitPrice ?? (quantity("100") as never);
    row.fills.push({ executionId, quantity: size, price, timeMs: this.#clock.nowMs() });
    this.#host.executed(row.child, size, executionId);
  }

  /** Something between a step and what is left. */
  #part({ child, fills }: Row): Quantity {
    const left = fills.reduce((rest, fill) => subtract(rest, fill.quantity), child.quantity);
    const wish = quantity(`0.${1 + this.#random.below(8)}`);
    if (left <= STEP) return left;
    return wish < left ? wish : STEP;
  }

  async #answer(row: Row): Promise<ChildReport> {
    if (!this.faulty) return this.#report(row);
    if (this.#chance(0.2)) this.#say(row);
    if (this.#chance(0.1)) return await this.#lose();
    if (this.#chance(0.1)) {
      const atMs = this.#clock.nowMs() + this.#random.below(4_000);
      await new Promise<void>((resolve) => this.#clock.schedule(atMs, resolve));
    }
    return this.#report(row);
  }

  #report({ child, state, fills, final }: Row): ChildReport {
    const { childId } = child;
    const shown = state === "never" ? "closed" : state;
    return { childId, state: shown, fills: [...fills], ...(final ? { final } : {}) };
  }

  #say(row: Row): void {
    const report = this.#report(row);
    for (let times = this.faulty && this.#chance(0.2) ? 2 : 1; times > 0; times--) {
      for (const listener of [...this.#listeners]) listener({ report });
    }
  }

  #lose(): Promise<never> {
    return this.#chance(0.5) ? new Promise(() => undefined) : Promise.reject(new Error("connection reset"));
  }

  #chance(probability: number): boolean {
    return this.#random.next() < probability;
  }
}
