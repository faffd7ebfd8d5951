import {
  flagOption,
  numberOption,
  type OptionCheck,
  optionalOption,
  optionsOf,
  textOption,
  wholeOption,
} from "../../common/index.ts";
import type { OrderStore, ShardLeases } from "../../ports/index.ts";
import type { Engine, EngineOptions, Verification } from "../core/api.ts";
import { ENGINE_CHECKS } from "../core/checked-options.ts";

/** How a node takes part in a cluster. All nodes of a store must have the same `ttlMs`. Durations are in milliseconds. */
export interface ClusterOptions {
  /** Name of the node for operators, 1 to 200 characters. */
  readonly name: string;
  /**
   * Where other nodes reach this one, as `host:port`: the address of a `PeerLink` (managed-orders/node). Without it they
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
   * Whether the node takes no shards while a node that is no standby lives, and gives back what it has when one comes. Of several
   * standbys alone, one takes all shards. Default false.
   */
  readonly standby?: boolean;
}

/** Options of a standby: those of the engine that it becomes, and its part in the cluster. */
export interface StandbyOptions extends EngineOptions {
  readonly cluster: ClusterOptions;
}

/**
 * What a standby does. `following`: it follows the journal but could not take over now; the reasons say why. `ready`: it
 * could. `taking-over`: it owns the shards and opens its engine. `active`: its engine runs. `closed`: it was closed, or
 * its takeover failed.
 */
export type StandbyState = "following" | "ready" | "taking-over" | "active" | "closed";

/** State of a standby. */
export interface StandbyStatus {
  readonly state: StandbyState;
  /** Number of this start among the nodes of the store. It changes if the node was declared dead and joined again. */
  readonly incarnation: number;
  /** Why it could not take over, in words for an operator. */
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

/** A node that follows the journal of an active engine and takes over when that fails or hands over. */
export interface Standby extends AsyncDisposable {
  /**
   * Resolves to the running engine once this node has taken over. Rejects with ENGINE_CLOSED if the standby is closed
   * before, and with the error of an opening that failed. After a takeover, close the engine, not the standby.
   */
  readonly takenOver: Promise<Engine>;
  /** Returns what the standby does now, and why it could not take over if it could not. */
  status(): StandbyStatus;
  /** Calls a listener with every change of the status until the returned function is called. */
  onStatus(listener: (status: StandbyStatus) => void): () => void;
  /**
   * Returns the node that owns a shard, 0 to 255, or without a shard the node that owns all of them, by what this node has
   * read last; undefined if no live node does, and while this one takes over. What it says may be old: the owner itself
   * decides whether it serves. After a takeover it goes on answering.
   */
  ownerOf(shard?: number): ShardHolder | undefined;
  /**
   * Reads the owners of all shards again. Does nothing within 100 ms of the last such read and while this node is not a
   * standby. Never rejects: if the store fails, the earlier reading stays.
   */
  readOwners(): Promise<void>;
  /**
   * Rebuilds the state from the journal alone and compares it with the followed one, after a takeover with that of the engine.
   * Rejects if the store cannot be read. `live` equals that of the active engine if both verify the same records.
   */
  verify(): Promise<Verification>;
  /**
   * Stops following, leaves the cluster and releases the store. Does nothing after a takeover. Never rejects: the operator is
   * told of a store that does not close.
   */
  close(): Promise<void>;
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

/** Checks the options of a standby. */
export const standbyOptions: OptionCheck = optionsOf<StandbyOptions>(
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
