import { createMemoryInstruments } from "../../src/adapters/memory/index.ts";
import { price, quantity } from "../../src/decimal/index.ts";
import type { NativeExecution, NativeOrder } from "../../src/model/index.ts";
import type { Clock, NativeOrders } from "../../src/ports/index.ts";
import type { RequestParameters } from "../../src/signing/index.ts";
import { openPaperVenue, type PaperVenue } from "../../src/simulator/index.ts";
import { quoteOf } from "../sandbox/venue-world.ts";
import {
  type Credentials,
  call,
  KEYS,
  openWorld,
  type Reply,
  type ServiceWorld,
  type WorldOptions,
} from "./service-world.ts";

const BALANCES = { USD: "1000000", BTC: "10", ETH: "10" };

/** A service whose native orders are those of a paper venue, where BTC/USD and ETH/USD are at 6,999 to 7,001. */
export type NativeWorld = ServiceWorld & Readonly<{ paper: PaperVenue }>;

/** Changes of a port between the venue and the service. */
export type NativeChange = (native: NativeOrders) => Partial<NativeOrders>;

/** A paper venue in memory with those quotes, where accounts 1 to 4 have {@link BALANCES}. */
export async function openPaperNative(clock: Clock): Promise<PaperVenue> {
  const paper = await openPaperVenue({ clock, instruments: instruments() });
  for (const accountId of [1, 2, 3, 4]) await paper.setBalances(accountId, BALANCES);
  for (const symbol of ["BTC/USD", "ETH/USD"]) {
    paper.quote(quoteOf({ symbol, bids: ["6999"], asks: ["7001"] }));
  }
  return paper;
}

/** Opens one; `change` replaces members of the port. */
export async function openNativeWorld(
  options: WorldOptions = {},
  change: NativeChange = () => ({}),
): Promise<NativeWorld> {
  const opened: PaperVenue[] = [];
  const world = await openWorld({
    ...options,
    native: async (clock) => {
      const paper = await openPaperNative(clock);
      opened.push(paper);
      return portOf(paper.native, change);
    },
  });
  return { ...world, paper: opened[0] as PaperVenue };
}

const instruments = (): ReturnType<typeof createMemoryInstruments> =>
  createMemoryInstruments(
    ["BTC", "ETH"].map((baseAsset, index) => ({
      id: index + 1,
      symbol: `${baseAsset}/USD`,
      aliases: [],
      baseAsset,
      quoteAsset: "USD",
      name: baseAsset,
      kind: "liquidity",
      status: "TRADING",
    })),
  );

function portOf(native: NativeOrders, change: NativeChange): NativeOrders {
  return {
    isPaperTrade: native.isPaperTrade,
    place: (placement) => native.place(placement),
    findRequest: (request) => native.findRequest(request),
    cancel: (key) => native.cancel(key),
    ...(native.cancelIf && { cancelIf: (...requested) => native.cancelIf?.(...requested) as never }),
    find: (key) => native.find(key),
    page: (page) => native.page(page),
    open: (query) => native.open?.(query) ?? [],
    executions: (query) => native.executions(query),
    subscribe: (listener) => native.subscribe(listener),
    ...change(native),
  };
}

/** A native order as a host may report it; 64-bit id, not an order of the paper venue. */
export function reportedOrder(fields: Partial<NativeOrder> = {}): NativeOrder {
  return {
    orderId: 8_389_765_489_680_951_453n,
    accountId: 1,
    symbol: "BTC/USD",
    clientOrderId: "reported",
    status: "FILLED",
    type: "LIMIT",
    side: "SELL",
    timeInForce: "FOK",
    price: price("7000.12345678"),
    quantity: quantity("0.000001"),
    executedQuantity: quantity("0.000001"),
    updatedAtMs: 1_760_000_000_000,
    isWorking: true,
    ...fields,
  };
}

/** A trade of that order. */
export function reportedExecution(order: NativeOrder = reportedOrder()): NativeExecution {
  const { quantity: lastQuantity, updatedAtMs: timeMs } = order;
  return { executionId: "x-1", execType: "TRADE", order, lastQuantity, lastPrice: price("7000"), timeMs };
}

/** A resting native order: a BUY at 6,000. */
export const RESTING: RequestParameters = {
  symbol: "BTC/USD",
  side: "BUY",
  type: "LIMIT",
  quantity: "0.5",
  price: "6000",
};

/** Places a native order; the fields replace those of {@link RESTING}, all of which are dropped if a type is given. */
export function placeNative(
  world: ServiceWorld,
  fields: RequestParameters = {},
  options: Readonly<{ path?: string; key?: Credentials }> = {},
): Promise<Reply> {
  const json = "type" in fields ? fields : { ...RESTING, ...fields };
  const { path = "/api/v2/order", key = KEYS.owner } = options;
  return call(world, "POST", path, { key, json, query: { nonce: world.nonce() } });
}

/** A signed GET of version 2 about BTC/USD by default. */
export function read(
  world: ServiceWorld,
  path: string,
  query: RequestParameters = {},
  key: Credentials = KEYS.owner,
): Promise<Reply> {
  return call(world, "GET", path, {
    key,
    query: { symbol: "BTC/USD", ...query, timestamp: world.clock.nowMs() },
  });
}

/** A signed POST that reads. */
export function ask(
  world: ServiceWorld,
  path: string,
  json: RequestParameters = {},
  key: Credentials = KEYS.owner,
): Promise<Reply> {
  return call(world, "POST", path, { key, json, query: { nonce: world.nonce() } });
}

/** A signed cancel of an order of BTC/USD. */
export function cancel(
  world: ServiceWorld,
  query: RequestParameters,
  key: Credentials = KEYS.owner,
): Promise<Reply> {
  return call(world, "DELETE", "/api/v2/order", {
    key,
    query: { symbol: "BTC/USD", ...query, nonce: world.nonce() },
  });
}
