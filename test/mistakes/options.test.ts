import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { openLmdbStorage } from "../../src/adapters/lmdb/index.ts";
import {
  createManualClock,
  createMemoryAccounts,
  createMemoryExposure,
  createMemoryHost,
  createMemoryInstruments,
  createMemoryRateLimiter,
  createMemoryStorage,
  createMemoryStore,
} from "../../src/adapters/memory/index.ts";
import {
  createConsoleTelemetry,
  createNodeMount,
  createNodeServer,
  probeMount,
} from "../../src/adapters/node/index.ts";
import { openPostgresCluster, openPostgresStore } from "../../src/adapters/postgres/index.ts";
import {
  backupSqliteStore,
  openSqliteStore,
  restoreSqliteStore,
  verifySqliteStore,
} from "../../src/adapters/sqlite/index.ts";
import { createVenueServer, openVenueClient } from "../../src/adapters/venue-http/index.ts";
import {
  createClient,
  createSocketClient,
  followMarkets,
  followOrders,
  openOrderBook,
} from "../../src/client/index.ts";
import {
  createClusterService,
  createPeerLink,
  drainNode,
  moveShards,
  type OperatorOptions,
  openNode,
  readCluster,
} from "../../src/cluster/index.ts";
import { testRateLimiter, testRejections } from "../../src/conformance/index.ts";
import { Quantity } from "../../src/decimal/index.ts";
import { type EngineOptions, openEngine, resolveSettings } from "../../src/engine/index.ts";
import { type PreviewContext, previewAmend, previewOrder } from "../../src/lifecycle/index.ts";
import { listIntent, orderIntent } from "../../src/requests/index.ts";
import {
  asyncApiDocument,
  createMountProbe,
  createRejectionBuffer,
  createService,
  managedOrderView,
  openApiDocument,
  type ServiceOptions,
} from "../../src/service/index.ts";
import {
  createReplayGuard,
  derivedClientId,
  sign,
  signBody,
  signQuery,
  signSocketParameters,
} from "../../src/signing/index.ts";
import {
  csvMarket,
  marketOfBars,
  openPaperVenue,
  parameterGrid,
  reportOf,
  simulate,
  sweep,
} from "../../src/simulator/index.ts";
import { openStore } from "../../src/store/index.ts";
import { Subject } from "../lifecycle/support.ts";
import { testOrderStore } from "../store/rules/index.ts";
import { createScriptedVenue } from "../support/scripted-venue.ts";
import { INSTRUMENTS } from "../support/world.ts";

type Options = Readonly<Record<string, unknown>>;

/** A function of the package: options that it takes, and the call with any options. */
type Entry = Readonly<{ right: () => Options; call: (options: never) => unknown }>;

const entry = <T extends object>(right: () => T, call: (options: T) => unknown): Entry => ({
  right: right as never,
  call,
});

/** A test framework that runs nothing. */
const framework = { describe: () => {}, it: () => {} };
const host = () => createMemoryHost({ symbols: ["BTC/USD"] });
const { service } = createMountProbe();
const [secret, parameters] = ["a secret that must not be shown", { symbol: "BTC/USD" }];

const LIMIT = {
  symbol: "BTC/USD",
  side: "SELL",
  type: "SYNTHETIC_LIMIT",
  quantity: "1",
  price: "20",
  newClientOrderId: "order",
} as const;

const EXITS = {
  symbol: "BTC/USD",
  side: "SELL",
  quantity: "1",
  aboveType: "LIMIT",
  abovePrice: "20",
  belowType: "STOP",
  belowStopPrice: "10",
  listClientOrderId: "exits",
} as const;

const ACCOUNT = { accountId: 1, userId: 1, enableDataSharing: true, delegates: [], restricted: false };

const CLUSTER = {
  name: "a",
  address: "",
  version: "1",
  ttlMs: 1_000,
  marginMs: 100,
  clockApartMs: 500,
  standby: true,
};

const engineParts = (): EngineOptions => {
  const { disk: _disk, ...parts } = host();
  return { ...parts, venue: createScriptedVenue() };
};

const operatorParts = (): OperatorOptions => {
  const { clock, store } = engineParts();
  if (store.leases === undefined) throw new Error("the store has no leases");
  return { clock, leases: store.leases };
};

const serviceParts = async (): Promise<ServiceOptions> => {
  const engine = await openEngine(engineParts());
  const { accounts, instruments, clock, entropy } = host();
  return { engine, accounts, instruments, clock, entropy, rateLimiter: createMemoryRateLimiter({ clock }) };
};
const parts = await serviceParts();
const result = await simulate({
  symbols: ["BTC/USD"],
  market: [{ kind: "quote", timeMs: 0, symbol: "BTC/USD", bid: "1", ask: "2" }],
  strategy: () => undefined,
});

const STOP = {
  symbol: "BTC/USD",
  side: "SELL",
  quantity: "1",
  type: "STOP_MARKET",
  stopPrice: "95",
  newClientOrderId: "s",
} as const;

const previewContext = (): PreviewContext => ({
  quote: { bid: "1", ask: "2" },
  nowMs: 0,
  position: "1",
  minimumNotional: "15",
  maxIcebergParts: 1,
  profile: { count: 1, weights: [Quantity.parse("1")] },
});

const ENTRIES: Readonly<Record<string, Entry>> = {
  openEngine: entry(engineParts, openEngine),
  openNode: entry(() => ({ ...engineParts(), cluster: CLUSTER }), openNode),
  readCluster: entry(() => ({ ...operatorParts(), watchMs: 1 }), readCluster),
  drainNode: entry(
    () => ({ ...operatorParts(), incarnation: 1, limitMs: 1, onProgress: () => undefined }),
    drainNode,
  ),
  moveShards: entry(
    () => ({ ...operatorParts(), shards: [0], incarnation: 1, limitMs: 1, onProgress: () => undefined }),
    moveShards,
  ),
  resolveSettings: entry(() => ({ advancedOrders: true }), resolveSettings),
  createService: entry(() => parts, createService),
  createRejectionBuffer: entry(() => ({ perAccount: 1 }), createRejectionBuffer),
  openApiDocument: entry(() => ({ version: "1" }), openApiDocument),
  asyncApiDocument: entry(() => ({ version: "1" }), asyncApiDocument),
  createClusterService: entry(
    () => ({
      standby: {
        ownerOf: () => undefined,
        readOwners: async () => undefined,
        status: () => ({ state: "ready" as const, incarnation: 1, reasons: [] }),
      },
      ...{ accounts: parts.accounts, clock: parts.clock, entropy: parts.entropy },
      ...{ rateLimiter: parts.rateLimiter, waitMs: 1 },
    }),
    createClusterService,
  ),
  createNodeServer: entry(() => ({ service }), createNodeServer),
  createPeerLink: entry(
    () => ({ secret, previousSecret: secret, security: "loopback" as const, limits: { requests: 1 } }),
    createPeerLink,
  ),
  createNodeMount: entry(() => ({ service }), createNodeMount),
  createConsoleTelemetry: entry(() => ({ level: "warn" as const }), createConsoleTelemetry),
  probeMount: entry(
    () => ({ url: "http://127.0.0.1:9", timeoutMs: 1 }),
    (options) => void probeMount(createMountProbe(), options).catch(() => undefined),
  ),
  openPostgresCluster: entry(
    () => ({ url: "postgres://orders@127.0.0.1:9/never-opened", schema: "orders", answerTimeoutMs: 1 }),
    openPostgresCluster,
  ),
  openPostgresStore: entry(
    () => ({
      ...{
        url: `postgres://orders:${secret.replaceAll(" ", "")}@127.0.0.1:9/never-opened`,
        schema: "orders",
      },
      ...{ connections: 3, waiting: 1, connectTimeoutMs: 1, answerTimeoutMs: 1, requireDurability: true },
      journal: { prune: true },
    }),
    openPostgresStore,
  ),
  createVenueServer: entry(
    () => ({
      ...{ venue: createScriptedVenue(), secret, previousSecret: secret, prefix: "/venue" },
      ...{ clock: host().clock, entropy: host().entropy, limits: { freshMs: 1, bodyBytes: 1_024 } },
    }),
    createVenueServer,
  ),
  openVenueClient: entry(
    () => ({ url: "http://127.0.0.1:9/venue", secret, clock: host().clock, timeoutMs: 1, calls: 1 }),
    (options) => openVenueClient(options),
  ),
  openSqliteStore: entry(
    () => ({ path: "never-opened/orders.db", thread: false, threadProgram: new URL("file:///writer.js") }),
    openSqliteStore,
  ),
  backupSqliteStore: entry(
    () => ({ path: "never-opened/orders.db", to: "never-opened/copy.db" }),
    backupSqliteStore,
  ),
  restoreSqliteStore: entry(
    () => ({ from: "never-opened/copy.db", path: "never-opened/orders.db" }),
    restoreSqliteStore,
  ),
  verifySqliteStore: entry(
    () => ({ path: "never-opened/orders.db", archive: "never-opened" }),
    verifySqliteStore,
  ),
  createManualClock: entry(() => ({ startMs: 0 }), createManualClock),
  createMemoryAccounts: entry(
    () => ({ account: ACCOUNT, keys: [] }),
    (one) => createMemoryAccounts([one]),
  ),
  createMemoryExposure: entry(
    () => ({ accountId: 1, symbol: "BTC/USD", quantity: Quantity.parse("1") }),
    (one) => createMemoryExposure([one]),
  ),
  createMemoryInstruments: entry(
    () => INSTRUMENTS[0] ?? {},
    (one) => createMemoryInstruments([one as never]),
  ),
  createMemoryHost: entry(() => ({ symbols: ["BTC/USD"] }), createMemoryHost),
  createMemoryStore: entry(() => ({ clock: host().clock }), createMemoryStore),
  createMemoryStorage: entry(() => ({ clock: host().clock }), createMemoryStorage),
  openStore: entry(
    () => ({ journal: { prune: true }, rejections: { capacity: 5 } }),
    (options) => openStore(createMemoryStorage(), options),
  ),
  openLmdbStorage: entry(() => ({ path: "/nowhere/orders.lmdb" }), openLmdbStorage),
  createMemoryRateLimiter: entry(
    () => ({ clock: createManualClock({ startMs: 0 }) }),
    createMemoryRateLimiter,
  ),
  createReplayGuard: entry(() => ({ maxPerGeneration: 5 }), createReplayGuard),
  createClient: entry(
    () => ({ baseUrl: "https://a.example", apiKey: "key", secret, timeoutMs: 5 }),
    createClient,
  ),
  createSocketClient: entry(
    () => ({ baseUrl: "https://a.example", apiKey: "key", secret, maxInFlight: 5 }),
    createSocketClient,
  ),
  followOrders: entry(
    () => ({ baseUrl: "https://a.example", apiKey: "key", secret, keepEnded: 5 }),
    followOrders,
  ),
  openOrderBook: entry(
    () => ({ baseUrl: "https://a.example", symbol: "BTC/USD", maxLevels: 5 }),
    openOrderBook,
  ),
  followMarkets: entry(
    () => ({ baseUrl: "https://a.example", symbols: ["BTC/USD"], quietMs: 5 }),
    followMarkets,
  ),
  sign: entry(() => ({ secret, payload: "a=1" }), sign),
  signQuery: entry(() => ({ secret, parameters }), signQuery),
  signBody: entry(() => ({ secret, query: "", parameters }), signBody),
  signSocketParameters: entry(() => ({ secret, parameters }), signSocketParameters),
  orderIntent: entry(
    () => ({ clientId: () => "a" }),
    (options) => orderIntent(LIMIT, options),
  ),
  listIntent: entry(
    () => ({ clientId: (field: string) => field }),
    (options) => listIntent("oco", EXITS, options),
  ),
  previewOrder: entry(previewContext, (context) => previewOrder(LIMIT, context)),
  previewAmend: entry(previewContext, (context) =>
    previewAmend(managedOrderView(new Subject(orderIntent(STOP)).order), { stopPrice: "90" }, context),
  ),
  simulate: entry(
    () => ({
      symbols: ["BTC/USD"],
      market: [],
      strategy: () => undefined,
      balances: { USD: "1" },
      venue: {},
      sampleMs: 1,
      endMs: 1,
      chart: true,
    }),
    simulate,
  ),
  sweep: entry(
    () => ({
      module: "data:text/javascript,export const run = 1",
      parameters: [],
      workers: 1,
      seed: 1,
      timeoutMs: 1,
      signal: new AbortController().signal,
      progress: false,
      onProgress: () => undefined,
      execArgv: [],
    }),
    sweep,
  ),
  reportOf: entry(
    () => ({ title: "Day", parameters: { seed: "1" }, maxRows: 1, maxCharts: 1 }),
    (options) => reportOf(result, options),
  ),
  csvMarket: entry(
    () => ({
      symbol: "BTC/USD",
      spreadBps: "1",
      columns: { time: "t" },
      intervalMs: 60_000,
      order: "local" as const,
    }),
    (options) => csvMarket("quotes.csv", options),
  ),
  marketOfBars: entry(
    () => ({ spreadBps: "1" }),
    (options) => marketOfBars([], options),
  ),
  openPaperVenue: entry(() => {
    const { clock, instruments, telemetry } = host();
    return { clock, instruments, telemetry, terms: {}, forgetting: { afterMs: 1, quietMs: 1 } };
  }, openPaperVenue),
  testOrderStore: entry(
    () => ({
      name: "mine",
      supports: { leases: false, pageEndedNames: true, priceBars: true, progress: true, pruneEnded: true },
      createPlace: () => ({ open: () => host().store, remove: () => {} }),
    }),
    (subject) => testOrderStore(framework, subject),
  ),
  testRejections: entry(
    () => ({
      name: "mine",
      supports: { durable: true },
      createPlace: () => Promise.reject(new Error("not called")),
    }),
    (subject) => testRejections(framework, subject),
  ),
  testRateLimiter: entry(
    () => ({
      name: "mine",
      supports: { limits: true, connect: true, bans: true, durable: false, nodes: false },
      createPlace: () => Promise.reject(new Error("not called")),
    }),
    (subject) => testRateLimiter(framework, subject),
  ),
  derivedClientId: entry(() => ({ apiKey: "key", signature: "ab", field: "f" }), derivedClientId),
};

/** Functions that take an object of a host and are left to their own errors, each with the reason. */
const OTHERS: Readonly<Record<string, string>> = {
  verifySignature: "a signature may be anything: test/signing/signature.test.ts",
  encodeQuery: "takes the parameters themselves: test/signing/signed-request.test.ts",
  ...Object.fromEntries(
    ["preview", "previewContext", "eachOpenOrder", "eachNativeOrder", "eachOrderList", "eachExecution"].map(
      (name) => [
        name,
        "hands its options to methods of the client, which check them: test/client/calls.test.ts",
      ],
    ),
  ),
};

async function refusal(run: () => unknown): Promise<string> {
  try {
    await run();
    return "taken";
  } catch (error) {
    return error instanceof Error ? `${error.name}: ${error.message}` : "not an error";
  }
}

const cases = Object.entries(ENTRIES);
/** Returns a name with two letters swapped, or a short one, or one with a double letter there, with one letter too many. */
function misspelt(name: string): string {
  const swapped = `${name.slice(0, 2)}${name[3]}${name[2]}${name.slice(4)}`;
  return name.length < 4 || swapped === name ? `${name}d` : swapped;
}

describe("every function that takes options names what is wrong with them", () => {
  it.each(cases)("%s: a misspelt option, and the name that was meant", async (_name, { right, call }) => {
    for (const [option, value] of Object.entries(right())) {
      const { [option]: _left, ...rest } = right();
      const answer = await refusal(() => call({ ...rest, [misspelt(option)]: value } as never));
      expect(answer).toMatch(/^TypeError: unknown option `/);
      expect(answer).toContain(`\`${misspelt(option)}\` of `);
      expect(answer).toContain(`did you mean \`${option}\`?`);
      expect(answer).not.toContain(secret);
    }
  });

  it.each(cases)("%s: a value of the wrong type", async (_name, { right, call }) => {
    for (const option of Object.keys(right())) {
      const answer = await refusal(() => call({ ...right(), [option]: Symbol("wrong") } as never));
      expect(answer).toMatch(/^TypeError: /);
      expect(answer).toMatch(new RegExp(`[.]${option} must be `));
      expect(answer).not.toContain(secret);
    }
  });

  it.each(cases)("%s: no object at all", async (_name, { call }) => {
    expect(await refusal(() => call(5 as never))).toMatch(/^TypeError: .* must be an object/);
  });

  const btc = INSTRUMENTS[0];
  const engine = (more: object) => () => openEngine({ ...engineParts(), ...more });
  const served = (more: object) => () => createService({ ...parts, ...more });

  it.each<readonly [what: string, call: () => unknown, message: string]>([
    [
      "a misspelt setting",
      engine({ settings: { advanceOrders: true } }),
      "TypeError: unknown option `advanceOrders` of openEngine.settings; did you mean `advancedOrders`?",
    ],
    [
      "a setting beside the settings",
      engine({ advancedOrders: true }),
      "TypeError: unknown option `advancedOrders` of openEngine: pass it in openEngine.settings",
    ],
    [
      "a number for a decimal",
      engine({ settings: { minimumNotional: 15 } }),
      'TypeError: openEngine.settings.minimumNotional must be a decimal string with at most 14 decimals, such as "15", got 15',
    ],
    [
      "a number out of range",
      engine({ settings: { hostTimeoutMs: 0 } }),
      "RangeError: openEngine.settings.hostTimeoutMs must be a whole number of milliseconds of at least 1, got 0",
    ],
    [
      "two numbers that contradict each other",
      engine({ settings: { retryMinMs: 9, retryMaxMs: 8 } }),
      "RangeError: openEngine.settings.retryMaxMs must be at least retryMinMs, 9, got 8",
    ],
    [
      "no venue",
      engine({ venue: undefined }),
      "TypeError: openEngine.venue is missing: pass an object of the type ExecutionVenue (managed-orders/ports), with these functions: submit, lookup and subscribe",
    ],
    [
      "a venue without submit",
      engine({ venue: { lookup: async () => "not-found", subscribe: () => () => undefined } }),
      "TypeError: openEngine.venue.submit is missing: pass a function of the type ExecutionVenue (managed-orders/ports)",
    ],
    [
      "an engine that is not awaited",
      served({ engine: Promise.resolve(parts.engine) }),
      "TypeError: createService.engine must be an object of the type Engine (managed-orders/engine), with these functions: place, cancel and status, got a promise: await it",
    ],
    [
      "a simulation that is not awaited",
      () => reportOf(Promise.resolve(result) as never),
      "TypeError: reportOf.result must be a result of simulate, got a promise: await it",
    ],
    [
      "a limit out of range",
      served({ traffic: { unsent: { perAddress: 0 } } }),
      "RangeError: createService.traffic.unsent.perAddress must be a whole number of at least 1, got 0",
    ],
    [
      "a member that instruments do not have",
      () => createMemoryInstruments([{ ...btc, minimumNotional: 15 } as never]),
      "TypeError: unknown option `minimumNotional` of createMemoryInstruments[0], which takes id, symbol, aliases, baseAsset, quoteAsset, name, kind, status, address and url",
    ],
    [
      "a number for a quantity",
      () => createMemoryExposure().set({ accountId: 1, symbol: "BTC/USD", quantity: 0.5 as never }),
      'TypeError: position.quantity must be a Quantity, such as Quantity.parseSigned("-0.5"), got 0.5',
    ],
    [
      "a time that is none",
      () => createManualClock({ startMs: 0 }).advanceBy("5s" as never),
      'TypeError: clock.advanceBy must be a finite number of milliseconds, got "5s"',
    ],
    [
      "a port that is none",
      () => createNodeServer({ service }).listen({ host: "127.0.0.1", port: 80_800 }),
      "RangeError: listen.port must be a whole number from 0 to 65535, got 80800",
    ],
    [
      "a relative path for a module",
      () => sweep({ module: "./strategy.js", parameters: [] }),
      'RangeError: sweep.module must be a URL, such as new URL("./strategy.js", import.meta.url), or an absolute path, got "./strategy.js"',
    ],
    [
      "an object for a parameter",
      () => sweep({ module: "/strategy.js", parameters: [{ bps: { from: 1 } as never }] }),
      'TypeError: sweep.parameters[0]["bps"] must be a string, a finite number, true or false, got an object',
    ],
    [
      "a value for a list of values",
      () => parameterGrid({ bps: 5 as never }),
      'TypeError: parameterGrid["bps"] must be a list of values, got 5',
    ],
    [
      "a promise for the fields of an order",
      () => orderIntent(Promise.resolve(LIMIT) as never),
      "TypeError: orderIntent.fields must be an object of fields by name, got a promise: await it",
    ],
    [
      "no fields of a list",
      () => listIntent("oco", undefined as never),
      "TypeError: listIntent.fields is missing: pass an object of fields by name",
    ],
    [
      "a form of a list that does not exist",
      () => listIntent("ladder" as never, EXITS as never),
      'RangeError: listIntent.form must be one of oco, oto, otoco, legacyOco, bracket, oca, got "ladder"',
    ],
    [
      "a parameter without a text of its own",
      () => signQuery({ secret, parameters: { timestamp: new Date(0) as never } }),
      "TypeError: parameters.timestamp must be a string, number or boolean",
    ],
    [
      "an unsafe number in a request",
      () => signQuery({ secret, parameters: { quantity: 0.5 } }),
      'RangeError: parameters.quantity must be a safe integer, got 0.5: pass decimals as strings, such as "0.5", and long integers as bigint',
    ],
  ])("%s: %s", async (_what, call, message) => {
    expect(await refusal(call)).toBe(message);
  });

  it("the functions of this test are those of the entry points", () => {
    const folder = fileURLToPath(new URL("../package/api/", import.meta.url));
    const text = readdirSync(folder)
      .map((file) => readFileSync(`${folder}${file}`, "utf8"))
      .join("\n");
    const found = text.matchAll(
      /export declare function (\w+)[^(]*\((?:[^)]*[^)\w])?(?:options|given|context|source)\??: /g,
    );
    const rules = [
      "admit",
      "admitList",
      "evolve",
      "sizeChild",
      "transition",
      "transitionList",
      "managedOrderView",
    ];
    const taking = [...found].map(([, name]) => String(name)).filter((name) => !rules.includes(name));
    expect(taking.filter((name) => ENTRIES[name] === undefined && OTHERS[name] === undefined)).toEqual([]);
  });
});
