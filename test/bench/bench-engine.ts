import {
  createMemoryAccounts,
  createMemoryExposure,
  createMemoryInstruments,
} from "../../src/adapters/memory/index.ts";
import { createSystemClock } from "../../src/adapters/node/index.ts";
import { openSqliteStore } from "../../src/adapters/sqlite/index.ts";
import { type Engine, type EngineOptions, openEngine } from "../../src/engine/index.ts";
import { shardOf } from "../../src/lifecycle/index.ts";
import { type ParentIntent, SHARD_COUNT } from "../../src/model/index.ts";
import type { QuoteInput } from "../../src/ports/index.ts";
import { orderIntent } from "../../src/requests/index.ts";
import { STORE_THREAD } from "../support/store-thread.ts";
import { INSTRUMENTS, SYMBOL } from "../support/world.ts";
import { type BenchFolder, benchFolder } from "./bench-folder.ts";
import { createFillingVenue, type FillingVenue } from "./filling-venue.ts";

/** One account per shard, indexed by the number of the shard. */
export const ACCOUNTS: readonly number[] = accountsOfShards();

function accountsOfShards(): readonly number[] {
  const accounts: number[] = [];
  let found = 0;
  for (let accountId = 1; found < SHARD_COUNT; accountId++) {
    if (accounts[shardOf(accountId)] !== undefined) continue;
    accounts[shardOf(accountId)] = accountId;
    found++;
  }
  return accounts;
}

/** Returns an account whose orders belong to this shard. */
export const accountIn = (shard: number): number => ACCOUNTS[shard] ?? 1;

export type BenchEngine = Readonly<{ engine: Engine; venue: FillingVenue }>;

/** Options of an engine with an account in every shard, the clock of the machine, and a venue that fills at once. */
export function benchOptions(
  store: EngineOptions["store"],
  more: Partial<EngineOptions> = {},
): EngineOptions & Readonly<{ venue: FillingVenue }> {
  const account = (accountId: number) => ({
    account: { accountId, userId: accountId, enableDataSharing: true, delegates: [], restricted: false },
    keys: [],
  });
  return {
    store,
    instruments: more.instruments ?? createMemoryInstruments(INSTRUMENTS),
    accounts: createMemoryAccounts(ACCOUNTS.map(account)),
    exposure: createMemoryExposure(),
    venue: createFillingVenue(),
    clock: more.clock ?? createSystemClock(),
    entropy: { token: () => "unused" },
    settings: {
      advancedOrders: true,
      maxOpenParents: 4_000_000,
      maxOpenParentsPerAccount: 4_000_000,
      ...more.settings,
    },
    ...(more.marketData !== undefined && { marketData: more.marketData }),
  };
}

/** Opens an engine with {@link benchOptions}. */
export async function openBenchEngine(
  store: EngineOptions["store"],
  more: Partial<EngineOptions> = {},
): Promise<BenchEngine> {
  const options = benchOptions(store, more);
  return { engine: await openEngine(options), venue: options.venue };
}

/** Opens such an engine on SQLite, in a folder that is deleted when the engine is closed. */
export async function openOnSqlite(): Promise<
  BenchEngine & Readonly<{ folder: BenchFolder; close(): Promise<void> }>
> {
  const folder = benchFolder();
  const opened = await openBenchEngine(openSqliteStore({ path: folder.path("orders.db"), ...STORE_THREAD }));
  const close = async (): Promise<void> => {
    await opened.engine.close();
    folder.remove();
  };
  return { ...opened, folder, close };
}

let named = 0;

/** Returns a stop below the market with its own client id. */
export const stopIntent = (stopPrice = "9000"): ParentIntent =>
  orderIntent({
    ...{ symbol: SYMBOL, side: "SELL", type: "STOP_MARKET", quantity: "0.125", stopPrice },
    newClientOrderId: `bench-order-number-${++named}`,
  });

/** Places prepared intents, a fixed number at a time, for accounts of several shards in turn. */
export async function placeAll(
  engine: Engine,
  intents: readonly ParentIntent[],
  { inFlight = 512, accounts = 64 }: Readonly<{ inFlight?: number; accounts?: number }> = {},
): Promise<void> {
  for (let from = 0; from < intents.length; from += inFlight) {
    const together = intents.slice(from, from + inFlight);
    await Promise.all(
      together.map((intent, k) => engine.place({ accountId: accountIn((from + k) % accounts), intent })),
    );
  }
}

/** Returns the given number of intents. */
export const intentsOf = (count: number, make: (n: number) => ParentIntent): readonly ParentIntent[] =>
  Array.from({ length: count }, (_, n) => make(n));

/** A market that triggers no {@link stopIntent}, and one that triggers all of them. */
export const ABOVE: QuoteInput = { symbol: SYMBOL, bid: "9999", ask: "10000" };
export const BELOW: QuoteInput = { symbol: SYMBOL, bid: "8999", ask: "9001" };

/** Places resting stops below the market, for accounts of several shards. */
export async function restStops(engine: Engine, count: number, accounts = 64): Promise<void> {
  engine.market.quote(ABOVE);
  const intents = intentsOf(count, () => stopIntent());
  await placeAll(engine, intents, { accounts });
}

/** Sends one quote that triggers all stops; resolves when each has its child and fill. */
export async function fireStops(engine: Engine): Promise<void> {
  engine.market.quote(BELOW);
  await until(() => engine.metrics().openParents === 0);
}

/** Waits for one turn of the event loop. */
export const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Waits turn by turn until the condition holds. */
export async function until(isDone: () => boolean): Promise<void> {
  while (!isDone()) await turn();
}
