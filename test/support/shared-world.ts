import {
  createManualClock,
  createMemoryRateLimiter,
  type ManualClock,
} from "../../src/adapters/memory/index.ts";
import type { ShardHolder } from "../../src/cluster/index.ts";
import { type ClusterService, createClusterService, type ShardOwners } from "../../src/cluster/index.ts";
import { shardOf } from "../../src/lifecycle/index.ts";
import type { Account } from "../../src/model/index.ts";
import type { AccountEvents, NativeOrders, RateLimiter } from "../../src/ports/index.ts";
import { createService, type SocketOptions } from "../../src/service/index.ts";
import { ProcessLink } from "./process-link.ts";
import { openWorld, type ServiceWorld, START_MS } from "./service-world.ts";
import { SharedEngine } from "./shared-engine.ts";
import { TestClient } from "./socket-world.ts";

/** Differences of a cluster from the default one. */
export type SharedOptions = Readonly<{
  nodes?: number;
  /** The node that owns the shard of each account; the first one owns all other shards. */
  owners?: Readonly<Record<number, number>>;
  limiterOf?: (node: number, clock: ManualClock) => RateLimiter;
  sockets?: SocketOptions;
  native?: NativeOrders;
  accountEvents?: (node: number) => AccountEvents;
}>;

/** One node: its service, its engine, and what it has read of the owners. */
export type SharedNode = Readonly<{
  node: ClusterService;
  shared: SharedEngine;
  /** The owners as the node has read them. */
  table: Map<number, number>;
  reported: string[];
  /** Monotonic time of the node's service, which compares the owners of streams. */
  clock: ManualClock;
}>;

const EVERY_SHARD = Array.from({ length: 256 }, (_, shard) => shard);

/**
 * Several nodes that share the shards, in one process. Nodes are numbered from 1 on. All of their engines decide on one real
 * engine, so that a shard that moves has its orders, and what was executed twice would be there twice.
 */
export class SharedWorld {
  readonly world: ServiceWorld;
  readonly link: ProcessLink = new ProcessLink();
  readonly nodes: readonly SharedNode[];
  /** The owners in the store. A shard that moves has none. */
  readonly owners: Map<number, number> = new Map();
  /** Whether nodes cannot read the owners again. */
  isBlind = false;

  constructor(world: ServiceWorld, { nodes = 3, owners = {}, ...options }: SharedOptions) {
    this.world = world;
    this.nodes = Array.from({ length: nodes }, (_, index) => this.#open(index + 1, options));
    const wanted = new Map(EVERY_SHARD.map((shard) => [shard, 1]));
    for (const [account, node] of Object.entries(owners)) wanted.set(shardOf(Number(account)), node);
    for (const [shard, node] of wanted) this.claim([shard], node);
    this.read();
  }

  at(node: number): SharedNode {
    const found = this.nodes[node - 1];
    if (found === undefined) throw new RangeError(`no node ${node}`);
    return found;
  }

  /** Connects a client to a node. */
  client(node: number): TestClient {
    const { sockets } = this.at(node).node;
    return new TestClient({ ...this.world, service: { ...this.world.service, sockets } });
  }

  /** Lets the owners of shards stop deciding about them, as the begin of a move. */
  release(shards: readonly number[]): void {
    for (const shard of shards) {
      const owner = this.owners.get(shard);
      this.owners.delete(shard);
      if (owner !== undefined) this.at(owner).shared.lose([shard]);
    }
  }

  /** Gives free shards to a node. */
  claim(shards: readonly number[], node: number): void {
    for (const shard of shards) this.owners.set(shard, node);
    this.at(node).shared.gain(shards);
  }

  /** Moves the shard of an account. Other nodes than the two do not know of it until they read. */
  move(accountId: number, to: number): void {
    const shard = shardOf(accountId);
    this.release([shard]);
    this.claim([shard], to);
  }

  /** Lets all nodes read the owners. */
  read(): void {
    for (const { table } of this.nodes) {
      table.clear();
      for (const [shard, owner] of this.owners) table.set(shard, owner);
    }
  }

  /** What each node has decided. */
  get decided(): readonly (readonly string[])[] {
    return this.nodes.map(({ shared }) => shared.decided);
  }

  #open(number: number, options: Omit<SharedOptions, "nodes" | "owners">): SharedNode {
    const { accounts, instruments, clock: time, engine } = this.world;
    const { sockets, native, accountEvents, limiterOf } = options;
    const [shared, table, reported] = [new SharedEngine(engine), new Map<number, number>(), [] as string[]];
    const clock = createManualClock({ startMs: START_MS });
    const telemetry = { event: (...event: unknown[]) => void reported.push(JSON.stringify(event)) };
    let tokens = 0;
    const entropy = { token: (length: number) => `${number}n${++tokens}`.padEnd(length, "0") };
    const rateLimiter = limiterOf?.(number, time) ?? createMemoryRateLimiter({ clock: time, enforce: false });
    const parts = { accounts, entropy, rateLimiter, telemetry };
    const node = createClusterService({
      ...{ ...parts, clock, standby: this.#ownersOf(number, shared, table), peers: this.link.sender() },
      ...(sockets?.requestToken && { sockets: { requestToken: sockets.requestToken } }),
    });
    node.serve(
      createService({
        ...{ ...parts, engine: shared.engine, clock: time, instruments, traffic: node.traffic },
        ...(native && { nativeOrders: native }),
        sockets: { ...sockets, ...(accountEvents && { accountEvents: accountEvents(number) }) },
      }),
    );
    this.link.nodes.set(`node:${number}`, node);
    return { node, shared, table, reported, clock };
  }

  /** What a node knows: of its own shards what is so, of others what it has read. */
  #ownersOf(number: number, shared: SharedEngine, table: Map<number, number>): ShardOwners {
    const holderOf = (incarnation: number): ShardHolder => ({
      ...{ incarnation, address: `node:${incarnation}`, isSelf: incarnation === number },
    });
    return {
      ownerOf: (shard) => {
        if (shard === undefined) {
          const [sole, ...others] = new Set(EVERY_SHARD.map((known) => table.get(known)));
          return sole === undefined || sole === number || others.length > 0 ? undefined : holderOf(sole);
        }
        if (shared.engine.owns(shard)) return holderOf(number);
        const owner = table.get(shard);
        return owner === undefined || owner === number ? undefined : holderOf(owner);
      },
      readOwners: async () => {
        if (this.isBlind) return;
        table.clear();
        for (const [shard, owner] of this.owners) table.set(shard, owner);
      },
      status: () => ({ incarnation: number }),
    };
  }
}

/** Account 3, whose owner lets user 1 read and trade. */
const SHARED_ACCOUNT: Account = {
  ...{ accountId: 3, userId: 3, enableDataSharing: true, restricted: false },
  delegates: [{ userId: 1, permissions: ["READ", "TRADE"] }],
};

/** Opens a cluster of nodes that share the shards; user 1 may trade for account 3. */
export async function openShared(options: SharedOptions = {}): Promise<SharedWorld> {
  const world = await openWorld();
  world.accounts.put({ account: SHARED_ACCOUNT, keys: [] });
  return new SharedWorld(world, options);
}
