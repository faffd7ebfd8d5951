import { createMemoryAccounts } from "../../../src/adapters/memory/index.ts";
import { createEntropy, createSystemClock } from "../../../src/adapters/node/index.ts";
import { openSqliteStore } from "../../../src/adapters/sqlite/index.ts";
import { createRandom, type Random } from "../../../src/common/random.ts";
import { formatQuantity } from "../../../src/decimal/index.ts";
import { type Engine, openEngine, type ProbePoint } from "../../../src/engine/index.ts";
import type { OrderFields } from "../../../src/requests/index.ts";
import { createCatalogue, demoBalances } from "../../../src/sandbox/catalogue.ts";
import { createCrashPoints } from "../../../src/sandbox/faults.ts";
import { tapCountedQuotes } from "../../../src/sandbox/market.ts";
import { openPaperVenue, type PaperVenue } from "../../../src/simulator/index.ts";
import { STORE_THREAD } from "../../support/store-thread.ts";

/** Messages of the process to its parent, one per line on standard output. */
export type ChildMessage =
  | Readonly<{ kind: "acknowledged"; clientOrderId: string; orderId: number }>
  | Readonly<{ kind: "refused"; clientOrderId: string }>
  | Readonly<{ kind: "checked"; problems: readonly string[]; orders: Readonly<Record<string, number>> }>;

/** Arguments of the process. */
export type ChildTask = Readonly<{
  mode: "load" | "check";
  folder: string;
  seed: number;
  round: number;
  at?: ProbePoint;
  skip?: number;
}>;

const ACCOUNT = 1;
const SYMBOL = "BTC/USD";
const CLIENTS = 8;

type Running = Readonly<{ engine: Engine; venue: PaperVenue; quote: (bid: number, size: string) => void }>;

async function open(task: ChildTask): Promise<Running> {
  const clock = createSystemClock();
  const instruments = createCatalogue();
  const venue = await openPaperVenue({ clock, instruments, path: `${task.folder}/venue.jsonl` });
  if (!venue.hasAccount(ACCOUNT)) await venue.setBalances(ACCOUNT, demoBalances(instruments));
  const crash = createCrashPoints();
  if (task.at !== undefined) crash.arm({ at: task.at, skip: task.skip ?? 0 });
  const account = {
    accountId: ACCOUNT,
    userId: ACCOUNT,
    enableDataSharing: true,
    delegates: [],
    restricted: false,
  };
  const engine = await openEngine({
    store: openSqliteStore({ path: `${task.folder}/orders.db`, ...STORE_THREAD }),
    instruments,
    accounts: createMemoryAccounts([{ account, keys: [] }]),
    exposure: venue,
    venue,
    clock,
    entropy: createEntropy(),
    probe: crash.probe,
    settings: {
      advancedOrders: true,
      submitDeadlineMs: 100,
      venueQuietMs: 50,
      retryMinMs: 10,
      retryMaxMs: 50,
      snapshotEvery: 50,
    },
  });
  const sink = tapCountedQuotes(engine, (counted) => venue.quote(counted));
  const quote = (bid: number, size: string): void => {
    sink.quote({
      symbol: SYMBOL,
      bid: String(bid),
      ask: String(bid + 1),
      bidQuantity: size,
      askQuantity: size,
    });
  };
  return { engine, venue, quote };
}

function report(message: ChildMessage): void {
  process.stdout.write(`${JSON.stringify(message)}\n`);
}

function orderOf(random: Random, newClientOrderId: string): OrderFields {
  const level = String(6_960 + random.below(80));
  const common = {
    symbol: SYMBOL,
    side: random.pick(["BUY", "SELL"] as const),
    quantity: `0.${1 + random.below(9)}`,
    newClientOrderId,
  };
  return random.pick<OrderFields>([
    { ...common, type: "SYNTHETIC_LIMIT", price: level },
    { ...common, type: "STOP_MARKET", stopPrice: level },
    { ...common, type: "TAKE_PROFIT_LIMIT", stopPrice: level, price: level },
    { ...common, type: "TRAILING_STOP_MARKET", trailingAmount: String(1 + random.below(30)) },
    { ...common, type: "SYNTHETIC_LIMIT", price: "1" },
  ]);
}

async function load(task: ChildTask): Promise<void> {
  const { engine, quote } = await open(task);
  const random = createRandom(task.seed + task.round);
  const placed: number[] = [];
  let next = 0;
  const client = async (): Promise<void> => {
    for (;;) {
      const clientOrderId = `${task.round}-${next++}`;
      try {
        const { order } = await engine.place({ accountId: ACCOUNT, order: orderOf(random, clientOrderId) });
        placed.push(order.orderId);
        report({ kind: "acknowledged", clientOrderId, orderId: order.orderId });
      } catch {
        report({ kind: "refused", clientOrderId });
      }
      if (placed.length > 0 && random.below(8) === 0) {
        await engine.cancel({ accountId: ACCOUNT, orderId: random.pick(placed) }).catch(() => undefined);
      }
    }
  };
  const market = async (): Promise<void> => {
    for (;;) {
      quote(6_950 + random.below(100), `0.${1 + random.below(9)}`);
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
  await Promise.all([market(), ...Array.from({ length: CLIENTS }, client)]);
}

async function check(task: ChildTask): Promise<void> {
  const { engine, venue } = await open(task);
  const problems: string[] = [];
  for (let waited = 0; (await engine.idle()).inFlight > 0; waited++) {
    if (waited > 100) problems.push("I63: an outcome stayed unknown");
    if (waited > 100) break;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  const verification = await engine.verify();
  if (!verification.equal) problems.push(`I53: ${JSON.stringify(verification)}`);
  const orders: Record<string, number> = {};
  const executed = executedByParent(venue, problems);
  for (let afterOrderId = 0; ; ) {
    const page = await engine.page({
      accountId: ACCOUNT,
      includeHistory: true,
      newestFirst: false,
      limit: 1_000,
      afterOrderId,
    });
    for (const order of page.orders) {
      orders[order.intent.clientOrderId] = order.orderId;
      const there = executed.get(order.orderId) ?? 0n;
      if (BigInt(order.executedQuantity) !== there)
        problems.push(
          `I10: ${order.orderId} says ${formatQuantity(order.executedQuantity)}, the venue ${there}`,
        );
    }
    afterOrderId = page.nextOrderId;
    if (afterOrderId === 0) break;
  }
  report({ kind: "checked", problems, orders });
  await engine.close();
  await venue.close();
}

function executedByParent(venue: PaperVenue, problems: string[]): ReadonlyMap<number, bigint> {
  const executed = new Map<number, bigint>();
  for (const { clientOrderId, parentOrderId, executedQty, submissions } of venue.children()) {
    if (submissions > 1) problems.push(`I21: ${clientOrderId} was submitted ${submissions} times`);
    const [whole = "0", decimals = ""] = executedQty.split(".");
    executed.set(
      parentOrderId,
      (executed.get(parentOrderId) ?? 0n) + BigInt(whole + decimals.padEnd(6, "0")),
    );
  }
  return executed;
}

const task = JSON.parse(process.argv[2] ?? "{}") as ChildTask;
await (task.mode === "load" ? load(task) : check(task));
