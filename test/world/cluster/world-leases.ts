import type { Random } from "../../../src/common/random.ts";
import { MARKET_SHARD } from "../../../src/model/index.ts";
import type {
  ShardHead,
  ShardLeases,
  ShardRelease,
  ShardSet,
  WatchedBeat,
} from "../../../src/ports/index.ts";
import type { Faults } from "../faults.ts";
import type { Instance } from "../instance.ts";
import type { RequireThat } from "../invariant-broken.ts";
import type { JournalBook } from "../journal-book.ts";
import type { ClusterPlan } from "../plan.ts";
import type { Situations } from "../situations.ts";
import type { WorldTime } from "../world-time.ts";
import type { GivingWatch } from "./giving-watch.ts";
import type { HeldAppends } from "./held-appends.ts";
import type { LateCalls } from "./late-calls.ts";

/** Dependencies of the leases of a world. */
export type LeaseParts = Readonly<{
  random: Random;
  faults: Faults;
  situations: Situations;
  time: WorldTime;
  journal: JournalBook;
  cluster: ClusterPlan;
  held: HeldAppends;
  late: LateCalls;
  requireThat: RequireThat;
  /** Checks what nodes give up. */
  giving: GivingWatch;
  /** Returns the processes that live. */
  alive: () => readonly Instance[];
  /** Called when a node has claimed shards. */
  acquired: (instance: Instance, shards: readonly number[]) => void;
}>;

/** The leases of a world's store, as its nodes see them: calls fail, come late, or are made and not heard. */
export class WorldLeases {
  readonly #parts: LeaseParts;
  readonly #releases: Random;
  readonly #late: Random;

  constructor(parts: LeaseParts) {
    this.#parts = parts;
    this.#releases = parts.random.of("releases");
    this.#late = parts.random.of("late calls");
  }

  /** Returns the leases for a process. */
  open(instance: Instance, leases: ShardLeases): ShardLeases {
    const call = <T>(ask: () => Promise<T>): Promise<T> =>
      instance.call(() => this.#call(instance, ask), instance.links.store);
    return {
      join: (entry) => call(() => this.#join(instance, () => leases.join(entry))),
      renew: (node) => this.#renew(instance, () => call(() => leases.renew(node))),
      want: (wish) => call(() => leases.want(wish)),
      nodes: () => call(() => leases.nodes()),
      retire: (watched) => call(() => this.#bury(watched, () => leases.retire(watched))),
      claim: (set) => call(() => this.#receive(instance, set, () => leases.claim(set))),
      release: (set) => {
        if (set.epochs !== undefined) this.#parts.giving.gives(instance, set.shards);
        return call(() => this.#release(instance, set, leases));
      },
      assign: (assignment) => call(() => leases.assign(assignment)),
      // A node that leaves relies on its shards no more, whether or not it could give them back.
      leave: (incarnation) => call(() => this.#leave(instance, () => leases.leave(incarnation))),
      heads: () => call(() => leases.heads()),
      tail: (range) => call(() => leases.tail(range)),
      prints: (range) => call(() => leases.prints(range)),
    };
  }

  async #call<T>(instance: Instance, ask: () => Promise<T>): Promise<T> {
    const { random, faults, time } = this.#parts;
    if (faults.strikes("store answers a call of a lease late", random, 0.05)) {
      const ms = 1 + random.below(random.chance(0.2) ? 6_000 : 400);
      if (ms > 400) instance.storeFaults++;
      instance.unansweredUntilMs = Math.max(instance.unansweredUntilMs, time.trueMs + ms);
      await time.after(ms);
    }
    if (instance.dead) return new Promise(() => undefined);
    if (faults.strikes("store fails a call of a lease", random, 0.02)) throw failed(instance);
    const answer = await ask();
    if (faults.strikes("store loses the answer to a call of a lease", random, 0.02)) throw failed(instance);
    return answer;
  }

  async #join<T extends Readonly<{ incarnation: number }>>(
    instance: Instance,
    join: () => Promise<T>,
  ): Promise<T> {
    const joined = await join();
    // Shards of its row before, which is dead, are not those of the row that it renews from now on.
    if (instance.incarnation !== undefined) instance.holdings.releaseAll(this.#parts.time.trueMs);
    instance.incarnation = joined.incarnation;
    return joined;
  }

  async #bury({ incarnation }: WatchedBeat, bury: () => Promise<boolean>): Promise<boolean> {
    const isDead = await bury();
    const { alive, situations } = this.#parts;
    if (isDead && alive().some((node) => node.incarnation === incarnation))
      situations.observe("node declared dead that lives");
    return isDead;
  }

  async #renew<T extends Readonly<{ alive: boolean }>>(
    instance: Instance,
    ask: () => Promise<T>,
  ): Promise<T> {
    const { time, situations, cluster } = this.#parts;
    const requestedMs = time.trueMs;
    if (requestedMs < instance.unrenewedUntilMs) throw failed(instance);
    const renewal = await ask();
    if (!renewal.alive) return renewal;
    if (requestedMs - instance.renewedAtMs > cluster.ttlMs && instance.holdings.owned.length > 0)
      situations.observe("lease renewed after it lapsed");
    instance.renewedAtMs = Math.max(instance.renewedAtMs, requestedMs);
    return renewal;
  }

  /**
   * Claims shards. The answer may be lost: the node owns them then, and does not know it. Or the claim reaches the store after
   * the node has given it up.
   */
  async #receive(
    instance: Instance,
    set: ShardSet,
    claim: () => Promise<readonly ShardHead[] | undefined>,
  ): Promise<readonly ShardHead[] | undefined> {
    const { random, faults, situations } = this.#parts;
    if (faults.strikes("claim reaches the store late", this.#late, 0.1)) {
      this.#hold(() => this.#claimLate(instance, set, claim));
      throw failed(instance);
    }
    const heads = await this.#claim(instance, set, claim);
    if (!faults.strikes("store loses the answer to a claim", random, 0.15) || heads === undefined)
      return heads;
    situations.observe("claim made and not heard");
    throw failed(instance);
  }

  /**
   * Appends of old owners that are under way become durable before the shards are claimed, or are refused after it.
   * The heads may be older than both, as those of a database that waits for their transactions are.
   */
  async #claim(
    instance: Instance,
    { shards }: ShardSet,
    claim: () => Promise<readonly ShardHead[] | undefined>,
  ): Promise<readonly ShardHead[] | undefined> {
    const { random, journal, held, situations, acquired, giving } = this.#parts;
    const heads = new Map(journal.heads);
    const order = random.pick(["before", "at once", "after"]);
    const before = "append of the old owner kept just before a takeover";
    const after = "append of the old owner refused after a takeover";
    const isOfSet = (shard: number): boolean => shards.includes(shard);
    if (order === "before") await held.arrive(isOfSet, before);
    const arriving = order === "at once" ? held.arrive(isOfSet) : undefined;
    const durable = new Map(journal.heads);
    const isHeld = (shard: number): boolean => instance.holdings.owns(shard);
    const taken = shards.filter((shard) => shard !== MARKET_SHARD && !isHeld(shard));
    const claimed = await claim();
    await arriving;
    if (claimed === undefined) {
      this.#refused(instance, shards);
      return undefined;
    }
    const isBack = (shard: number): boolean => instance.holdings.isLast(shard);
    const back = shards.filter((shard) => instance.unreleased.delete(shard) && isBack(shard));
    if (back.length > 0) situations.observe("shards taken back after a lost release");
    // A late claim of a shard that the node owns already changes nothing: records of its own are not those it found.
    for (const shard of taken) instance.claimedAt.set(shard, durable.get(shard) ?? 0);
    acquired(instance, shards);
    giving.takes(instance, shards);
    await held.arrive(isOfSet, after);
    return claimed.map((head) => ({
      ...head,
      sequence: Math.min(head.sequence, heads.get(head.shard) ?? 0),
    }));
  }

  /** Notes a claim that was refused. */
  #refused(instance: Instance, shards: readonly number[]): void {
    const { situations, cluster, alive } = this.#parts;
    situations.observe("claim refused");
    const isAnothers = (shard: number): boolean =>
      alive().some((other) => other !== instance && other.holdings.owns(shard));
    if (cluster.shares && shards.some(isAnothers))
      situations.observe("claim refused because two nodes want one shard");
  }

  async #claimLate(
    instance: Instance,
    set: ShardSet,
    claim: () => Promise<readonly ShardHead[] | undefined>,
  ): Promise<void> {
    const isNew = set.shards.some((shard) => !instance.holdings.owns(shard));
    const heads = await this.#claim(instance, set, claim);
    if (isNew && heads !== undefined)
      this.#parts.situations.observe("shards given to a node by a late claim");
  }

  /** Lets a call reach the store at a later time. One that finds the handle closed never does. */
  #hold(call: () => Promise<unknown>): void {
    const { late, cluster } = this.#parts;
    const mostMs = this.#late.chance(0.5) ? 500 : 4 * cluster.ttlMs;
    late.hold(1 + this.#late.below(mostMs), () => call().then(ignored, ignored));
  }

  /** Releases shards. That may fail, be made and not heard, or reach the store after the node has given the call up. */
  async #release(instance: Instance, set: ShardRelease, leases: ShardLeases): Promise<void> {
    const { faults } = this.#parts;
    const isMade = !faults.strikes("store does not make a release", this.#releases, 0.25);
    const isReceived = !faults.strikes("store loses the answer to a release", this.#releases, 0.25);
    const isLate = faults.strikes("release reaches the store late", this.#late, 0.5);
    const release = (): Promise<void> => this.#free(instance, set, leases);
    if (isLate) this.#hold(release);
    else if (isMade) await release();
    if (isMade && isReceived && !isLate) return;
    // The node takes the shards back if they are assigned to nobody any more.
    if (set.epochs !== undefined && faults.strikes("operator ends a move of shards", this.#late, 0.9))
      await leases.assign({ shards: set.shards });
    for (const shard of set.shards) instance.unreleased.add(shard);
    throw failed(instance);
  }

  /** Makes a release. It frees no shard that the engine of its node runs. */
  async #free(instance: Instance, set: ShardRelease, leases: ShardLeases): Promise<void> {
    const { time, situations, requireThat } = this.#parts;
    const { shards: owners } = await leases.nodes();
    const own = owners.filter(({ incarnation }) => incarnation === set.incarnation);
    const runs = (shard: number): boolean => isRunBy(instance, shard);
    const freed = own.filter(({ shard, epoch }) => {
      const place = set.shards.indexOf(shard);
      return place >= 0 && (set.epochs?.[place] ?? epoch) === epoch;
    });
    if (own.some(({ shard }) => set.shards.includes(shard) && runs(shard)))
      situations.observe("release that arrives when its node runs the shard again");
    const wrong = freed.filter(({ shard }) => runs(shard)).map(({ shard }) => shard);
    requireThat(
      wrong.length === 0,
      "I61",
      () => `process ${instance.generation} runs ${wrong}, which it releases`,
    );
    await leases.release(set);
    for (const { shard } of freed) instance.holdings.release(shard, time.trueMs);
  }

  async #leave(instance: Instance, leave: () => Promise<void>): Promise<void> {
    await leave();
    instance.holdings.releaseAll(this.#parts.time.trueMs);
  }
}

/** Whether the engine of a process runs a shard, or writes the market journal. */
function isRunBy({ node, dead }: Instance, shard: number): boolean {
  if (node === undefined || dead) return false;
  return shard === MARKET_SHARD ? node.status().keepsMarket : node.engine.owns(shard);
}

const ignored = (): void => undefined;

function failed(instance: Instance): Error {
  instance.storeFaults++;
  return new Error("the store does not answer");
}
