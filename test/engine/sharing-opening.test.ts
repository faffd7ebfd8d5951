import { describe, expect, it } from "vitest";
import { createManualClock, createMemoryHost, createMemoryStore } from "../../src/adapters/memory/index.ts";
import { openNode } from "../../src/cluster/index.ts";
import { shardOf } from "../../src/lifecycle/index.ts";
import type { JournalRecord, ParentOrder } from "../../src/model/index.ts";
import type { ExecutionVenue, MarketData, OrderStore } from "../../src/ports/index.ts";
import { type Cluster, createCluster, type Sharer, settle, TTL_MS } from "../support/cluster.ts";
import { turns } from "../support/faulty-world.ts";
import { createScriptedVenue } from "../support/scripted-venue.ts";
import { accountOn, move, pairOf, placeOn } from "../support/sharing.ts";

const away = (): Promise<never> => Promise.reject(new Error("the store is away"));

const unclosed = (): Promise<never> => Promise.reject(new Error("the store does not close"));

/** A store of which one call fails. */
function failing(store: OrderStore, call: "join" | "heads" | "readVolume"): OrderStore {
  if (store.leases === undefined) throw new Error("the store has no leases");
  if (call === "readVolume") return { ...store, readVolume: away };
  return { ...store, leases: { ...store.leases, [call]: away } };
}

/** What is subscribed to now. */
function subscribed(): Readonly<{ open: Set<string>; venue: ExecutionVenue; marketData: MarketData }> {
  const open = new Set<string>();
  const begin = (name: string): (() => void) => {
    open.add(name);
    return () => void open.delete(name);
  };
  const venue = { ...createScriptedVenue(), subscribe: () => begin("venue") };
  return { open, venue, marketData: { subscribe: () => begin("market") } };
}

describe("a node whose opening fails after it has joined", () => {
  it.each([
    ["openNode", "heads"],
    ["openNode", "readVolume"],
  ] as const)("%s hears neither venue nor market any more if %s fails", async (_form, call) => {
    const host = createMemoryHost({ symbols: ["BTC/USD"] });
    const { open, ...ports } = subscribed();
    const options = { ...host, ...ports, store: failing(host.store, call), cluster: { name: "node-1" } };
    await expect(openNode(options)).rejects.toThrow("away");
    expect([...open]).toEqual([]);
  });
});

describe("a node whose opening fails closes its store", () => {
  it.each([
    ["openNode", "join"],
    ["openNode", "heads"],
    ["openNode", "readVolume"],
  ] as const)("%s if %s fails", async (_form, call) => {
    const host = createMemoryHost({ symbols: ["BTC/USD"] });
    let closed = 0;
    const store = { ...failing(host.store, call), close: async (): Promise<void> => void closed++ };
    const options = { ...host, venue: createScriptedVenue(), store, cluster: { name: "node-1" } };
    await expect(openNode(options)).rejects.toThrow("away");
    expect(closed).toBe(1);
  });

  it.each([
    ["openNode", "that does not close", unclosed],
    ["openNode", "that never answers", () => new Promise<never>(() => undefined)],
  ] as const)("%s says why it has failed also of a store %s", async (_form, _what, close) => {
    const host = createMemoryHost({ symbols: ["BTC/USD"] });
    const clock = createManualClock({ startMs: 0 });
    const store = { ...failing(host.store, "heads"), close };
    const reported: string[] = [];
    const opening = {
      ...{ ...host, clock, venue: createScriptedVenue(), store, cluster: { name: "node-1" } },
      telemetry: { event: (_level: string, event: string) => void reported.push(event) },
    };
    const opened = openNode(opening);
    const failure = opened.catch((error: unknown) => error);
    await clock.advanceBy(60_000, turns);
    expect(String(await Promise.race([failure, "nothing"]))).toContain("the store is away");
    expect(reported).toContain("store.unclosed");
  });
});

it("a standby whose venue throws when it is left still leaves the cluster and closes its store", async () => {
  const host = createMemoryHost({ symbols: ["BTC/USD"] });
  const unsubscribe = (): never => {
    throw new Error("not subscribed");
  };
  const venue = { ...createScriptedVenue(), subscribe: () => unsubscribe };
  const telemetry = { event: () => undefined };
  const options = { ...host, venue, telemetry, cluster: { name: "node-1", standby: true } };
  await openNode({ ...options, store: createMemoryStore({ disk: host.disk, clock: host.clock }) });
  let closed = 0;
  const close = async (): Promise<void> => void closed++;
  const standby = await openNode({ ...options, store: { ...host.store, close } });
  await standby.close();
  expect(closed).toBe(1);
  expect((await host.store.leases?.nodes())?.nodes).toHaveLength(1);
});

type Pair = Readonly<{ cluster: Cluster; a: Sharer; b: Sharer; account: number }>;

/** Two nodes, of which the second runs the shard of an account, and takes a snapshot after every record. */
async function snapshotting(): Promise<Pair> {
  const { cluster, a, b } = await pairOf(createCluster(), { snapshotEvery: 1, hostTimeoutMs: 60_000 });
  return { cluster, a, b, account: accountOn(b) };
}

/** Places an order on the second node and cancels it: it has ended, and no snapshot has it. */
async function endedOrder({ cluster, b, account }: Pair, clientId: string): Promise<ParentOrder> {
  const order = await placeOn(b, account, { price: "90", newClientOrderId: clientId });
  await b.engine.cancel({ accountId: account, orderId: order.orderId });
  await cluster.pass(100);
  return order;
}

/** After the shard has moved to the first node, a client id names the order that it named before. */
async function requireKnown({ cluster, a, account }: Pair, order: ParentOrder): Promise<void> {
  await move(cluster, shardOf(account), a, 2 * TTL_MS);
  const { clientOrderId } = order.intent;
  const again = await placeOn(a, account, { price: "90", newClientOrderId: clientOrderId });
  expect(again.orderId).toBe(order.orderId);
  const other = { price: "80", newClientOrderId: clientOrderId };
  await expect(placeOn(a, account, other)).rejects.toMatchObject({ code: -2010 });
}

/** Leaves out the first record that a node reads of another, as retention could have deleted it. */
function leaveOutOne({ faults }: Sharer): void {
  faults["leases.tail"] = async (honest) => {
    const records = (await honest()) as readonly JournalRecord[];
    if (records.length === 0) return records;
    faults["leases.tail"] = undefined;
    return records.slice(1);
  };
}

describe("a client id of an order that another node has accepted and that has ended", () => {
  it("is found after the shard has moved", async () => {
    const pair = await snapshotting();
    const order = await endedOrder(pair, "one");
    await requireKnown(pair, order);
  });

  it("is found if its records were gone before this node read them", async () => {
    const pair = await snapshotting();
    leaveOutOne(pair.a);
    const order = await endedOrder(pair, "one");
    const later = await endedOrder(pair, "two");
    await requireKnown(pair, order);
    await requireKnown(pair, later);
  });

  it("is found if it was accepted and ended while the shard was read again", async () => {
    const pair = await snapshotting();
    const { cluster, a } = pair;
    leaveOutOne(a);
    const order = await endedOrder(pair, "one");
    let resume = (): void => undefined;
    a.faults.readSnapshot = async (honest) => {
      a.faults.readSnapshot = undefined;
      await new Promise<void>((resolve) => {
        resume = resolve;
      });
      return await honest();
    };
    await cluster.pass(2 * TTL_MS);
    const meanwhile = await endedOrder(pair, "two");
    resume();
    await cluster.pass(TTL_MS);
    await requireKnown(pair, order);
    await requireKnown(pair, meanwhile);
  });

  it("is found while the names of ended orders are still being read", async () => {
    const pair = await snapshotting();
    pair.a.faults.pageEndedNames = () => Promise.reject(new Error("away"));
    leaveOutOne(pair.a);
    const order = await endedOrder(pair, "one");
    await requireKnown(pair, order);
  });
});

it("a node that was declared dead while it opened says so on its engine, and decides nothing", async () => {
  const cluster = createCluster(undefined, {
    faults: (name) =>
      name === "b"
        ? {
            // It stands still until the others have declared it dead.
            readVolume: async (honest) => {
              await new Promise<void>((resolve) =>
                cluster.clock.schedule(cluster.clock.monotonicMs() + 3 * TTL_MS, resolve),
              );
              return honest();
            },
            "leases.renew": async (honest) => {
              if (cluster.clock.monotonicMs() < blockedUntilMs)
                throw new Error("the store cannot be reached");
              return honest();
            },
          }
        : {},
  });
  let blockedUntilMs = 0;
  const a = await cluster.join("a");
  await cluster.pass(TTL_MS);
  blockedUntilMs = cluster.clock.monotonicMs() + 2 * TTL_MS;
  const opening = cluster.join("b", { hostTimeoutMs: 10 * TTL_MS });
  await cluster.pass(4 * TTL_MS);
  const b = await opening;
  await settle();
  expect(b.node.status()).toMatchObject({ state: "lost", shards: 0 });
  expect(b.engine.status().reasons.map(({ kind }) => kind)).toContain("LEASE_LOST");
  await expect(b.engine.find({ accountId: 1, orderId: -1 })).rejects.toMatchObject({ code: -1001 });
  expect(a.node.status()).toMatchObject({ state: "active", shards: 256 });
});
