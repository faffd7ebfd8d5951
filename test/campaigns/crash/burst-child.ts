import { appendFileSync, existsSync, readFileSync } from "node:fs";
import {
  createMemoryAccounts,
  createMemoryExposure,
  createMemoryInstruments,
} from "../../../src/adapters/memory/index.ts";
import { createEntropy, createSystemClock } from "../../../src/adapters/node/index.ts";
import { openSqliteStore } from "../../../src/adapters/sqlite/index.ts";
import { type Engine, openEngine } from "../../../src/engine/index.ts";
import type { ChildRequest } from "../../../src/model/index.ts";
import { orderIntent } from "../../../src/requests/index.ts";
import { createScriptedVenue, filled } from "../../support/scripted-venue.ts";
import { STORE_THREAD } from "../../support/store-thread.ts";
import { INSTRUMENTS, SYMBOL } from "../../support/world.ts";

/**
 * How the process is started: it is killed when the venue has received a given number of children, or it completes the
 * rest.
 */
export type BurstTask = Readonly<{ folder: string; orders: number; dieAfter?: number }>;

/** The result that it prints at its end. */
export type BurstReport = Readonly<{ equal: boolean; open: number; orders: number; sent: readonly number[] }>;

const ACCOUNTS = 32;
const TOGETHER = 500;
const PATIENCE_MS = 60_000;
/** Turns from one quote to the next. */
const QUOTE_EVERY = 20;

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** A venue that writes a line for each child it receives to a file that outlives the process. */
function venueOf({ folder, dieAfter }: BurstTask) {
  const path = `${folder}/sent`;
  const lines = existsSync(path) ? readFileSync(path, "utf8").split("\n").filter(Boolean) : [];
  const sent = new Set(lines.map((line) => line.split(" ")[0]));
  const venue = createScriptedVenue({ canVoid: true });
  const parents = lines.map((line) => Number(line.split(" ")[1]));
  venue.onSubmit = (child: ChildRequest) => {
    appendFileSync(path, `${child.childId} ${child.parentOrderId}\n`);
    parents.push(child.parentOrderId);
    if (parents.length === dieAfter) process.kill(process.pid, "SIGKILL");
    return filled(child);
  };
  venue.onLookup = (child) => (sent.has(child.childId) ? filled(child) : "not-found");
  return { venue, parents };
}

async function open(task: BurstTask): Promise<Readonly<{ engine: Engine; parents: readonly number[] }>> {
  const { venue, parents } = venueOf(task);
  const accounts = Array.from({ length: ACCOUNTS }, (_, n) => ({
    account: { accountId: n + 1, userId: n + 1, enableDataSharing: true, delegates: [], restricted: false },
    keys: [],
  }));
  const engine = await openEngine({
    store: openSqliteStore({ path: `${task.folder}/orders.db`, ...STORE_THREAD }),
    instruments: createMemoryInstruments(INSTRUMENTS),
    accounts: createMemoryAccounts(accounts),
    exposure: createMemoryExposure(),
    venue,
    clock: createSystemClock(),
    entropy: createEntropy(),
    settings: {
      ...{ advancedOrders: true, snapshotEvery: 500, submitDeadlineMs: 1_000, venueQuietMs: 50 },
      ...{ retryMinMs: 10, retryMaxMs: 50, quoteMaxAgeMs: 60_000 },
    },
  });
  return { engine, parents };
}

async function place(engine: Engine, orders: number): Promise<void> {
  for (let from = 0; from < orders; from += TOGETHER) {
    const placing = Array.from({ length: Math.min(TOGETHER, orders - from) }, (_, k) => {
      const n = from + k;
      const intent = orderIntent({
        ...{ symbol: SYMBOL, side: "SELL", type: "STOP_MARKET", quantity: "1", stopPrice: "95" },
        newClientOrderId: `burst-${n}`,
      });
      return engine.place({ accountId: 1 + (n % ACCOUNTS), intent });
    });
    await Promise.all(placing);
  }
}

async function run(task: BurstTask): Promise<void> {
  const { engine, parents } = await open(task);
  const quote = (bid: string, ask: string): unknown => engine.market.quote({ symbol: SYMBOL, bid, ask });
  if (task.dieAfter !== undefined) {
    quote("100", "101");
    await place(engine, task.orders);
  }
  const untilMs = Date.now() + PATIENCE_MS;
  for (let turns = 0; engine.metrics().openParents > 0 && Date.now() < untilMs; turns++) {
    if (turns % QUOTE_EVERY === 0) quote("90", "91");
    await turn();
  }
  const { equal } = await engine.verify();
  const report: BurstReport = {
    equal,
    open: engine.metrics().openParents,
    orders: task.orders,
    sent: parents,
  };
  await engine.close();
  process.stdout.write(`${JSON.stringify(report)}\n`);
}

await run(JSON.parse(process.argv[2] ?? "{}") as BurstTask);
