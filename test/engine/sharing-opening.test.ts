import { describe, expect, it } from "vitest";
import { createMemoryHost, createMemoryStore } from "../../src/adapters/memory/index.ts";
import { openNode, openStandby } from "../../src/engine/index.ts";
import type { ExecutionVenue, MarketData, OrderStore } from "../../src/ports/index.ts";
import { createScriptedVenue } from "../support/scripted-venue.ts";

const away = (): Promise<never> => Promise.reject(new Error("the store is away"));

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
    ["openStandby", "heads"],
  ] as const)("%s hears neither venue nor market any more if %s fails", async (form, call) => {
    const host = createMemoryHost({ symbols: ["BTC/USD"] });
    const { open, ...ports } = subscribed();
    const options = { ...host, ...ports, store: failing(host.store, call), cluster: { name: "node-1" } };
    await expect(form === "openNode" ? openNode(options) : openStandby(options)).rejects.toThrow("away");
    expect([...open]).toEqual([]);
  });
});

describe("decision KX: a node whose opening fails closes its store", () => {
  it.each([
    ["openNode", "join"],
    ["openNode", "heads"],
    ["openNode", "readVolume"],
    ["openStandby", "join"],
    ["openStandby", "heads"],
  ] as const)("%s if %s fails", async (form, call) => {
    const host = createMemoryHost({ symbols: ["BTC/USD"] });
    let closed = 0;
    const store = { ...failing(host.store, call), close: async (): Promise<void> => void closed++ };
    const options = { ...host, venue: createScriptedVenue(), store, cluster: { name: "node-1" } };
    await expect(form === "openNode" ? openNode(options) : openStandby(options)).rejects.toThrow("away");
    expect(closed).toBe(1);
  });
});

it("a standby whose venue throws when it is left still leaves the cluster and closes its store", async () => {
  const host = createMemoryHost({ symbols: ["BTC/USD"] });
  const unsubscribe = (): never => {
    throw new Error("not subscribed");
  };
  const venue = { ...createScriptedVenue(), subscribe: () => unsubscribe };
  const telemetry = { event: () => undefined };
  const options = { ...host, venue, telemetry, cluster: { name: "node-1" } };
  const owner = await openStandby({
    ...options,
    store: createMemoryStore({ disk: host.disk, clock: host.clock }),
  });
  await owner.takenOver;
  let closed = 0;
  const close = async (): Promise<void> => void closed++;
  const standby = await openStandby({ ...options, store: { ...host.store, close } });
  await standby.close();
  expect(closed).toBe(1);
  expect((await host.store.leases?.nodes())?.nodes).toHaveLength(1);
});
