import {
  createManualClock,
  createMemoryAccounts,
  createMemoryDisk,
  createMemoryExposure,
  createMemoryInstruments,
  createMemoryStore,
  type ManualClock,
  type MemoryDisk,
  type MemoryExposure,
} from "../../src/adapters/memory/index.ts";
import {
  type ClusterOptions,
  type NodeOptions,
  type ClusterNode as OpenedNode,
  openNode,
} from "../../src/cluster/index.ts";
import type { Engine, EngineSettings } from "../../src/engine/index.ts";
import { type ChildRequest, type ParentOrder, SHARD_COUNT } from "../../src/model/index.ts";
import type {
  Accounts,
  ExecutionVenue,
  Instruments,
  MarketSink,
  OrderStore,
  PrintInput,
  Renewal,
  ShardLeases,
} from "../../src/ports/index.ts";
import type { OrderFields } from "../../src/requests/index.ts";
import { Instance } from "../world/instance.ts";
import { turns } from "./faulty-world.ts";
import { createScriptedVenue, type ScriptedVenue } from "./scripted-venue.ts";
import { INSTRUMENTS, START_MS, SYMBOL } from "./world.ts";

/** The term of a lease in these tests, in milliseconds. */
export const TTL_MS = 10_000;

/** Calls of a store that are replaced, by name. Each may make the call as it was. */
export type StoreFaults = Record<string, ((honest: () => Promise<unknown>) => unknown) | undefined>;

/** One process of a cluster. */
export type ClusterProcess = {
  readonly name: string;
  readonly process: Instance;
  /** Calls of the store by name, in order. */
  readonly requested: string[];
  /** Cuts the process off from the store: every call fails. */
  cut: boolean;
  /** Lets only the calls of its lease fail. */
  unleased: boolean;
  /** How late the store answers. */
  lateMs: number;
  /** How late its appends reach the store. */
  heldMs: number;
  /** By how much its wall clock is off. */
  skewMs: number;
  /** Replaces calls of its store, by name such as `leases.nodes`. */
  readonly faults: StoreFaults;
  /** When its last successful renewal was asked for, by the true clock. */
  renewedMs: number;
};

/** A process whose node is a standby, and its engine once it has run all shards. */
export type ClusterNode = ClusterProcess & { readonly node: OpenedNode; engine: Engine | undefined };

/** A process whose node shares the shards. */
export type Sharer = ClusterProcess & { readonly node: OpenedNode; readonly engine: Engine };

/** Hears what the processes of a cluster do. */
export type ClusterEar = Readonly<{
  /** A child reaches the venue. */
  submitting?: (name: string, child: ChildRequest, deadlineMs: number) => void;
  /** A node has claimed the shards of another. */
  claimed?: (name: string) => void;
  /** A node tells its operator something. */
  answer?: (name: string, level: string, event: string) => void;
  /** A node asks the host for an account; the answer waits for what is returned. */
  requesting?: (name: string, accountId: number) => Promise<void> | undefined;
  /** The catalogue of all nodes, or of each, in the place of the usual one. */
  catalogue?: Instruments | ((name: string) => Instruments);
  /** A node passes a named point, while which it may hear quotes. */
  passing?: (name: string, point: string, sink: MarketSink) => void;
  /** Returns the faults of the store with which a node starts. */
  faults?: (name: string) => StoreFaults;
}>;

export type Cluster = {
  readonly clock: ManualClock;
  readonly disk: MemoryDisk;
  /** Positions of all accounts, as every node is told. */
  readonly exposure: MemoryExposure;
  readonly venue: ScriptedVenue;
  /** Starts another process, whose node is a standby. */
  start(
    name: string,
    settings?: Partial<EngineSettings>,
    cluster?: Partial<ClusterOptions>,
  ): Promise<ClusterNode>;
  /** Starts a process whose node shares the shards with others. */
  join(name: string, settings?: Partial<EngineSettings>, cluster?: Partial<ClusterOptions>): Promise<Sharer>;
  /** Lets time pass, in steps of 100 ms with a heartbeat of the market. */
  pass(ms: number): Promise<void>;
  quote(bid: string, ask: string): Promise<void>;
  /** Tells processes of a trade, all of them by default. */
  print(
    print: Partial<PrintInput> & Pick<PrintInput, "id" | "quantity">,
    nodes?: readonly ClusterProcess[],
  ): Promise<void>;
  place(node: ClusterNode | Sharer, order: Partial<OrderFields>): Promise<ParentOrder>;
  /** The engine of the node that took over. Throws if it did not. */
  active(node: ClusterNode | Sharer): Engine;
};

/** Accounts of these clusters. They are of different shards. */
export const ACCOUNT_IDS: readonly number[] = Array.from({ length: 24 }, (_, index) => index + 1);

const accountOf = (accountId: number) => ({
  account: {
    accountId,
    userId: accountId,
    enableDataSharing: true,
    delegates: [],
    restricted: false as const,
  },
  keys: [],
});

function accountsOf(requesting: (accountId: number) => Promise<void> | undefined): Accounts {
  const accounts = createMemoryAccounts(ACCOUNT_IDS.map(accountOf));
  return {
    ...accounts,
    account: (accountId) => {
      const waiting = requesting(accountId);
      return waiting === undefined
        ? accounts.account(accountId)
        : waiting.then(() => accounts.account(accountId));
    },
  };
}

export const settle = (): Promise<void> => turns(400);

/** Creates an empty cluster: one disk, one clock, one venue. */
export function createCluster(venue: ScriptedVenue = createScriptedVenue(), ear: ClusterEar = {}): Cluster {
  const clock = createManualClock({ startMs: START_MS });
  const disk = createMemoryDisk();
  const exposure = createMemoryExposure();
  const sinks: { readonly node: Instance; readonly sink: MarketSink }[] = [];
  let started = 0;
  let tokens = 0;
  const faultsOf = (name: string): StoreFaults => ear.faults?.(name) ?? {};
  const catalogueOf = (name: string): Instruments =>
    typeof ear.catalogue === "function"
      ? ear.catalogue(name)
      : (ear.catalogue ?? createMemoryInstruments(INSTRUMENTS));
  const report = (run: (sink: MarketSink) => void): void => {
    for (const { node, sink } of sinks) node.enter(() => run(sink));
  };
  const begun = (name: string): ClusterProcess & { isOpen: boolean } => ({
    name,
    process: new Instance(++started, clock.monotonicMs()),
    requested: [],
    cut: false,
    unleased: false,
    lateMs: 0,
    heldMs: 0,
    skewMs: 0,
    faults: faultsOf(name),
    renewedMs: 0,
    isOpen: false,
  });
  const optionsOf = (
    node: ClusterProcess & { isOpen: boolean },
    settings?: Partial<EngineSettings>,
    cluster?: Partial<ClusterOptions>,
  ): NodeOptions => {
    const { name, process } = node;
    const own = process.clock(clock);
    return {
      store: storeOf(createMemoryStore({ disk, clock }), {
        process,
        clock,
        faults: () => (node.isOpen ? node : { faults: node.faults }),
        renewed: (requestedMs) => {
          node.renewedMs = Math.max(node.renewedMs, requestedMs);
        },
        claimed: () => ear.claimed?.(name),
        requested: node.requested,
      }),
      instruments: catalogueOf(name),
      accounts: accountsOf((accountId) => ear.requesting?.(name, accountId)),
      exposure,
      venue: venueOf(venue, process, (child, deadlineMs) => ear.submitting?.(name, child, deadlineMs)),
      clock: { ...own, nowMs: () => own.nowMs() + node.skewMs },
      entropy: { token: (length) => String(++tokens).padStart(length, "t") },
      telemetry: { event: (level, event) => ear.answer?.(name, level, event) },
      settings: { advancedOrders: true, ...settings },
      probe: (point) => {
        for (const { node: of, sink } of sinks) if (of === process) ear.passing?.(name, point, sink);
      },
      marketData: {
        subscribe(sink) {
          sinks.push({ node: process, sink });
          return () => undefined;
        },
      },
      cluster: { name, ttlMs: TTL_MS, ...cluster },
    };
  };
  return {
    clock,
    disk,
    exposure,
    venue,
    async join(name, settings, cluster) {
      const begin = begun(name);
      const node = await openNode(optionsOf(begin, settings, cluster));
      begin.isOpen = true;
      await settle();
      return Object.assign(begin, { node, engine: node.engine });
    },
    async start(name, settings, options) {
      const begin = begun(name);
      const node = await openNode(optionsOf(begin, settings, { standby: true, ...options }));
      begin.isOpen = true;
      const one: ClusterNode = Object.assign(begin, { node, engine: undefined });
      const look = (): void => {
        const { shards, keepsMarket } = node.status();
        if (shards === SHARD_COUNT && keepsMarket) one.engine = node.engine;
      };
      node.onStatus(look);
      look();
      await settle();
      // The first node takes all shards in several steps.
      for (let step = 0; step < 10; step++) await clock.advanceBy(1, settle);
      return one;
    },
    async pass(ms) {
      for (let left = ms; left > 0; left -= 100) {
        await clock.advanceBy(Math.min(100, left), settle);
        report((sink) => sink.heartbeat(SYMBOL));
        await settle();
      }
    },
    async quote(bid, ask) {
      report((sink) => sink.quote({ symbol: SYMBOL, bid, ask }));
      await settle();
    },
    async print(print, nodes) {
      const trade = { symbol: SYMBOL, price: "100", timeMs: clock.nowMs(), ...print };
      for (const { node, sink } of sinks)
        if (nodes?.some(({ process }) => process === node) ?? true) node.enter(() => sink.print(trade));
      await settle();
    },
    async place(node, order) {
      const fields = { symbol: SYMBOL, side: "BUY", type: "SYNTHETIC_LIMIT", quantity: "1", ...order };
      return (await this.active(node).place({ accountId: 1, order: fields as OrderFields })).order;
    },
    active({ name, engine }) {
      if (engine === undefined) throw new Error(`${name} has not taken over`);
      return engine;
    },
  };
}

type StoreParts = Readonly<{
  process: Instance;
  clock: ManualClock;
  faults: () => Partial<ClusterProcess>;
  renewed: (requestedMs: number) => void;
  claimed: () => void;
  requested: string[];
}>;

type Call = (...given: unknown[]) => Promise<unknown>;

function storeOf(store: OrderStore, parts: StoreParts): OrderStore {
  const { leases, ...own } = store;
  const wrapped = <T extends object>(port: T, prefix: string): T =>
    Object.fromEntries(
      Object.entries(port).map(([name, call]) => [
        name,
        (...given: unknown[]) =>
          parts.process.call(() => faulty(parts, `${prefix}${name}`, () => (call as Call)(...given))),
      ]),
    ) as T;
  return { ...wrapped(own, ""), leases: wrapped(leases as ShardLeases, "leases.") };
}

/** Makes a call of the store with the present faults of its node. */
async function faulty(parts: StoreParts, name: string, call: () => Promise<unknown>): Promise<unknown> {
  const { clock, requested, renewed, claimed } = parts;
  const { cut = false, unleased = false, lateMs = 0, heldMs = 0, faults = {} } = parts.faults();
  requested.push(name);
  const requestedMs = clock.monotonicMs();
  if (cut || (unleased && name.startsWith("leases."))) throw new Error("the store cannot be reached");
  if (name === "append" && heldMs > 0) await after(clock, heldMs);
  const answer = await (faults[name] ?? ((honest) => honest()))(call);
  if (name === "leases.renew" && (answer as Renewal).alive) renewed(requestedMs);
  if (name === "leases.claim" && answer !== undefined) claimed();
  if (lateMs > 0) await after(clock, lateMs);
  return answer;
}

const after = (clock: ManualClock, ms: number): Promise<void> =>
  new Promise((resolve) => clock.schedule(clock.monotonicMs() + ms, resolve));

function venueOf(
  venue: ScriptedVenue,
  process: Instance,
  submitting: (child: ChildRequest, deadlineMs: number) => void,
): ExecutionVenue {
  return {
    ...venue,
    capabilities: venue.capabilities,
    submit: (child, options) =>
      process.call(async () => {
        submitting(child, options.deadlineMs);
        return await venue.submit(child, options);
      }),
    lookup: (child) => process.call(async () => await venue.lookup(child)),
    subscribe: (listener) => venue.subscribe((event) => process.enter(() => listener(event))),
  };
}
