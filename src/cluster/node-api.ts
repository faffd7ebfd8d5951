import {
  flagOption,
  numberOption,
  type OptionCheck,
  optionalOption,
  optionsOf,
  textOption,
  wholeOption,
} from "../common/index.ts";
import type { AtRest, Engine, EngineOptions, Verification } from "../engine/index.ts";
import { ENGINE_CHECKS } from "../engine/internal.ts";
import type { OrderStore, ShardLeases } from "../ports/index.ts";

/** How a node takes part in a cluster. All nodes of a store must have the same `ttlMs`. Durations are in milliseconds. */
export interface ClusterOptions {
  /** Name of the node for operators, 1 to 200 characters. */
  readonly name: string;
  /**
   * Where other nodes reach this one, as `host:port`: the address of a `PeerLink`. Without it they
   * cannot forward requests to it.
   */
  readonly address?: string;
  /** Version of the program, for operators. */
  readonly version?: string;
  /** How long the beat of a node must stay the same until it may be declared dead. Default 10,000. */
  readonly ttlMs?: number;
  /** How much earlier a node stops relying on its own lease. Default a tenth of `ttlMs`. */
  readonly marginMs?: number;
  /** How far the clocks of machine and store may be apart before the node takes no new orders. Default 500. */
  readonly clockApartMs?: number;
  /**
   * Whether the node takes no shards while a node that is no standby lives, and gives away what it has when one comes. Of several
   * standbys alone, one takes all shards. Default false.
   */
  readonly standby?: boolean;
}

/** Options of a node of a cluster: those of its engine, and its part in the cluster. */
export interface NodeOptions extends EngineOptions {
  readonly cluster: ClusterOptions;
}

/**
 * What a node does. `following`: it cannot take shards now; the reasons say why. `ready`: it could, and runs none.
 * `active`: it runs shards. `handing-over`: it gives all of them to other nodes, or closes. `lost`: another node has declared
 * it dead; close it, and open another. `closed`: its engine was closed.
 */
export type ClusterNodeState = "following" | "ready" | "active" | "handing-over" | "lost" | "closed";

/** State of a node. */
export interface ClusterNodeStatus {
  readonly state: ClusterNodeState;
  /** Number of this start among the nodes of the store. It changes if the node was declared dead while it ran no shard: it joins again. */
  readonly incarnation: number;
  /** Number of shards that it runs, without the market journal. */
  readonly shards: number;
  /** Whether it keeps the market journal, so that its prints and quotes are stored. */
  readonly keepsMarket: boolean;
  /** Why it takes no more shards, in words for an operator. */
  readonly reasons: readonly string[];
}

/** The node that owns a shard, as another node has read it last. */
export interface ShardHolder {
  /** Number of this start of the node. */
  readonly incarnation: number;
  /** Where other nodes reach it; empty if they cannot. */
  readonly address: string;
  /** Whether it is the node that was asked. */
  readonly isSelf: boolean;
}

/** A node of a cluster: it runs a part of the shards, all or none, and follows the others. */
export interface ClusterNode extends AsyncDisposable {
  /**
   * The engine of this node. It runs from the beginning, and answers for the shards that the node owns: see `owns` and the
   * event `shards`. Calls for accounts of other shards reject with SHARD_ELSEWHERE.
   */
  readonly engine: Engine;
  /** Returns what the node does now, and why it takes no more shards if it does not. */
  status(): ClusterNodeStatus;
  /** Calls a listener with every change of the status until the returned function is called. */
  onStatus(listener: (status: ClusterNodeStatus) => void): () => void;
  /**
   * Returns the node that owns a shard, 0 to 255, or without a shard the node that owns all of them, by what this node has
   * read last; undefined if no live node does. For a shard that runs here, and for no other, it is this node.
   */
  ownerOf(shard?: number): ShardHolder | undefined;
  /** Reads the owners of all shards again, unless that was done within the last 100 ms. Never rejects. */
  readOwners(): Promise<void>;
  /**
   * Rebuilds the state of all shards from the journal alone and compares it with that of this node: of those that it runs
   * and of those that it follows. Rejects if the store cannot be read. `live` is the same on every node that has read the
   * same records.
   */
  verify(): Promise<Verification>;
  /**
   * Gives all shards to other nodes, a few at a time, and then closes the engine. Rejects with a HandOverError, and goes on,
   * if no other node takes shards for two ttl, if no shard leaves for two ttl and twelve times `hostTimeoutMs`, as long as the
   * store fails, and at once if there is no other live node. The same as `engine.handOver()`.
   */
  leave(): Promise<AtRest>;
  /** Closes the engine and releases its shards, which the other nodes take at their next read. */
  close(): Promise<AtRest>;
}

const text = textOption("a text of at most 200 characters", (given) => given.length <= 200);

/** Checks how a node takes part in a cluster. */
export const clusterOption: OptionCheck = optionsOf<ClusterOptions>({
  name: textOption("a name of 1 to 200 characters", (given) => given.length > 0 && given.length <= 200),
  address: optionalOption(text),
  version: optionalOption(text),
  ttlMs: optionalOption(wholeOption({ from: 100 }, " of milliseconds")),
  marginMs: optionalOption(wholeOption({ from: 1 }, " of milliseconds")),
  clockApartMs: optionalOption(numberOption({ from: 0 }, " of milliseconds")),
  standby: optionalOption(flagOption),
});

/** Checks the options of a node. */
export const nodeOptions: OptionCheck = optionsOf<NodeOptions>(
  { ...ENGINE_CHECKS, cluster: clusterOption },
  { open: true },
);

/** Returns the leases of a store. Throws a TypeError for a store without them. */
export function leasesOf({ leases }: Pick<OrderStore, "leases">, call: string): ShardLeases {
  if (leases === undefined)
    throw new TypeError(
      `${call}.store must have leases: a store without them, such as SQLite, has one engine at a time`,
    );
  return leases;
}

/**
 * Returns the options of a cluster with defaults filled in. Throws a RangeError for a margin that is not shorter than
 * half of the ttl.
 */
export function clusterOf(given: ClusterOptions, call: string): Required<ClusterOptions> {
  const { name, address = "", version = "", ttlMs = 10_000, clockApartMs = 500, standby = false } = given;
  const marginMs = given.marginMs ?? Math.ceil(ttlMs / 10);
  if (marginMs * 2 >= ttlMs)
    throw new RangeError(`${call}.cluster.marginMs must be below half of ttlMs, ${ttlMs}, got ${marginMs}`);
  return { name, address, version, ttlMs, marginMs, clockApartMs, standby };
}
