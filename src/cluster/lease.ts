import { errorMessage } from "../common/index.ts";
import type { Core } from "../engine/internal.ts";
import type { NodeEntry, NodeState, Renewal, ShardLeases } from "../ports/index.ts";
import type { ReadTimes } from "./node-watch.ts";

/** Part of a beat after which a node reads the beats of the others. */
const READ_AFTER = 0.1;

/**
 * When a node renews and reads: every node at the same times of the store's clock, and each reads soon after all have
 * renewed. A beat is then known to be the newest one nearly as long as it is. Nothing depends on it being so: clocks that
 * step, and answers that take long, only make the others learn later of a beat.
 */
export class BeatTimes {
  readonly #beatMs: number;
  readonly #monotonicMs: () => number;
  /** By how much the store's clock is ahead of the monotonic one. */
  #aheadMs = 0;

  constructor(beatMs: number, monotonicMs: () => number) {
    this.#beatMs = beatMs;
    this.#monotonicMs = monotonicMs;
  }

  /** Takes what the store's clock said between a question and its answer, which are by the monotonic clock. */
  observe(storeMs: number, { requestedMs, answeredMs }: ReadTimes): void {
    this.#aheadMs = storeMs - (requestedMs + answeredMs) / 2;
  }

  /** Time until the next renewal: half a beat to one and a half. */
  get untilBeatMs(): number {
    return this.#until(0);
  }

  /** Time until the next read: half a beat to one and a half. */
  get untilReadMs(): number {
    return this.#until(READ_AFTER * this.#beatMs);
  }

  /**
   * Returns the time, in whole milliseconds, until the store's clock is so much after a multiple of a beat. One that is less
   * than half a beat away is left out.
   */
  #until(afterMs: number): number {
    const beatMs = this.#beatMs;
    const sinceMs = this.#monotonicMs() + this.#aheadMs - afterMs;
    const leftMs = beatMs - (sinceMs - Math.floor(sinceMs / beatMs) * beatMs);
    return Math.ceil(leftMs < beatMs / 2 ? leftMs + beatMs : leftMs);
  }
}

/** Renewals in one ttl. */
const BEATS_PER_TTL = 4;

/** Told of changes of a lease. */
type LeaseListener = Readonly<{
  /** No renewal succeeded in time. */
  lapsed: () => void;
  /** A renewal succeeded after that. */
  renewed: () => void;
  /** Another node has declared this one dead. */
  lost: () => void;
  /** Wall clock and store clock are further apart than allowed, by that much; undefined when they are not any more. */
  clockApart: (byMs: number | undefined) => void;
  /** An operator wants the node to hand over, or wants it no more. */
  handOverWanted: (isWanted: boolean) => void;
}>;

/** Dependencies and settings of {@link LeaseKeeper}. */
type LeaseKeeperParts = Readonly<{
  leases: ShardLeases;
  entry: NodeEntry;
  ttlMs: number;
  clockApartMs: number;
  /** How many records the node has read as a standby. */
  followed: () => number;
  /** Told of changes until `listen` names another one. */
  listener?: LeaseListener;
}>;

const UNHEARD: LeaseListener = {
  lapsed: () => undefined,
  renewed: () => undefined,
  lost: () => undefined,
  clockApart: () => undefined,
  handOverWanted: () => undefined,
};

/**
 * The row of this node: joins, and renews the lease as long as the process lives. Every renewal that succeeds extends the
 * trust of the engine, and compares the clocks.
 */
export class LeaseKeeper {
  readonly #core: Core;
  readonly #parts: LeaseKeeperParts;
  readonly #times: BeatTimes;
  #listener: LeaseListener;
  #incarnation = 0;
  #state: NodeState = "following";
  #apartMs: number | undefined;
  #hasLapsed = false;
  #isHandOverWanted = false;
  #isLost = false;
  #stopped = false;
  #cancelBeat: () => void = () => undefined;
  #cancelLapse: () => void = () => undefined;

  constructor(core: Core, parts: LeaseKeeperParts) {
    this.#core = core;
    this.#parts = parts;
    this.#listener = parts.listener ?? UNHEARD;
    this.#times = new BeatTimes(this.beatMs, core.monotonicMs);
  }

  get incarnation(): number {
    return this.#incarnation;
  }

  /** Whether another node has declared this one dead. */
  get isLost(): boolean {
    return this.#isLost;
  }

  /** By how much the clocks are further apart than allowed; undefined if they are not. */
  get apartMs(): number | undefined {
    return this.#apartMs;
  }

  /** Whether an operator wants the node to hand over. */
  get isHandOverWanted(): boolean {
    return this.#isHandOverWanted;
  }

  get beatMs(): number {
    return this.#parts.ttlMs / BEATS_PER_TTL;
  }

  /** Time until the beats of the other nodes are to be read. */
  get untilReadMs(): number {
    return this.#times.untilReadMs;
  }

  /** Passes what happens from now on to another listener. */
  listen(listener: LeaseListener): void {
    this.#listener = listener;
    if (this.#apartMs !== undefined) listener.clockApart(this.#apartMs);
    if (this.#isHandOverWanted) listener.handOverWanted(true);
  }

  /** Adds the row and begins to renew. Rejects when the store fails. */
  async join(): Promise<void> {
    const { leases, entry } = this.#parts;
    const requestedMs = this.#core.monotonicMs();
    const { incarnation, clockMs } = await leases.join(entry);
    this.#times.observe(clockMs, { requestedMs, answeredMs: this.#core.monotonicMs() });
    this.#incarnation = incarnation;
    this.#isLost = false;
    this.#heed({ alive: true, clockMs });
    this.#beat();
  }

  /** Sets what the node does, and tells the store at once. If that fails, the next beat tells it. Resolves to whether it is new. */
  async reportState(state: NodeState): Promise<boolean> {
    if (this.#state === state) return false;
    this.#state = state;
    await this.renew();
    return true;
  }

  /** Stops renewing. */
  stop(): void {
    this.#stopped = true;
    this.#cancelBeat();
    this.#cancelLapse();
  }

  /** Renews, whether or not the renewal before was answered, and again after a beat. */
  #beat(): void {
    if (this.#stopped || this.#isLost) return;
    const { clock } = this.#core;
    this.#cancelBeat();
    this.#cancelBeat = clock.schedule(clock.monotonicMs() + this.#times.untilBeatMs, () => this.#beat());
    void this.renew();
  }

  /** Renews now, also between two beats. Never rejects: a renewal that fails is reported, and the next beat renews. */
  async renew(): Promise<void> {
    const { time, telemetry, clock } = this.#core;
    const [incarnation, state, requested] = [this.#incarnation, this.#state, time.moment()];
    try {
      const renewal = await this.#parts.leases.renew({
        incarnation,
        state,
        ...this.#followed(state),
      });
      if (this.#stopped || incarnation !== this.#incarnation) return;
      if (!renewal.alive) return this.#lose();
      time.takeStoreTime(renewal);
      this.#core.trust.extend(requested);
      this.#compare(renewal.clockMs, { requestedMs: requested.wallMs, answeredMs: clock.nowMs() });
      this.#times.observe(renewal.clockMs, {
        requestedMs: requested.monotonicMs,
        answeredMs: clock.monotonicMs(),
      });
      this.#watchLapse();
      this.#heed(renewal);
    } catch (error) {
      telemetry.event("warn", "lease.unrenewed", { message: errorMessage(error) });
    }
  }

  /** An owner follows nobody. */
  #followed(state: NodeState): Readonly<{ followed?: number }> {
    return state === "following" || state === "ready" ? { followed: this.#parts.followed() } : {};
  }

  #heed({ wanted }: Renewal): void {
    const isWanted = wanted === "hand-over";
    if (isWanted === this.#isHandOverWanted) return;
    this.#isHandOverWanted = isWanted;
    this.#listener.handOverWanted(isWanted);
  }

  #lose(): void {
    if (this.#isLost) return;
    this.#isLost = true;
    this.#cancelBeat();
    this.#cancelLapse();
    this.#listener.lost();
  }

  /** The store read its clock between the question and the answer. */
  #compare(
    storeMs: number,
    { requestedMs, answeredMs }: Readonly<{ requestedMs: number; answeredMs: number }>,
  ): void {
    const byMs = Math.max(storeMs - answeredMs, requestedMs - storeMs);
    const apartMs = byMs > this.#parts.clockApartMs ? byMs : undefined;
    const changed = (apartMs === undefined) !== (this.#apartMs === undefined);
    this.#apartMs = apartMs;
    if (changed) this.#listener.clockApart(apartMs);
  }

  #watchLapse(): void {
    if (this.#hasLapsed) {
      this.#hasLapsed = false;
      this.#listener.renewed();
    }
    this.#cancelLapse();
    this.#awaitLapse();
  }

  /** Waits until trust does not hold. A clock that calls too early is asked for a time that is later by as much. */
  #awaitLapse(earlyMs = 0): void {
    const { clock, trust } = this.#core;
    const { untilMs } = trust;
    if (untilMs === undefined) return;
    this.#cancelLapse = clock.schedule(untilMs + earlyMs, () => {
      if (trust.holds) return this.#awaitLapse(earlyMs + Math.max(untilMs - clock.monotonicMs(), 0));
      if (this.#hasLapsed) return;
      this.#hasLapsed = true;
      this.#listener.lapsed();
    });
  }
}
