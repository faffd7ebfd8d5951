import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import {
  createMemoryAccounts,
  createMemoryExposure,
  createMemoryInstruments,
} from "../../src/adapters/memory/index.ts";
import { createSystemClock } from "../../src/adapters/node/index.ts";
import { openSqliteStore } from "../../src/adapters/sqlite/index.ts";
import { type Engine, openEngine } from "../../src/engine/index.ts";
import { listIntent, orderIntent } from "../../src/requests/index.ts";
import { encodeRecord } from "../../src/wire/index.ts";
import { createScriptedVenue } from "../support/scripted-venue.ts";
import { INSTRUMENTS } from "../support/world.ts";
import { figure, medianOf, printTable, secondsOf } from "./measure.ts";

const BATCH = 64;
const ACCOUNTS = 64;
const PLACEMENTS = 20_000;
const RESTING = 100_000;
const RUNS = 3;
const IN_FLIGHT = [64, 512];

const clock = createSystemClock();

function open(path: string): Promise<Engine> {
  const account = (accountId: number) => ({
    account: { accountId, userId: accountId, enableDataSharing: true, delegates: [], restricted: false },
    keys: [],
  });
  return openEngine({
    store: openSqliteStore({ path }),
    instruments: createMemoryInstruments(INSTRUMENTS),
    accounts: createMemoryAccounts(Array.from({ length: ACCOUNTS }, (_, n) => account(n + 1))),
    exposure: createMemoryExposure(),
    venue: createScriptedVenue(),
    clock,
    entropy: { token: () => "unused" },
    settings: { advancedOrders: true },
  });
}

const intentOf = (n: number) =>
  orderIntent({
    symbol: "BTC/USD",
    side: "SELL",
    type: "STOP_LOSS_LIMIT",
    quantity: "0.125",
    stopPrice: `${5_000 + (n % 1_000)}.25`,
    price: `${4_990 + (n % 1_000)}.25`,
    newClientOrderId: `bench-order-number-${n}`,
  });

const otocoOf = (n: number) =>
  listIntent("otoco", {
    symbol: "BTC/USD",
    listClientOrderId: `bench-list-${n}`,
    workingType: "LIMIT",
    workingSide: "BUY",
    workingQuantity: "0.125",
    workingPrice: `${4_000 + (n % 1_000)}.25`,
    workingClientOrderId: `bench-entry-${n}`,
    pendingSide: "SELL",
    pendingQuantity: "0.125",
    pendingAboveType: "LIMIT",
    pendingAbovePrice: "9000",
    pendingAboveClientOrderId: `bench-profit-${n}`,
    pendingBelowType: "STOP_LOSS",
    pendingBelowStopPrice: "3000",
    pendingBelowClientOrderId: `bench-stop-${n}`,
  });

type Run = Readonly<{ from: number; count: number; inFlight: number }>;

/** Commands per second; `inFlight` of them are awaited together. They are made before the time is taken. */
async function timed<T>(
  { from, count, inFlight }: Run,
  make: (n: number) => T,
  send: (accountId: number, command: T) => Promise<unknown>,
): Promise<number> {
  const commands = Array.from({ length: count }, (_, k) => make(from + k));
  const start = process.hrtime.bigint();
  for (let n = 0; n < count; n += inFlight) {
    const together = commands.slice(n, n + inFlight);
    await Promise.all(together.map((command, k) => send(((n + k) % ACCOUNTS) + 1, command)));
  }
  return count / (Number(process.hrtime.bigint() - start) / 1e9);
}

const place = (engine: Engine, run: Run): Promise<number> =>
  timed(run, intentOf, (accountId, intent) => engine.place({ accountId, intent }));

const placeLists = (engine: Engine, run: Run): Promise<number> =>
  timed(run, otocoOf, (accountId, list) => engine.placeList({ accountId, list }));

/** The limit: the same bytes into one table, in the same batches, with the same durability. */
function rawInserts(path: string, texts: readonly string[]): number {
  const database = new Database(path);
  database.pragma("journal_mode = WAL");
  database.pragma("synchronous = FULL");
  database.exec("CREATE TABLE raw (id INTEGER PRIMARY KEY, record TEXT NOT NULL)");
  const insert = database.prepare("INSERT INTO raw (record) VALUES (?)");
  const batch = database.transaction((rows: readonly string[]) => {
    for (const row of rows) insert.run(row);
  });
  const seconds = secondsOf(() => {
    for (let n = 0; n < texts.length; n += BATCH) batch(texts.slice(n, n + BATCH));
  });
  database.close();
  return texts.length / seconds;
}

/** Durable placements against raw inserts of the same bytes. */
export async function benchPlacements(): Promise<void> {
  await inFolder(async (folder) => {
    const engine = await open(join(folder, "orders.db"));
    const { order } = await engine.place({ accountId: 1, intent: intentOf(-1) });
    const record = (await engine.story(order.orderId))?.records[0];
    const bytes = record === undefined ? "" : encodeRecord(record);
    const raw: number[] = [];
    const placed: number[][] = IN_FLIGHT.map(() => []);
    for (let run = 0; run < RUNS; run++) {
      raw.push(rawInserts(join(folder, `raw-${run}.db`), new Array<string>(PLACEMENTS).fill(bytes)));
      for (const [index, inFlight] of IN_FLIGHT.entries()) {
        const from = (run * IN_FLIGHT.length + index) * PLACEMENTS;
        placed[index]?.push(await place(engine, { from, count: PLACEMENTS, inFlight }));
      }
    }
    await engine.close();
    const limit = medianOf(raw);
    printTable(
      `Durable placements on SQLite; raw inserts of the same ${bytes.length} bytes in batches of ${BATCH}`,
      [
        ["in flight", "engine, placements/s", "raw inserts, rows/s", "raw / engine"],
        ...IN_FLIGHT.map((inFlight, index) => {
          const ours = medianOf(placed[index] ?? []);
          return [String(inFlight), figure(ours), figure(limit), `${figure(limit / ours)}x`];
        }),
      ],
    );
  });
}

/** Durable lists of three legs against single parents, in turns on one store. */
export async function benchLists(): Promise<void> {
  await inFolder(async (folder) => {
    const engine = await open(join(folder, "orders.db"));
    const count = PLACEMENTS / 4;
    const singles: number[] = [];
    const lists: number[] = [];
    for (let run = 0; run < RUNS; run++) {
      singles.push(await place(engine, { from: run * PLACEMENTS, count: PLACEMENTS, inFlight: 512 }));
      lists.push(await placeLists(engine, { from: run * count, count, inFlight: 512 }));
    }
    await engine.close();
    const [single, list] = [medianOf(singles), medianOf(lists)];
    printTable("Durable OTOCO lists (3 legs) on SQLite against single parents, 512 in flight", [
      ["lists/s", "legs/s", "single parents/s", "legs / single parents"],
      [figure(list), figure(3 * list), figure(single), `${figure((3 * list) / single)}x`],
    ]);
  });
}

const residentBytes = (): number => {
  globalThis.gc?.();
  return process.memoryUsage().rss;
};

/** Memory per resting parent and the time of a restart, in a process that does nothing else. */
export async function benchResting(): Promise<void> {
  await inFolder(async (folder) => {
    const path = join(folder, "orders.db");
    const engine = await open(path);
    await place(engine, { from: 0, count: 2_000, inFlight: 512 });
    const before = residentBytes();
    await place(engine, { from: 2_000, count: RESTING - 2_000, inFlight: 512 });
    const perParent = (residentBytes() - before) / (RESTING - 2_000);
    await engine.close();
    globalThis.gc?.();
    const start = process.hrtime.bigint();
    const again = await open(path);
    const restartMs = Number(process.hrtime.bigint() - start) / 1e6;
    printTable(`${figure(again.metrics().openParents)} open parents`, [
      ["RSS per resting parent, bytes", "restart, ms", "parents/s while restarting"],
      [figure(perParent), figure(restartMs), figure(RESTING / (restartMs / 1e3))],
    ]);
    await again.close();
  });
}

async function inFolder(run: (folder: string) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "managed-orders-bench-"));
  try {
    await run(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
