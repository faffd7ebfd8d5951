import { createMemoryAccounts, createMemoryRateLimiter } from "../../../src/adapters/memory/index.ts";
import { createEntropy, createNodeServer, createSystemClock } from "../../../src/adapters/node/index.ts";
import { openSqliteStore } from "../../../src/adapters/sqlite/index.ts";
import { type Engine, openEngine } from "../../../src/engine/index.ts";
import type { MarketSink } from "../../../src/ports/index.ts";
import { createCatalogue, demoBalances } from "../../../src/sandbox/catalogue.ts";
import { tapCountedQuotes } from "../../../src/sandbox/market.ts";
import { createService } from "../../../src/service/index.ts";
import { openPaperVenue } from "../../../src/simulator/index.ts";
import { accountEntries, LENT, QUIET, TRADERS } from "./callers.ts";
import { type Happening, watchHappenings } from "./happenings.ts";
import { watchProcess } from "./watch.ts";

/** The report of the server's process about itself. */
export type ServerReport = Readonly<{
  /** Since the previous report. */
  happenings: readonly Happening[];
  /** Ids of the managed orders that have not ended, by account. */
  open: Readonly<Record<number, readonly number[]>>;
  noticed: readonly string[];
  /** Warnings and errors of the service to its operator, counted by name. */
  reported: Readonly<Record<string, number>>;
  longestTurnMs: number;
  rssBytes: number;
  /** Heap and external memory. */
  heapBytes: number;
  parents: number;
}>;

/** A fuzzed service. */
export type FuzzServer = Readonly<{
  port: number;
  /** Waits until everything is at rest, then reports. */
  report: () => Promise<ServerReport>;
  /** Whether the replayed journal gives the state. */
  verify: () => Promise<boolean>;
  close: () => Promise<void>;
}>;

/** Limits low enough that incomplete requests are answered within a run. */
const LIMITS = { headTimeoutMs: 2_000, requestTimeoutMs: 2_500 };

/** Bounded memory is to reach its bound within a run. */
const GUARDED_SIGNATURES = 10_000;

/** Reached by the one address that sends more than the others, and sometimes by an account. */
const RATES = { weightPerMinute: 1_000, ordersPer10s: 150 };

const QUOTE_EVERY_MS = 500;
const MARKETS = [
  { symbol: "BTC/USD", bid: "6999", ask: "7001" },
  { symbol: "ETH/USD", bid: "399", ask: "401" },
];

/**
 * The whole service on SQLite, REST and WebSocket, with a paper venue, native orders and a market that stands still.
 */
export async function openFuzzServer(path: string): Promise<FuzzServer> {
  const watch = watchProcess();
  const reported: Record<string, number> = {};
  const telemetry = {
    event: (level: string, name: string) => {
      if (level === "warn" || level === "error")
        reported[`${level} ${name}`] = (reported[`${level} ${name}`] ?? 0) + 1;
    },
  };
  const [clock, entropy, instruments] = [createSystemClock(), createEntropy(), createCatalogue()];
  const accounts = createMemoryAccounts(accountEntries());
  const venue = await openPaperVenue({ clock, instruments });
  const accountIds = [...TRADERS.map(({ accountId }) => accountId), LENT, ...QUIET];
  for (const accountId of accountIds) {
    await venue.setBalances(accountId, { ...demoBalances(instruments), USD: "100000000000" });
  }
  const shared = { instruments, accounts, clock, entropy, telemetry };
  const engine = await openEngine({
    ...shared,
    store: openSqliteStore({ path }),
    exposure: venue,
    venue,
    settings: { advancedOrders: true },
  });
  const sink = tapCountedQuotes(engine, (quote) => venue.quote(quote));
  venue.onPrint((print) => sink.print(print));
  const stopMarket = startMarket(sink);
  await fillQuiet(engine);
  const happenings = watchHappenings(engine, venue.native);
  const service = createService({
    ...{ ...shared, engine },
    nativeOrders: venue.native,
    rateLimiter: createMemoryRateLimiter({ clock, ...RATES }),
    replayGuard: { maxPerGeneration: GUARDED_SIGNATURES },
    settings: { trustedProxies: ["127.0.0.1"], allowedOrigins: ["https://desk.example.com"] },
    sockets: { requestToken: (token) => (token === "token-of-1" ? 1 : undefined) },
  });
  const server = createNodeServer({
    ...{ service, sockets: service.sockets, limits: LIMITS, telemetry },
    frontThreads: Number(process.env["FRONT_THREADS"] ?? "0"),
  });
  const { port } = await server.listen({ host: "127.0.0.1", port: 0 });
  return {
    port,
    async report() {
      await engine.idle();
      globalThis.gc?.();
      const { rss, heapUsed, external } = process.memoryUsage();
      return {
        happenings: happenings.take(),
        open: await openOrders(engine, accountIds),
        ...{ noticed: watch.noticed(), reported, longestTurnMs: watch.longestTurnMs() },
        ...{ rssBytes: rss, heapBytes: heapUsed + external, parents: engine.metrics().openParents },
      };
    },
    verify: async () => (await engine.verify()).equal,
    async close() {
      stopMarket();
      await server.close({ graceMs: 200 });
      await engine.close();
      await venue.close();
    },
  };
}

function startMarket(sink: MarketSink): () => void {
  const quote = (): void => {
    for (const market of MARKETS) sink.quote(market);
  };
  quote();
  const timer = setInterval(quote, QUOTE_EVERY_MS);
  return () => clearInterval(timer);
}

/** Orders of the quiet accounts, as earlier requests left them. */
async function fillQuiet(engine: Engine): Promise<void> {
  for (const accountId of QUIET) {
    for (let n = 0; n < 3; n++) {
      const order = { symbol: "BTC/USD", side: "BUY", type: "SYNTHETIC_LIMIT", quantity: "0.01" } as const;
      await engine.place({ accountId, order: { ...order, price: "5000", newClientOrderId: `quiet-${n}` } });
    }
  }
}

const PAGE = 1_000;

async function openOrders(
  engine: Engine,
  accountIds: readonly number[],
): Promise<Record<number, readonly number[]>> {
  const open: Record<number, readonly number[]> = {};
  for (const accountId of accountIds) {
    const ids: number[] = [];
    let afterOrderId = 0;
    do {
      const page = await engine.page({
        ...{ accountId, afterOrderId, includeHistory: false, newestFirst: false, limit: PAGE },
      });
      ids.push(...page.orders.map(({ orderId }) => orderId));
      afterOrderId = page.nextOrderId;
    } while (afterOrderId !== 0);
    open[accountId] = ids;
  }
  return open;
}
