import {
  createManualClock,
  createMarketFeed,
  createMemoryAccounts,
  createMemoryExposure,
  createMemoryInstruments,
  createMemoryRateLimiter,
  createMemoryStore,
  type ManualClock,
  type MarketFeed,
  type MemoryAccounts,
  type MemoryExposure,
  type RateLimiterOptions,
} from "../../src/adapters/memory/index.ts";
import { type Engine, type EngineSettings, openEngine } from "../../src/engine/index.ts";
import type { Account, ApiKey, Instrument, InstrumentKind } from "../../src/model/index.ts";
import type {
  Entropy,
  Instruments,
  NativeOrders,
  OrderStore,
  Telemetry,
  VolumeHistory,
} from "../../src/ports/index.ts";
import type { ListForm } from "../../src/requests/index.ts";
import { createService, type Service, type ServiceOptions } from "../../src/service/index.ts";
import { encodeQuery, type RequestParameters, sign } from "../../src/signing/index.ts";
import {
  type JsonObject,
  readJson,
  type WireRequest,
  type WireResponse,
  writeJson,
} from "../../src/wire/index.ts";
import { createScriptedVenue, type ScriptedVenue } from "./scripted-venue.ts";

/** Noon, at a whole minute, so that windows of minutes and seconds begin here. */
export const START_MS: number = Date.UTC(2026, 0, 2, 12);

/** A key with its secret; names state its particularity. */
export type Credentials = Readonly<{ apiKey: string; secret: string }>;

const credentials = (name: string): Credentials => ({
  apiKey: `key-of-${name}-${"k".repeat(40)}`,
  secret: `secret-of-${name}-${"s".repeat(40)}`,
});

/** The callers of the tests. */
export const KEYS: Readonly<
  Record<"owner" | "reader" | "trader" | "elsewhere" | "stranger" | "silent" | "nobody", Credentials>
> = {
  /** Owner of accounts 1 and 4. */
  owner: credentials("owner"),
  /** The same person's other keys. */
  reader: credentials("reader"),
  trader: credentials("trader"),
  elsewhere: credentials("elsewhere"),
  /** Owner of account 2. */
  stranger: credentials("stranger"),
  /** Owner of account 3, who gives user 1 read access; without consent. */
  silent: credentials("silent"),
  /** Unknown to the service. */
  nobody: credentials("nobody"),
};

/** Every text that no answer may contain. */
export const SECRETS: readonly string[] = Object.values(KEYS).map(({ secret }) => secret);

const keyOf = (given: Credentials, rest: Partial<ApiKey> = {}): ApiKey => ({
  ...given,
  userId: 1,
  accountId: 1,
  permissions: ["READ", "TRADE"],
  ipAllowlist: [],
  ...rest,
});

const accountOf = (accountId: number, rest: Partial<Account> = {}): Account => ({
  accountId,
  userId: accountId,
  enableDataSharing: true,
  delegates: [],
  restricted: false,
  ...rest,
});

const ENTRIES = [
  {
    account: accountOf(1),
    keys: [
      keyOf(KEYS.owner),
      keyOf(KEYS.reader, { permissions: ["READ"] }),
      keyOf(KEYS.trader, { permissions: ["TRADE"] }),
      keyOf(KEYS.elsewhere, { ipAllowlist: ["10.0.0.0/8", "2001:db8::/32"] }),
    ],
  },
  { account: accountOf(2), keys: [keyOf(KEYS.stranger, { userId: 2, accountId: 2 })] },
  {
    account: accountOf(3, { enableDataSharing: false, delegates: [{ userId: 1, permissions: ["READ"] }] }),
    keys: [keyOf(KEYS.silent, { userId: 3, accountId: 3 })],
  },
  { account: accountOf(4, { userId: 1 }), keys: [] },
];

const instrument = (id: number, base: string, kind: InstrumentKind = "liquidity"): Instrument => ({
  id,
  symbol: `${base}/USD`,
  aliases: [`${base}USD`, `${base}-USD`],
  baseAsset: base,
  quoteAsset: "USD",
  name: base,
  kind,
  status: "TRADING",
});

/** Request ids count up, so that answers can be compared. */
function createCounter(): Entropy {
  let count = 0;
  return { token: (length) => String(++count).padStart(length, "0") };
}

/** Differences of a world from the default one. */
export type WorldOptions = Readonly<{
  engine?: Partial<EngineSettings>;
  limits?: Omit<RateLimiterOptions, "clock">;
  service?: Partial<
    Pick<
      ServiceOptions,
      | "accounts"
      | "balances"
      | "instruments"
      | "clock"
      | "replayGuard"
      | "rateLimiter"
      | "settings"
      | "sockets"
      | "rejections"
      | "traffic"
      | "documents"
    >
  >;
  store?: OrderStore;
  volumeHistory?: VolumeHistory;
  /** Listed after the usual ones. */
  instruments?: readonly Instrument[];
  /** The host's native orders; none by default. */
  native?: (clock: ManualClock) => NativeOrders | Promise<NativeOrders>;
}>;

/** Everything around one service. */
export type ServiceWorld = Readonly<{
  clock: ManualClock;
  engine: Engine;
  service: Service;
  venue: ScriptedVenue;
  feed: MarketFeed;
  accounts: MemoryAccounts;
  instruments: Instruments;
  exposure: MemoryExposure;
  /** Events of the service and the engine in order. */
  reported: readonly string[];
  /** A number that no earlier call of this world has returned. */
  nonce: () => string;
}>;

/** A service over an engine on the memory store, with a manual clock; advanced orders are on. */
export async function openWorld(options: WorldOptions = {}): Promise<ServiceWorld> {
  const clock = createManualClock({ startMs: START_MS });
  const reported: string[] = [];
  const telemetry: Telemetry = { event: (...event) => reported.push(JSON.stringify(event)) };
  const instruments = createMemoryInstruments([
    instrument(1, "BTC"),
    instrument(2, "ETH"),
    instrument(3, "STETH", "staking"),
    ...(options.instruments ?? []),
  ]);
  const accounts = createMemoryAccounts(ENTRIES);
  const exposure = createMemoryExposure();
  const [venue, feed, entropy] = [createScriptedVenue(), createMarketFeed(), createCounter()];
  const engine = await openEngine({
    ...{ instruments, accounts, exposure, venue, clock, entropy, telemetry, marketData: feed },
    store: options.store ?? createMemoryStore(),
    ...(options.volumeHistory && { volumeHistory: options.volumeHistory }),
    settings: { advancedOrders: true, ...options.engine },
  });
  const rateLimiter = createMemoryRateLimiter({ clock, ...(options.limits ?? { enforce: false }) });
  const service = createService({
    ...{ engine, accounts, instruments, clock, entropy, rateLimiter, telemetry },
    balances: { balances: () => [] },
    ...(options.native && { nativeOrders: await options.native(clock) }),
    ...options.service,
  });
  let nonces = 0;
  const nonce = (): string => `n${++nonces}`;
  return { clock, engine, service, venue, feed, accounts, instruments, exposure, reported, nonce };
}

/** The host takes an instrument out of its catalogue. */
export function withdraw({ instruments }: ServiceWorld, symbol = "BTC/USD"): void {
  const left = instruments.all().filter((listed) => listed.symbol !== symbol);
  Object.assign(instruments, createMemoryInstruments(left));
}

/** A request to build; `json` goes to the body, `query` to the target, in this order and unchanged. */
export type RequestOptions = Readonly<{
  key?: Credentials;
  query?: RequestParameters;
  json?: RequestParameters;
  /** The exact body, in place of `json`. */
  body?: string;
  headers?: readonly string[];
  address?: string;
}>;

/** A request whose signature is in the header, as the contract's clients send it; without a key it is not signed. */
export function requestOf(method: string, path: string, options: RequestOptions = {}): WireRequest {
  const query = encodeQuery(options.query ?? {});
  const body = options.body ?? (options.json === undefined ? "" : writeJson(options.json));
  const { key } = options;
  const signed =
    key === undefined
      ? []
      : ["X-MBX-APIKEY", key.apiKey, "signature", sign({ secret: key.secret, payload: query + body })];
  const typed = body === "" ? [] : ["Content-Type", "application/json"];
  return {
    method,
    target: query === "" ? path : `${path}?${query}`,
    rawHeaders: [...signed, ...typed, ...(options.headers ?? [])],
    body: new TextEncoder().encode(body),
    remoteAddress: options.address ?? "127.0.0.1",
  };
}

/** A parsed answer. */
export type Reply = Readonly<{ status: number; headers: WireResponse["headers"]; body: JsonObject }>;

/** Sends a request to the world's service and parses the answer. */
export async function call(world: ServiceWorld, ...request: Parameters<typeof requestOf>): Promise<Reply> {
  const { status, headers, body } = await world.service.handle(requestOf(...request));
  return { status, headers, body: readJson(body) as JsonObject };
}

/** A limit order far from any market, so that no child goes out. */
export const FAR_LIMIT: RequestParameters = {
  symbol: "BTC/USD",
  side: "BUY",
  type: "SYNTHETIC_LIMIT",
  quantity: "0.01",
  price: "7000",
};

/** Places an order; the fields replace those of {@link FAR_LIMIT}, all of which are dropped if a type is given. */
export function place(
  world: ServiceWorld,
  fields: RequestParameters = {},
  options: RequestOptions = {},
): Promise<Reply> {
  const json = "type" in fields ? fields : { ...FAR_LIMIT, ...fields };
  return call(world, "POST", "/api/order", {
    key: KEYS.owner,
    json,
    query: { nonce: world.nonce() },
    ...options,
  });
}

/** A SELL pair around a market at 7,000: a stop 1,000 below, a limit 1,000 above; neither executes there. */
export const SELL_PAIR: RequestParameters = {
  symbol: "BTC/USD",
  side: "SELL",
  quantity: "0.01",
  aboveType: "LIMIT",
  abovePrice: "8000",
  belowType: "STOP_LOSS",
  belowStopPrice: "6000",
};

/** An entry below the market with one stop that it releases. */
export const ENTRY_AND_STOP: RequestParameters = {
  symbol: "BTC/USD",
  workingType: "LIMIT",
  workingSide: "BUY",
  workingPrice: "6500",
  workingQuantity: "0.01",
  pendingType: "STOP_LOSS",
  pendingSide: "SELL",
  pendingStopPrice: "6000",
  pendingQuantity: "0.01",
};

/** An entry below the market with a pair that it releases. */
export const ENTRY_AND_PAIR: RequestParameters = {
  symbol: "BTC/USD",
  workingType: "LIMIT",
  workingSide: "BUY",
  workingPrice: "6500",
  workingQuantity: "0.01",
  pendingSide: "SELL",
  pendingQuantity: "0.01",
  pendingAboveType: "TAKE_PROFIT",
  pendingAboveStopPrice: "8000",
  pendingBelowType: "STOP_LOSS",
  pendingBelowStopPrice: "6000",
};

/** A legacy pair: a SELL limit above, its stop below. */
export const LEGACY_PAIR: RequestParameters = {
  symbol: "BTC/USD",
  side: "SELL",
  quantity: "0.01",
  price: "8000",
  stopPrice: "6000",
};

/** An entry below the market with a take-profit and a stop by its fills. */
export const ENTRY_AND_EXITS: RequestParameters = {
  symbol: "BTC/USD",
  workingType: "LIMIT",
  workingSide: "BUY",
  workingPrice: "6500",
  workingQuantity: "0.01",
  takeProfit1Price: "8000",
  stopPrice: "6000",
};

/** A SELL limit above and a stop below, which share a quantity. */
export const SHARED_PAIR: RequestParameters = {
  symbol: "BTC/USD",
  side: "SELL",
  quantity: "0.01",
  mode: "REDUCE",
  leg1Type: "LIMIT",
  leg1Price: "8000",
  leg2Type: "STOP_LOSS",
  leg2StopPrice: "6000",
};

/** The route of each kind of list, and a list of that kind. */
export const LISTS: Readonly<Record<ListForm, Readonly<{ path: string; fields: RequestParameters }>>> = {
  oco: { path: "/api/v3/orderList/oco", fields: SELL_PAIR },
  oto: { path: "/api/v3/orderList/oto", fields: ENTRY_AND_STOP },
  otoco: { path: "/api/v3/orderList/otoco", fields: ENTRY_AND_PAIR },
  legacyOco: { path: "/api/v3/order/oco", fields: LEGACY_PAIR },
  bracket: { path: "/api/v3/orderList/bracket", fields: ENTRY_AND_EXITS },
  oca: { path: "/api/v3/orderList/oca", fields: SHARED_PAIR },
};

let lists = 0;

/** Places a list; the fields win over those of {@link LISTS}, and it gets its own id unless one is given. */
export function placeList(
  world: ServiceWorld,
  form: ListForm,
  fields: RequestParameters = {},
  options: RequestOptions = {},
): Promise<Reply> {
  const { path, fields: usual } = LISTS[form];
  return call(world, "POST", path, {
    key: KEYS.owner,
    json: { listClientOrderId: `list-${++lists}`, ...usual, ...fields },
    query: { nonce: world.nonce() },
    ...options,
  });
}
