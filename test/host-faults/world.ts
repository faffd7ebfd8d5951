import {
  createManualClock,
  createMarketFeed,
  createMemoryAccounts,
  createMemoryExposure,
  createMemoryInstruments,
  createMemoryRateLimiter,
  createMemoryStore,
  type ManualClock,
} from "../../src/adapters/memory/index.ts";
import { quantity } from "../../src/decimal/index.ts";
import { type Engine, openEngine } from "../../src/engine/index.ts";
import { statusOf } from "../../src/lifecycle/index.ts";
import type { OrderStore } from "../../src/ports/index.ts";
import { createService, type Service } from "../../src/service/index.ts";
import { openPaperNative } from "../support/native-world.ts";
import { createScriptedVenue, type ScriptedVenue } from "../support/scripted-venue.ts";
import { INSTRUMENTS } from "../support/world.ts";

export const START_MS = 1_767_355_200_000;
export const KEY = { apiKey: "key-1", secret: "secret-1" };

type Call = (...args: never[]) => unknown;

/** Every function of a host, by port; a test replaces one with a fault. */
export type Host = Record<string, Call>;

/** A whole service in memory whose host fails on request of a test. */
export type FaultWorld = Readonly<{
  clock: ManualClock;
  host: Host;
  venue: ScriptedVenue;
  engine: Engine;
  service: Service;
  /** Events that the host sends about native executions and accounts. */
  notifyNative: (answer: unknown) => void;
  notifyAccount: (answer: unknown) => void;
  /** Messages to the operator, by name. */
  reported: Set<string>;
  /** The state of all orders of the account, open ones by status. */
  stored: () => Promise<string>;
}>;

/** Functions that look themselves up in the host at every call. */
function through<T extends object>(
  host: Host,
  port: string,
  honest: T,
  names: readonly (keyof T & string)[],
): T {
  const made: Record<string, unknown> = {};
  for (const name of names) {
    const call = honest[name] as Call;
    host[`${port}.${name}`] = (...args) => call.apply(honest, args);
    made[name] = (...args: never[]) => host[`${port}.${name}`]?.(...args);
  }
  return new Proxy(honest, { get: (target, name) => made[String(name)] ?? Reflect.get(target, name) });
}

/** A store without pages of names, which is asked for every new client id. */
function queriedStore(): OrderStore {
  const { pageEndedNames: _, ...store } = createMemoryStore();
  return store;
}

export async function openFaultWorld(break_: (host: Host) => void = () => undefined): Promise<FaultWorld> {
  const clock = createManualClock({ startMs: START_MS });
  const receives: Record<"native" | "account", (answer: never) => void> = {
    native: () => undefined,
    account: () => undefined,
  };
  const [host, reported]: [Host, Set<string>] = [{}, new Set()];
  const venue = createScriptedVenue({ honoursDeadline: false, canVoid: true });
  venue.venueTimeMs = () => Promise.resolve(clock.nowMs());
  const paper = await openPaperNative(clock);
  const entry = {
    account: { accountId: 1, userId: 1, enableDataSharing: true, delegates: [], restricted: false },
    keys: [{ ...KEY, userId: 1, accountId: 1, permissions: ["READ", "TRADE"] as const, ipAllowlist: [] }],
  };
  const exposure = createMemoryExposure();
  exposure.set({ accountId: 1, symbol: "BTC/USD", quantity: quantity("1") });
  const history = { minutes: () => [] };
  const telemetry = {
    event: (level: string, name: string) => void (level !== "debug" && reported.add(name)),
  };
  const parts = {
    clock: through(host, "clock", clock, ["nowMs", "monotonicMs"]),
    accounts: through(host, "accounts", createMemoryAccounts([entry]), ["key", "account"]),
    instruments: through(host, "instruments", createMemoryInstruments(INSTRUMENTS), ["find", "resolve"]),
    entropy: through(host, "entropy", { token: (length: number) => "7".repeat(length) }, ["token"]),
    telemetry: through(host, "telemetry", telemetry, ["event"]),
  };
  const ports = {
    exposure: through(host, "exposure", exposure, ["position"]),
    volumeHistory: through(host, "volumeHistory", history, ["minutes"]),
    venue: through(host, "venue", venue, ["submit", "lookup", "voidChild", "venueTimeMs"]),
    store: through(host, "store", queriedStore(), ["append", "fence", "findEnded"]),
    marketData: createMarketFeed(),
  };
  const limiter = createMemoryRateLimiter({ clock, enforce: false });
  const rateLimiter = through(host, "rateLimiter", limiter, ["weigh", "takeOrders", "returnOrders"]);
  const names = ["findRequest", "place", "find", "cancel", "cancelIf", "page", "open", "executions"] as const;
  const nativeOrders = through(host, "native", paper.native, names);
  const honestBalances = { balances: () => [{ asset: "USD", free: "5", locked: "0" }] };
  const balances = through(host, "balances", honestBalances, ["balances"]);
  const rejections = through(
    host,
    "rejections",
    { retain: () => undefined, list: () => [], counts: { retained: 0, lost: 0 } },
    ["retain", "list"],
  );
  host["events.listener"] = () => undefined;
  host["accountEvents.afterFill"] = () => undefined;
  const accountEvents = {
    afterFill: (...args: never[]) => host["accountEvents.afterFill"]?.(...args) as undefined,
    subscribe: (listener: (event: never) => void) => {
      receives.account = listener;
      return () => undefined;
    },
  };
  const subscribe = (listener: (execution: never) => void) => {
    receives.native = listener;
    return () => undefined;
  };
  break_(host);
  // Most of these worlds have no quotes, which is not the fault that they are about.
  const engine = await openEngine({
    ...parts,
    ...ports,
    settings: { advancedOrders: true, stalledAfterMs: 60_000 },
  });
  engine.events.on("order", (...args) => host["events.listener"]?.(...(args as unknown as never[])));
  engine.events.on("alert", ({ alert }) => reported.add(alert));
  const service = createService({
    ...{ ...parts, engine, rateLimiter, balances, rejections },
    nativeOrders: Object.assign(Object.create(nativeOrders), { subscribe }),
    sockets: { accountEvents },
  });
  const stored = async (): Promise<string> => {
    const { orders } = await engine.page({
      accountId: 1,
      includeHistory: true,
      newestFirst: true,
      limit: 10,
      afterOrderId: 0,
    });
    return (
      orders.map((order) => `${statusOf(order).status} ${statusOf(order).apiState}`).join(", ") || "nothing"
    );
  };
  const notifyNative = (answer: unknown): void => receives.native(answer as never);
  const notifyAccount = (answer: unknown): void => receives.account(answer as never);
  return { clock, host, venue, engine, service, notifyNative, notifyAccount, reported, stored };
}
