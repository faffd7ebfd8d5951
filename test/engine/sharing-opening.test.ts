import { describe, expect, it } from "vitest";
import { createManualClock, createMemoryHost, createMemoryStore } from "../../src/adapters/memory/index.ts";
import { openNode } from "../../src/cluster/index.ts";
import type { ExecutionVenue, MarketData, OrderStore } from "../../src/ports/index.ts";
import { turns } from "../support/faulty-world.ts";
import { createScriptedVenue } from "../support/scripted-venue.ts";

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

describe("decision KX: a node whose opening fails closes its store", () => {
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
