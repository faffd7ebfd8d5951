import type { Random } from "../../src/common/random.ts";
import { MARKET_SHARD, type MarketMark } from "../../src/model/index.ts";
import type {
  AppendBatch,
  AppendOutcome,
  EndedName,
  EndedNamePage,
  OrderStore,
  ShardAppend,
  ShardSnapshot,
} from "../../src/ports/index.ts";
import type { GivingWatch } from "./cluster/giving-watch.ts";
import { HeldAppends } from "./cluster/held-appends.ts";
import { LateCalls } from "./cluster/late-calls.ts";
import { WorldLeases } from "./cluster/world-leases.ts";
import type { Departures } from "./departures.ts";
import type { Faults } from "./faults.ts";
import { EVERY_SHARD } from "./holdings.ts";
import type { Instance } from "./instance.ts";
import type { RequireThat } from "./invariant-broken.ts";
import type { JournalBook } from "./journal-book.ts";
import type { ClusterPlan } from "./plan.ts";
import type { Situations } from "./situations.ts";
import type { WorldDisk } from "./world-disk.ts";
import { HOUR_MS, turns, type WorldTime } from "./world-time.ts";

/** Dependencies of a world's store. */
export type StoreParts = Readonly<{
  random: Random;
  faults: Faults;
  situations: Situations;
  time: WorldTime;
  journal: JournalBook;
  requireThat: RequireThat;
  disk: WorldDisk;
  /** Present if the stores forget: it checks what their deletions take. */
  departures: Departures | undefined;
  retentionDays: number;
  /** Checks what nodes give up. */
  giving: GivingWatch;
  /** Returns the processes that live. */
  alive: () => readonly Instance[];
  /** Kills a process. */
  kill: (instance: Instance) => void;
  /** Called when a process takes shards over. */
  acquired: (instance: Instance, shards: readonly number[]) => void;
  /** Present if the processes are nodes of a cluster. */
  cluster: ClusterPlan | undefined;
}>;

/** Chances that a read is slow, and that it fails. An engine that opens makes some hundreds of them, a standby some ten. */
const READING = {
  opening: { slow: 0.001, fails: 0.0004 },
  following: { slow: 0.02, fails: 0.008 },
  running: { slow: 0.05, fails: 0.03 },
} as const;

/** How long an append takes for a while, for how long, and how much longer than six seconds one may have no answer. */
const [SLOW_MS, SLOW_FOR_MS, SILENT_MS] = [3_000, 60_000, 64_000];

/** Longest time of an append while shards are in motion. */
const SLOWEST_MOVE_MS = 400;

type Round = Parameters<OrderStore["fence"]>[0];

type Forgotten = Parameters<NonNullable<OrderStore["pruneEnded"]>>;

/** The stores that the processes of a world open on its disk. It reports durable data to the journal book. */
export class WorldStore {
  readonly #parts: StoreParts;
  /** The last round of each shard and epoch, except for fences that arrive late. */
  readonly #rounds: Map<string, number> = new Map();
  readonly #upkeep: Random;
  readonly #names: Random;
  readonly #deletions: Random;
  readonly #holding: Random;
  readonly #slowness: Random;
  readonly #silence: Random;
  /** Until when each append takes three seconds. */
  #threeSecondsUntilMs = Number.NEGATIVE_INFINITY;
  /** Processes with an append that has no answer for long. */
  readonly #silent: Set<Instance> = new Set();
  /** Until when appends are slow. */
  #slowUntilMs = Number.NEGATIVE_INFINITY;
  /** Appends of nodes that have not arrived. */
  readonly held: HeldAppends;
  /** Calls of leases that have not arrived. */
  readonly late: LateCalls;

  constructor(parts: StoreParts) {
    this.#parts = parts;
    this.#holding = parts.random.of("appends under way");
    this.#slowness = parts.random.of("slow appends");
    this.#silence = parts.random.of("appends of three seconds, and without an answer");
    this.held = new HeldAppends(parts.situations);
    this.late = new LateCalls(parts.time);
    this.#upkeep = parts.random.of("upkeep");
    this.#names = parts.random.of("names of ended orders");
    this.#deletions = parts.random.of("deletions");
  }

  /** Returns the store for a process. */
  open(instance: Instance): OrderStore {
    const { departures, disk, cluster } = this.#parts;
    const store = disk.open();
    const call = <T>(ask: () => Promise<T>): Promise<T> => instance.call(ask, instance.links.store);
    const read = <T>(ask: () => Promise<T>): Promise<T> => call(() => this.#read(instance, ask));
    return {
      acquire: () => call(() => this.#acquire(instance, store)),
      append: (batch) => {
        const answered = this.#parts.giving.appends(instance, batch);
        const answer = call(() => this.#append(instance, store, batch));
        void answer.then(answered, answered);
        return answer;
      },
      writeSnapshot: (snapshot) => call(() => this.#snapshot(instance, store, snapshot)),
      fence: (round) => read(() => this.#fence(instance, store, round)),
      head: (shard) => read(() => store.head(shard)),
      readRecords: (range) => read(() => store.readRecords(range)),
      readSnapshot: (shard, reading) => read(() => this.#readSnapshot(store, shard, reading)),
      readMarks: (shards) => read(() => store.readMarks(shards)),
      deleteMarks: (marks) => call(() => this.#dropMarks(instance, store, marks)),
      findEnded: (key) => read(() => store.findEnded(key)),
      pageEnded: (page) => read(() => store.pageEnded(page)),
      countEnded: (accountId) => read(() => store.countEnded(accountId)),
      readEnded: (range) => read(() => store.readEnded(range)),
      pageEndedNames: (page) => call(() => this.#pageNames(store, page)),
      findEndedList: (key) => read(() => store.findEndedList(key)),
      pageEndedLists: (page) => read(() => store.pageEndedLists(page)),
      deleteEnded: (range) => call(() => store.deleteEnded(range)),
      ...(departures && {
        pruneEnded: (...requested: Forgotten) => call(() => this.#forget(instance, store, ...requested)),
      }),
      readQuotes: () => read(() => store.readQuotes()),
      readVolume: (reading) => read(() => store.readVolume(reading)),
      deleteVolume: (range) => call(() => store.deleteVolume(range)),
      ...(cluster !== undefined &&
        store.leases && {
          leases: new WorldLeases({
            ...this.#parts,
            random: this.#parts.random.of(`leases of process ${instance.generation}`),
            cluster,
            held: this.held,
            late: this.late,
          }).open(instance, store.leases),
        }),
      close: () => call(() => store.close()),
    };
  }

  /** Makes appends slow until a time. */
  slowDown(untilMs: number): void {
    this.#slowUntilMs = untilMs;
  }

  async #acquire(instance: Instance, store: OrderStore): ReturnType<OrderStore["acquire"]> {
    const heads = await store.acquire();
    this.#parts.acquired(instance, EVERY_SHARD);
    return heads;
  }

  async #append(
    instance: Instance,
    store: OrderStore,
    batch: AppendBatch,
  ): Promise<readonly AppendOutcome[]> {
    const { random, faults, situations, time } = this.#parts;
    instance.appending++;
    if (this.#silent.has(instance)) situations.observe("append of other shards while one has no answer");
    try {
      for (let left = random.below(8); left > 0; left--) await Promise.resolve();
      if (faults.strikes("store is slow", random, 0.1)) await this.#delay(instance, slowMs(random));
      if (time.trueMs < this.#slowUntilMs) await this.#delay(instance, this.#slowness.below(SLOWEST_MOVE_MS));
      await this.#takeLong(instance);
      if (instance.dead) return [];
      if (this.#isHeld(instance)) await this.#hold(instance, store, batch);
      if (faults.strikes("store fails an append", random, 0.02))
        throw this.#failed(instance, batch, "append fails");
      if (faults.strikes("store keeps an append after it was read again", random, 0.01)) {
        this.#storeLater(instance, store, batch);
        throw this.#failed(instance, batch, "append fails");
      }
      const isSilent = faults.strikes("store does not answer an append for a minute", this.#silence, 0.003);
      const isStoredLate = isSilent && this.#silence.chance(0.5);
      if (isStoredLate) await this.#beSilent(instance);
      const outcomes = await this.#retain(instance, store, batch);
      if (isSilent && !isStoredLate) await this.#beSilent(instance);
      if (faults.strikes("store keeps an append and does not say so", random, 0.02))
        throw this.#failed(instance, batch, "unknown append that was kept");
      for (let left = random.below(8); left > 0; left--) await Promise.resolve();
      if (batch.shards.length > 1) situations.observe("append shared by several shards");
      return outcomes;
    } finally {
      instance.appending--;
    }
  }

  /** Lets each append of a while take three seconds. */
  async #takeLong(instance: Instance): Promise<void> {
    const { faults, time } = this.#parts;
    if (faults.strikes("store takes three seconds for each append", this.#silence, 0.003))
      this.#threeSecondsUntilMs = time.trueMs + SLOW_FOR_MS;
    if (!faults.quiet && time.trueMs < this.#threeSecondsUntilMs) await this.#delay(instance, SLOW_MS);
  }

  /** Leaves an append without an answer for more than `hostTimeoutMs`, until the faults are over, or its process dies. */
  async #beSilent(instance: Instance): Promise<void> {
    const { faults, time, situations } = this.#parts;
    const untilMs = time.trueMs + 6_000 + this.#silence.below(SILENT_MS);
    instance.unansweredUntilMs = Math.max(instance.unansweredUntilMs, untilMs);
    this.#silent.add(instance);
    while (time.trueMs < untilMs && !faults.quiet && !instance.dead) await time.after(500);
    this.#silent.delete(instance);
    if (untilMs - time.trueMs <= 0) situations.observe("append answered after others went on");
  }

  async #delay(instance: Instance, ms: number): Promise<void> {
    const { time } = this.#parts;
    instance.unansweredUntilMs = Math.max(instance.unansweredUntilMs, time.trueMs + ms);
    await time.after(ms);
  }

  #isHeld(instance: Instance): boolean {
    const { faults, cluster } = this.#parts;
    if (cluster === undefined || instance.dead) return false;
    return faults.strikes("store keeps an append until a takeover", this.#holding, 0.08);
  }

  /** Keeps an append under way until a takeover. Its node often dies meanwhile, or is cut off. Rejects afterwards. */
  async #hold(instance: Instance, store: OrderStore, batch: AppendBatch): Promise<never> {
    const { faults, cluster, time, kill } = this.#parts;
    const random = this.#holding;
    const { ttlMs = 0 } = cluster ?? {};
    const shards = batch.shards.map(({ shard }) => shard);
    const arrived = this.held.hold(shards, () =>
      this.#retain(instance, store, batch).then(
        (outcomes) => outcomes.includes("durable"),
        () => false,
      ),
    );
    const inMs = random.below(ttlMs);
    if (faults.strikes("node is killed with an append under way", random, 0.5))
      void time.after(inMs).then(() => {
        if (!faults.quiet) kill(instance);
      });
    else if (faults.strikes("node leaves with an append under way", random, 0.5)) {
      instance.links.store.cut("asks");
      void time.after(2 * ttlMs + inMs).then(() => instance.links.store.heal());
    }
    void time.after(4 * ttlMs).then(() => this.held.arrive());
    await arrived;
    throw this.#failed(instance, batch, "append fails");
  }

  async #retain(
    instance: Instance,
    store: OrderStore,
    batch: AppendBatch,
  ): Promise<readonly AppendOutcome[]> {
    const outcomes = await store.append(batch);
    const isOld = ({ shard }: ShardAppend, index: number): boolean =>
      outcomes[index] === "fenced" && !instance.holdings.owns(shard);
    if (batch.shards.some(isOld)) this.#parts.situations.observe("append of an old engine refused");
    this.#parts.journal.take(batch, outcomes, instance);
    return outcomes;
  }

  /** Applies an append later: it reached the database, which continues but does not answer. */
  #storeLater(instance: Instance, store: OrderStore, batch: AppendBatch): void {
    const { random, situations, time } = this.#parts;
    const inTurns = random.below(60);
    const inMs = random.below(3) === 0 ? random.below(500) : 0;
    const later = async (): Promise<void> => {
      await turns(inTurns);
      if (inMs > 0) await time.after(inMs);
      const outcomes = await this.#retain(instance, store, batch).catch((): readonly AppendOutcome[] => []);
      if (outcomes.includes("durable")) situations.observe("unknown append found in the read-back");
      const isFenced = ({ shard }: ShardAppend, index: number): boolean =>
        outcomes[index] === "fenced" && instance.holdings.owns(shard);
      if (batch.shards.some(isFenced)) situations.observe("append that arrived after the read-back refused");
    };
    void later();
  }

  /** Sets a fence. A fence is a write, so it has the same faults as an append. */
  async #fence(instance: Instance, store: OrderStore, round: Round): Promise<void> {
    const { random, faults, situations, time } = this.#parts;
    const key = `${round.shard} ${round.epoch}`;
    // Longer than the pause before the next attempt, so that it may arrive after that.
    const inMs = random.below(12_000);
    if (faults.strikes("store keeps an append after it was read again", random, 0.1)) {
      const isLate = (): boolean => (this.#rounds.get(key) ?? 0) > round.round;
      const later = time.after(inMs).then(() => store.fence(round));
      void later.then(
        () => isLate() && situations.observe("fence that arrived after a later fence"),
        () => undefined,
      );
      throw this.#denied(instance);
    }
    await store.fence(round);
    this.#rounds.set(key, round.round);
    if (!faults.strikes("store keeps an append and does not say so", random, 0.1)) return;
    situations.observe("fence kept but reported as failed");
    throw this.#denied(instance);
  }

  #denied(instance: Instance): Error {
    instance.storeFaults++;
    return new Error("the store does not say whether the round has begun");
  }

  #failed(
    instance: Instance,
    batch: AppendBatch,
    what: "append fails" | "unknown append that was kept",
  ): Error {
    const { situations } = this.#parts;
    instance.storeFaults++;
    situations.observe(what);
    const facts = batch.shards.flatMap((part) =>
      part.records.flatMap((record) => record.changes.flatMap((change) => change.facts)),
    );
    const has = (kind: string): boolean => facts.some((fact) => fact.kind === kind);
    if (has("RELEASED")) situations.observe("append unknown during a release");
    if (has("TRIGGERED")) situations.observe("append unknown of a trigger");
    if (has("ACCEPTED")) situations.observe("append unknown of an acceptance");
    if (has("FILLED")) situations.observe("append unknown of a fill");
    if (has("AMENDED")) situations.observe("append unknown of an amend");
    if (batch.shards.some((part) => part.records.some(({ cause }) => cause.kind === "CANCEL")))
      situations.observe("append unknown of a cancel");
    if (this.#parts.journal.inFlight > 0) situations.observe("append fails with a child in flight");
    return new Error(`the store: ${what}`);
  }

  async #read<T>(instance: Instance, ask: () => Promise<T>): Promise<T> {
    const { random, faults, situations, time } = this.#parts;
    const { slow, fails } = READING[this.#readingOf(instance)];
    instance.reading++;
    try {
      if (faults.strikes("store reads slowly", random, slow)) await time.after(1 + random.below(300));
      if (faults.strikes("store fails a read", random, fails)) {
        instance.storeFaults++;
        situations.observe(
          instance.engine === undefined
            ? "read fails while an engine opens"
            : "read fails after a failed append",
        );
        throw new Error("the store does not read");
      }
      return await ask();
    } finally {
      instance.reading--;
    }
  }

  #readingOf({ state }: Instance): keyof typeof READING {
    if (state !== "opening") return "running";
    return this.#parts.cluster === undefined ? "opening" : "following";
  }

  /** Pages slowly and in short pages, so that much happens while an engine gathers them. */
  async #pageNames(store: OrderStore, page: EndedNamePage): Promise<readonly EndedName[]> {
    const { faults, situations, time } = this.#parts;
    const random = this.#names;
    const ms = 1 + random.below(2_000);
    if (faults.strikes("store reads slowly", random, 0.5)) await time.after(ms);
    const limit = Math.min(page.limit, 1 + random.below(8));
    if (faults.strikes("store fails a read", random, 0.1)) {
      situations.observe("page of names fails");
      throw new Error("the store does not read");
    }
    return (await store.pageEndedNames?.({ ...page, limit })) ?? [];
  }

  async #readSnapshot(
    store: OrderStore,
    ...requested: Parameters<OrderStore["readSnapshot"]>
  ): Promise<ShardSnapshot | undefined> {
    const snapshot = await store.readSnapshot(...requested);
    if (snapshot !== undefined) this.#parts.situations.observe("engine opened from a snapshot");
    return snapshot;
  }

  /** Deletes marks, of shards that the process has not lost since it asked. */
  async #dropMarks(instance: Instance, store: OrderStore, marks: readonly MarketMark[]): Promise<void> {
    const { faults, journal, time } = this.#parts;
    const { holdings } = instance;
    const requested = marks.map((mark) => ({ mark, span: holdings.spanOf(mark.shard) }));
    const ms = 1 + this.#upkeep.below(5_000);
    if (faults.strikes("store is slow", this.#upkeep, 0.5)) await time.after(ms);
    const owned = requested.filter(
      ({ mark, span }) => span !== undefined && holdings.spanOf(mark.shard) === span,
    );
    const gone = owned.map(({ mark }) => mark);
    journal.markGone(gone);
    await store.deleteMarks(gone);
  }

  /** Deletes in steps, the orders that ended first in the first one. A process may die between two of them. */
  async #forget(instance: Instance, store: OrderStore, ...[{ beforeMs }, goesOn]: Forgotten): Promise<void> {
    const { faults, situations, time, departures, kill, requireThat, retentionDays } = this.#parts;
    const random = this.#deletions;
    const isOn = (): boolean => !instance.dead && goesOn();
    const cutoffMs = time.trueMs - retentionDays * 24 * HOUR_MS;
    requireThat(
      beforeMs <= cutoffMs,
      "A time is confirmed before anything ends by it",
      () => `deletes what ended ${beforeMs - cutoffMs} ms too late`,
    );
    for (const stepMs of this.#steps(beforeMs)) {
      const slowMs = 1 + random.below(4_000);
      if (faults.strikes("store is slow", random, 0.3)) await time.after(slowMs);
      if (!isOn()) return;
      if (faults.strikes("store fails a deletion", random, 0.1)) {
        situations.observe("deletion fails between two steps");
        throw new Error("the store does not delete");
      }
      await departures?.after(beforeMs, async () => {
        if (isOn()) await this.#forgetUntil(instance, store, { beforeMs: stepMs }, isOn);
      });
      if (stepMs === beforeMs || !faults.strikes("process is killed while it deletes", random, 0.1)) continue;
      situations.observe("killed between two steps of a deletion");
      return kill(instance);
    }
    if (!faults.strikes("store deletes and does not say so", random, 0.1)) return;
    situations.observe("deletion made but reported as failed");
    throw new Error("the store does not say whether it has deleted");
  }

  async #forgetUntil(instance: Instance, store: OrderStore, ...requested: Forgotten): Promise<void> {
    try {
      await this.#parts.time.timeless(async () => await store.pruneEnded?.(...requested));
    } catch (error) {
      if (!instance.holdings.owns(MARKET_SHARD))
        this.#parts.situations.observe("deletion of an old engine refused");
      throw error;
    }
  }

  /** Returns the times of the steps of a deletion: ends of orders, and last the time itself. */
  #steps(beforeMs: number): readonly number[] {
    const { journal } = this.#parts;
    const ends = [...journal.orders.values()].flatMap(({ orderId, endedAtMs = beforeMs }) =>
      endedAtMs < beforeMs && !journal.departed.has(orderId) ? [endedAtMs] : [],
    );
    const sorted = ends.sort((a, b) => a - b);
    const parts = [1, 2, 3].flatMap((part) => sorted[Math.floor((sorted.length * part) / 4)] ?? []);
    return [...parts, beforeMs];
  }

  async #snapshot(instance: Instance, store: OrderStore, snapshot: ShardSnapshot): Promise<void> {
    const { random, faults, situations } = this.#parts;
    for (let left = random.below(8); left > 0; left--) await Promise.resolve();
    if (instance.dead) return;
    if (faults.strikes("store fails a snapshot", random, 0.2)) {
      situations.observe("snapshot fails");
      throw new Error("the snapshot was not kept");
    }
    await store.writeSnapshot(snapshot);
    if (faults.strikes("store keeps a snapshot and does not say so", random, 0.2)) {
      situations.observe("snapshot kept but reported as failed");
      throw new Error("the store does not say whether it kept the snapshot");
    }
  }
}

/** Returns a delay that is usually short, but sometimes longer than any time limit for an answer. */
function slowMs(random: Random): number {
  const ms = random.below(400);
  return ms < 12 ? 6_000 + ms * 500 : 1 + ms;
}
