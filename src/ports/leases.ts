import type { JournalRecord, PricedPrint } from "../model/index.ts";

/** Head of a shard in the store: the epoch that owns it, and the sequence of its last record. */
export interface ShardHead {
  readonly shard: number;
  readonly epoch: number;
  readonly sequence: number;
  /** The highest sequence of a record that `pruneEnded` has deleted; absent or 0 if it has deleted none. */
  readonly forgotten?: number;
}

/**
 * What a process that shares a store with others says of itself when it joins. A name has 1 to 200 characters, address
 * and version have at most 200.
 */
export interface NodeEntry {
  /** A name for operators. It need not be unique. */
  readonly name: string;
  /** Where other nodes can forward requests to it, as `host:port`; empty if they cannot. */
  readonly address: string;
  /** Version of the program that runs in it; empty if it does not say. */
  readonly version: string;
  /** The highest format of the journal that it can read. */
  readonly format: number;
  /** The kinds of facts that it can read. */
  readonly kinds: readonly string[];
  /**
   * How long its beat must stay the same until another node may declare it dead, in milliseconds: a whole number above 0.
   */
  readonly ttlMs: number;
  /** Whether the node takes a part of the shards beside other nodes. Absent or false: it takes all of them or none. */
  readonly shares?: boolean;
}

/**
 * What a node does. `following`: it reads the journal and could not take over yet. `ready`: it could. `active`: it owns
 * the shards. `handing-over`: it owns them and releases them as soon as a node is ready.
 */
export type NodeState = "following" | "ready" | "active" | "handing-over";

/** What an operator wants of a node. `hand-over`: that it gives its shards to another node. */
export type NodeWish = "hand-over";

/** The row of one node, one per start of a process. */
export interface NodeRow extends NodeEntry {
  /** The number of this start, given by the store and never used again. */
  readonly incarnation: number;
  readonly state: NodeState;
  /** Rises by one with every renewal. */
  readonly beat: number;
  /** Whether another node has declared it dead. A dead node is never alive again. */
  readonly dead: boolean;
  /** What an operator wants of it; absent if nothing. */
  readonly wanted?: NodeWish;
  /**
   * How many records of all shards it has read, as it said last: the sum of the sequences of the last record of each shard.
   * Absent if it never said so.
   */
  readonly followed?: number;
}

/** Who owns a shard, or the market journal, which counts as shard 256: the incarnation of a node, or nobody. */
export interface ShardOwner {
  readonly shard: number;
  readonly epoch: number;
  readonly incarnation?: number;
  /**
   * The incarnation of the node to which its owner shall give the shard; absent if to nobody. One of a node that is dead or
   * gone, or of the owner itself, says nothing.
   */
  readonly next?: number;
}

/**
 * The rows of all nodes by incarnation, and the owners of all shards by number, that of the market journal last, both of
 * one moment.
 */
export interface ClusterView {
  readonly nodes: readonly NodeRow[];
  readonly shards: readonly ShardOwner[];
}

/** A renewal of the lease of a node, and what the node says of itself with it. */
export interface NodeBeat {
  readonly incarnation: number;
  readonly state: NodeState;
  /** See {@link NodeRow}. If absent, what the node said before stays. */
  readonly followed?: number;
}

/** Answer to a renewal. */
export interface Renewal {
  /** False if the row of the node is dead or gone. Then nothing was renewed. */
  readonly alive: boolean;
  /**
   * The clock of the store when it renewed, in whole epoch milliseconds. Nodes compare theirs with it, and all renew at the
   * same times of it.
   */
  readonly clockMs: number;
  /**
   * Whether that is the clock of another machine than the caller's. Only then it is a witness for the caller's wall clock.
   * Absent or false: it may be the same clock.
   */
  readonly elsewhere?: boolean;
  /** What an operator wants of the node; absent if nothing. */
  readonly wanted?: NodeWish;
}

/** A node and the beat that was read of it. */
export interface WatchedBeat {
  readonly incarnation: number;
  readonly beat: number;
}

/**
 * A node and a set of shards: at least one, each once, in any order. A number is that of a shard, 0 to 255, or
 * 256 for the market journal: prints, quotes and bars.
 */
export interface ShardSet {
  readonly incarnation: number;
  readonly shards: readonly number[];
}

/** A node and the shards that it gives up. */
export interface ShardRelease extends ShardSet {
  /**
   * The epochs of the shards, in the order of `shards`. If set, each of them is released only while it has this epoch: a
   * release that arrives late then takes nothing from a node that has claimed the shard anew. A claim of a shard that the
   * node owns keeps its epoch: a release without an answer is repeated before such a claim.
   */
  readonly epochs?: readonly number[];
}

/**
 * Says to which node the owners of some shards shall give them. The shards are those of a {@link ShardSet}.
 */
export interface ShardAssignment {
  readonly shards: readonly number[];
  /** The incarnation of a live node; absent for nobody any more. */
  readonly to?: number;
  /** If set, it holds only for those of the shards that this incarnation owns. */
  readonly from?: number;
}

/** Asks for the records of all shards after these positions: by shard number, the sequence of the last record known. */
export interface TailRange {
  readonly after: readonly number[];
  readonly limit: number;
}

/**
 * The place of a print in the market journal. Prints are in the order in which they were stored: first by `owner`, which
 * rises with each owner of the market journal, then by `position`. Both are whole numbers.
 */
export interface PrintPlace {
  readonly owner: number;
  readonly position: number;
}

/** A stored print and its place. */
export interface PlacedPrint {
  readonly place: PrintPlace;
  readonly print: PricedPrint;
}

/** Asks for the prints after a place, or from the first one on. */
export interface PrintRange {
  readonly after?: PrintPlace;
  readonly limit: number;
}

/**
 * The part of an order store that lets several processes share it: each shard belongs to one of them, or to nobody, and the
 * others follow and take over when it fails. No method compares times. A caller of `bury` has watched the same beat for as long as a lease lasts, on
 * its own monotonic clock; the store only compares the beat. Every method may be called again after an answer was lost.
 */
export interface ShardLeases {
  /**
   * Adds a row with state `following`, beat 0, and an incarnation above all earlier ones. Deletes all rows of dead nodes
   * that own no shard, except the newest 16. Rejects if the entry is not as {@link NodeEntry} says.
   */
  join(entry: NodeEntry): Promise<Readonly<{ incarnation: number; clockMs: number }>>;
  /** Raises the beat of a live node by one and sets its state. Changes nothing if the row is dead or gone. */
  renew(node: NodeBeat): Promise<Renewal>;
  /**
   * Sets what an operator wants of a live node, which its next renewal answers; without `wanted`, nothing any more. Resolves
   * to false, and changes nothing, if the node is dead or gone.
   */
  want(wish: Readonly<{ incarnation: number; wanted?: NodeWish }>): Promise<boolean>;
  /** Returns all nodes, and the owners of all shards and of the market journal. */
  nodes(): Promise<ClusterView>;
  /**
   * Declares a node dead if its beat is still the one that was watched. Resolves to whether the node is dead or gone
   * now. A node that is dead owns its shards until they are claimed.
   */
  retire(watched: WatchedBeat): Promise<boolean>;
  /**
   * Gives a set of shards to a live node if each of them belongs to nobody, to a dead node, to one that is gone, or to the
   * node itself: raises the epoch of each by one, as `acquire` does, in one transaction and by rising shard number. Shards
   * that the node owns already keep epoch and round: the call may be made again when its answer is lost, and the lost one
   * may arrive at any later time. Takes all of the set or nothing, and touches no other shard. The handle then writes them
   * until their epochs rise again. Resolves to the heads of the set by shard number, that of the market
   * journal with sequence 0, or to undefined if nothing was claimed. The sequences of the heads may be older than the
   * claim: what an earlier owner appended last is found by the next reads. Rejects if the set is not as {@link ShardSet}
   * says. A shard that the node did not own is assigned to nobody any more, whoever was to have it (`assign`).
   */
  claim(set: ShardSet): Promise<readonly ShardHead[] | undefined>;
  /**
   * Makes those of the shards that belong to the node belong to nobody. Epochs stay, so that a late append of the node is
   * still judged, and so do assignments, so that other nodes see for whom a shard is meant. Rejects if the set is not as
   * {@link ShardSet} says, or has not one epoch for each shard.
   */
  release(set: ShardRelease): Promise<void>;
  /**
   * Sets for each shard of a set to which live node its owner shall give it; without `to`, to nobody any more. Nothing else
   * changes: the owner reads it in `nodes` and releases the shard, and that node claims it. Resolves to how many shards of
   * the set have that assignment now. If `to` is dead or gone, nothing changes, and the answer is 0. Rejects if the shards
   * are not as {@link ShardSet} says.
   */
  assign(assignment: ShardAssignment): Promise<number>;
  /** Deletes the row of a node. A node that still owns shards is declared dead instead. */
  leave(incarnation: number): Promise<void>;
  /**
   * Returns the heads of all shards as `head` does, in one read. A node that opens reads only shards that have records.
   */
  heads(): Promise<readonly ShardHead[]>;
  /**
   * Returns records of all shards after the given positions, at most `limit` of them, in sequence within each shard.
   * Large records may make it fewer, but at least one if there is any. Contains what was durable when it was asked. As
   * with `readRecords`, sequences at or below `forgotten` of a head may be missing.
   */
  tail(range: TailRange): Promise<readonly JournalRecord[]>;
  /**
   * Returns the prints after a place in the order of their places, at most `limit` of them, and fewer only if no further
   * one is stored. Contains what was durable when it was asked. A print that becomes durable later has a place above all
   * that were ever returned, so that a reader that goes on from the last place misses none. Prints that `deleteVolume` has
   * deleted may be missing, and those whose bars and totals alone the store has.
   */
  prints(range: PrintRange): Promise<readonly PlacedPrint[]>;
}
