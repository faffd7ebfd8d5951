import { errorMessage } from "../common/index.ts";
import type { Core, MarketHub, Shards, WholeReads } from "../engine/internal.ts";
import { MARKET_SHARD } from "../model/index.ts";
import type { ShardHead, ShardLeases, ShardOwner } from "../ports/index.ts";
import { shardsIn } from "./cluster-views.ts";
import type { FollowedJournal, FollowedMarket } from "./followed.ts";
import type { VenueBuffer } from "./heard.ts";
import type { Arrival, ShardMoves } from "./shard-moves.ts";

/** Dependencies of {@link ShardClaims}. `incarnation` returns that of the node. */
type ShardClaimParts = Readonly<{
  leases: Pick<ShardLeases, "claim" | "release">;
  incarnation: () => number;
}>;

/** A shard of a node, and the epoch in which the node has it. */
type Held = Pick<ShardOwner, "shard" | "epoch">;

/**
 * Claims and releases shards for a node. No epoch is claimed again that a release has named: a release without an answer
 * may reach the store at any later time, and a claim of shards that the node owns already leaves them their epochs. So the
 * release is repeated until it has an answer, and the claim then begins another epoch.
 */
export class ShardClaims {
  readonly #parts: ShardClaimParts;
  /** By shard: the epoch that the last release of it has named, if that release has no answer. */
  readonly #ending: Map<number, number> = new Map();

  constructor(parts: ShardClaimParts) {
    this.#parts = parts;
  }

  /** Claims a set of shards. Resolves to undefined if nothing was claimed. */
  async claim(shards: readonly number[]): Promise<readonly ShardHead[] | undefined> {
    const ending = shards.flatMap((shard) => {
      const epoch = this.#ending.get(shard);
      return epoch === undefined ? [] : [{ shard, epoch }];
    });
    await this.release(ending);
    const { leases, incarnation } = this.#parts;
    return await leases.claim({ incarnation: incarnation(), shards });
  }

  /** Makes shards nobody's that are in these epochs still. */
  async release(held: readonly Held[]): Promise<void> {
    if (held.length === 0) return;
    const { leases, incarnation } = this.#parts;
    for (const { shard, epoch } of held) this.#ending.set(shard, epoch);
    const [shards, epochs] = [held.map(({ shard }) => shard), held.map(({ epoch }) => epoch)];
    await leases.release({ incarnation: incarnation(), shards, epochs });
    for (const shard of shards) this.#ending.delete(shard);
  }
}

/** Dependencies of {@link OwnedShards}. */
type OwnedShardParts = Readonly<{
  claims: ShardClaims;
  store: Pick<WholeReads, "readMarks">;
  shards: Shards;
  moves: ShardMoves;
  journal: FollowedJournal;
  venue: VenueBuffer;
  market: Pick<MarketHub, "writes" | "startWriting" | "stopWriting">;
  prints: FollowedMarket;
  /** Whether another node has declared this one dead. */
  isLost: () => boolean;
}>;

/** Shards that are released in one statement, and its end. */
type Releasing = Readonly<{ held: Held[]; done: Promise<void> }>;

/** The shards of a node: takes them with a claim, and gives them up with a release. */
export class OwnedShards {
  readonly #core: Core;
  readonly #parts: OwnedShardParts;
  /** Shards that are being taken or given up. */
  readonly #moving: Set<number> = new Set();
  /** Shards that the next turn releases. */
  #releasing: Releasing | undefined;

  constructor(core: Core, parts: OwnedShardParts) {
    this.#core = core;
    this.#parts = parts;
  }

  /** Whether this node keeps the market journal. The market itself knows: the refusal of an append ends that too. */
  get runsMarket(): boolean {
    return this.#parts.market.writes;
  }

  /** Returns whether the engine runs a shard, or the node keeps the market journal. */
  runs(shard: number): boolean {
    return shard === MARKET_SHARD ? this.runsMarket : this.#parts.shards.at(shard).isOwned;
  }

  isMoving(shard: number): boolean {
    return this.#moving.has(shard);
  }

  /** Whether shards are being taken or given up. */
  get isBusy(): boolean {
    return this.#moving.size > 0;
  }

  /** Whether no shard is in memory, and none is being taken. */
  get isIdle(): boolean {
    const { all } = this.#parts.shards;
    return !this.isBusy && !this.runsMarket && all.every(({ state }) => state === "elsewhere");
  }

  /**
   * Claims a set of shards, reads in new statements what their owners appended last, and runs them. Resolves to false if
   * another node has taken one of them. After a failure the node may own shards that it does not run; a further call for
   * the same shards goes on. Shards with a record that cannot be read are released again.
   */
  async take(set: readonly number[]): Promise<boolean> {
    this.#note(set);
    try {
      const heads = await this.#parts.claims.claim(set);
      if (heads === undefined) return false;
      this.#core.probe("after-take-over");
      await this.#run(heads);
      return true;
    } finally {
      this.#noteOver(set);
    }
  }

  async #run(heads: readonly ShardHead[]): Promise<void> {
    const { claims, store, journal, moves, venue } = this.#parts;
    const accounts = shardsIn(heads);
    const numbers = accounts.map(({ shard }) => shard);
    if (numbers.length > 0) {
      const [marks] = await Promise.all([store.readMarks(numbers), journal.catchUp(new Set(numbers))]);
      if (this.#parts.isLost()) return;
      moves.arrive(
        accounts.flatMap((head) => this.#arrivalOf(head)),
        marks,
      );
      venue.release();
      await claims.release(accounts.filter(({ shard }) => journal.broken.has(shard)));
    }
    if (heads.some(({ shard }) => shard === MARKET_SHARD)) await this.#runMarket();
  }

  /** Reads what the writer before stored last, and writes from then on. */
  async #runMarket(): Promise<void> {
    const { prints, market } = this.#parts;
    await prints.follow();
    market.startWriting();
  }

  #arrivalOf({ shard, epoch }: ShardHead): readonly Arrival[] {
    const { journal, shards } = this.#parts;
    const follower = journal.shards[shard];
    if (follower === undefined || journal.broken.has(shard)) return [];
    if (shards.at(shard).state !== "elsewhere") return [];
    return [{ shard, epoch, followed: follower.takeFollowed() }];
  }

  /**
   * Gives shards up, and makes them nobody's: those without open orders together, in few statements, and then the others
   * one after the other, so that each has no engine only for as long as it needs itself, and the others still decide. Never
   * rejects, and resolves to whether that is done: shards whose release failed do not run. They may be this node's still;
   * then the next call releases them, or {@link take} claims them anew.
   */
  async give(held: readonly Held[]): Promise<boolean> {
    this.#note(held.map(({ shard }) => shard));
    const isEmpty = ({ shard }: Held): boolean =>
      shard !== MARKET_SHARD && this.#parts.shards.at(shard).liveOrders.size === 0;
    const empty = held.filter(isEmpty);
    const given = await Promise.all(empty.map((one) => this.#tryToGive(one)));
    for (const one of held) if (!empty.includes(one)) given.push(await this.#tryToGive(one));
    return given.every(Boolean);
  }

  async #tryToGive(one: Held): Promise<boolean> {
    try {
      await this.#giveOne(one);
      return true;
    } catch (error) {
      this.#core.telemetry.event("warn", "lease.unreleased", { message: errorMessage(error) });
      return false;
    } finally {
      this.#noteOver([one.shard]);
    }
  }

  async #giveOne(held: Held): Promise<void> {
    const { moves, journal, market, shards } = this.#parts;
    const { shard } = held;
    let hasLeft = false;
    if (shard === MARKET_SHARD) market.stopWriting();
    else if (shards.at(shard).state !== "elsewhere")
      await moves.leave(shard, {
        left: async (followed) => {
          hasLeft = true;
          journal.shards[shard]?.hold(followed);
          await this.#release(held);
        },
        release: () => journal.shards[shard]?.resume(),
      });
    if (!hasLeft) await this.#release(held);
  }

  /** Releases a shard together with all others that are released in this turn. */
  #release(one: Held): Promise<void> {
    this.#releasing ??= this.#releaseNext();
    this.#releasing.held.push(one);
    return this.#releasing.done;
  }

  #releaseNext(): Releasing {
    const held: Held[] = [];
    const done = this.#core.turns.next().then(() => {
      this.#releasing = undefined;
      return this.#parts.claims.release(held);
    });
    return { held, done };
  }

  /** Writes the market journal no more: the store says that it is not this node's. */
  loseMarket(): void {
    if (this.runsMarket && !this.isMoving(MARKET_SHARD)) this.#parts.market.stopWriting();
  }

  #note(set: readonly number[]): void {
    for (const shard of set) this.#moving.add(shard);
  }

  #noteOver(set: readonly number[]): void {
    for (const shard of set) this.#moving.delete(shard);
  }
}
