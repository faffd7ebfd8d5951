import { type OptionCheck, optionsOf } from "../../common/index.ts";
import type { AtRest, Engine, EngineOptions, Verification } from "../core/api.ts";
import { ENGINE_CHECKS } from "../core/checked-options.ts";
import { type ClusterOptions, clusterOption, type ShardHolder } from "./standby-api.ts";

/** Options of a node that shares the shards of a store with others: those of its engine, and its part in the cluster. */
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
  /** Number of this start among the nodes of the store. */
  readonly incarnation: number;
  /** Number of shards that it runs, without the market journal. */
  readonly shards: number;
  /** Whether it keeps the market journal, so that its prints and quotes are stored. */
  readonly keepsMarket: boolean;
  /** Why it takes no more shards, in words for an operator. */
  readonly reasons: readonly string[];
}

/** A node of a cluster whose nodes share the shards: each runs a part of them, and follows the others. */
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

/** Checks the options of a node. */
export const nodeOptions: OptionCheck = optionsOf<NodeOptions>(
  { ...ENGINE_CHECKS, cluster: clusterOption },
  { open: true },
);
