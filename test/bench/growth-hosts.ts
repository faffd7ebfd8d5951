import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openSqliteStore } from "../../src/adapters/sqlite/index.ts";
import { quantity } from "../../src/decimal/index.ts";
import { managedIdOf, shardOf } from "../../src/lifecycle/index.ts";
import type { Fill, Instrument, ParentOrder } from "../../src/model/index.ts";
import type { OrderStore } from "../../src/ports/index.ts";
import { endedOrder, keepEnded } from "../store/rules/samples.ts";
import { createScriptedVenue, fillOf, reported } from "../support/scripted-venue.ts";
import { ACCOUNT, createWorld, INSTRUMENTS, SYMBOL, type World } from "../support/world.ts";
import { type Case, medianMsOf, msOf, SIZES } from "./growth-case.ts";

const PAGES = 200;

/** Measures a parent whose every child is one part with one fill. */
async function manyChildren(n: number): Promise<number> {
  const world = await createWorld();
  await world.quote("100", "101");
  await world.place({ price: "110", quantity: String(n), icebergQty: "1" });
  return await msOf(async () => {
    for (let child = 0; child < n; child++) await world.quote("100", "101");
    if (world.venue.submitted.length < n) throw new Error("a quote sent no child");
  });
}

/** Measures one child whose every report contains one more fill; `received` counts the fills of all reports. */
async function cumulativeReports(received: number): Promise<number> {
  const reports = Math.round(Math.sqrt(2 * received));
  const venue = createScriptedVenue();
  venue.onSubmit = (child) => reported(child.childId, "open");
  const world = await createWorld({ venue });
  await world.place({ price: "110", quantity: String(reports + 1) });
  await world.quote("100", "101");
  const childId = venue.submitted[0]?.childId ?? "";
  const fills: Fill[] = [];
  return await msOf(async () => {
    for (let report = 0; report < reports; report++) {
      fills.push(fillOf({ quantity: "1" }));
      venue.say(reported(childId, "open", fills));
      await world.engine.idle();
    }
  });
}

/** Measures reduce-only stops of one account that one quote triggers. */
async function reduceOnlyStops(n: number): Promise<number> {
  const world = await createWorld();
  world.exposure.set({ accountId: ACCOUNT, symbol: SYMBOL, quantity: quantity(String(n)) });
  await world.quote("100", "101");
  const stop = { side: "SELL", type: "STOP_MARKET", stopPrice: "90", reduceOnly: true } as const;
  await inTurns(n, (id) => world.place({ ...stop, newClientOrderId: `stop-${id}` }));
  const ms = await msOf(() => world.quote("89", "90"));
  if (world.venue.submitted.length < n) throw new Error("a stop did not fire");
  return ms;
}

/** Measures a page of the history of an account on SQLite. */
async function historyPage(n: number): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), "managed-orders-growth-"));
  try {
    const store = openSqliteStore({ path: join(folder, "orders.db") });
    await fillHistory(store, n);
    const world = await createWorld({ store: () => store });
    const page = { accountId: ACCOUNT, includeHistory: true, newestFirst: true, limit: 10, afterOrderId: 0 };
    const ms = await medianMsOf(PAGES, async () => {
      const { total } = await world.engine.page(page);
      if (total !== n) throw new Error(`a page told of ${total} orders`);
    });
    await world.engine.close();
    return ms;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function fillHistory(store: OrderStore, n: number): Promise<void> {
  await store.acquire();
  const shard = shardOf(ACCOUNT);
  for (let from = 0; from < n; from += 1_000) {
    const count = Math.min(1_000, n - from);
    const ids = Array.from({ length: count }, (_, k) => managedIdOf({ count: from + k + 1, shard }));
    const ended = ids.map((orderId) => endedOrder({ orderId, accountId: ACCOUNT }));
    await keepEnded(store, ended, shard);
  }
}

/** Measures a page of ten of an account's open lists. */
async function openListsPage(n: number): Promise<number> {
  const world = await createWorld();
  await inTurns(n, (id) =>
    world.placeList("oco", {
      listClientOrderId: `list-${id}`,
      side: "SELL",
      quantity: "1",
      aboveType: "LIMIT",
      abovePrice: "120",
      belowType: "STOP_LOSS",
      belowStopPrice: "80",
    }),
  );
  return await medianMsOf(PAGES, async () => {
    const page = await world.engine.openLists({ accountId: ACCOUNT, limit: 10 });
    if (page.length !== 10) throw new Error("the page is not full");
  });
}

/** Measures a placement, and so a commit, with many quoted markets that have an open order. */
async function commitAmongMarkets(n: number): Promise<number> {
  const world = await createWorld({ instruments: marketsOf(n) });
  for (let id = 0; id < n; id++) await placeIn(world, `COIN${id}/USD`, `resting-${id}`);
  for (let id = 0; id < n; id++)
    world.engine.market.quote({ symbol: `COIN${id}/USD`, bid: "100", ask: "101" });
  await placeIn(world, SYMBOL, "settles");
  let placed = 0;
  return await medianMsOf(PAGES, () => placeIn(world, SYMBOL, `next-${placed++}`));
}

const placeIn = (world: World, symbol: string, newClientOrderId: string): Promise<ParentOrder> =>
  world.place({ symbol, price: "50", newClientOrderId });

function marketsOf(n: number): readonly Instrument[] {
  const [first] = INSTRUMENTS;
  if (first === undefined) throw new Error("there is no market to copy");
  const others = Array.from({ length: n }, (_, id): Instrument => {
    return { ...first, id: id + 10, symbol: `COIN${id}/USD`, aliases: [], baseAsset: `COIN${id}` };
  });
  return [first, ...others];
}

/** Measures copies of one placement that arrive at once. */
async function copies(n: number): Promise<number> {
  const world = await createWorld();
  return await msOf(async () => {
    const copy = () => world.place({ price: "50", newClientOrderId: "one" });
    const orders = await Promise.all(Array.from({ length: n }, copy));
    if (new Set(orders.map(({ orderId }) => orderId)).size !== 1) throw new Error("copies made two orders");
  });
}

/** Runs many placements, 500 at a time. */
async function inTurns(n: number, place: (id: number) => Promise<unknown>): Promise<void> {
  for (let from = 0; from < n; from += 500) {
    const ids = Array.from({ length: Math.min(500, n - from) }, (_, k) => from + k);
    await Promise.all(ids.map(place));
  }
}

/** Sizes that an account or a host can increase. */
export const HOST_CASES: readonly Case[] = [
  { name: "(a) one-fill children of a parent", sizes: SIZES, take: manyChildren },
  {
    name: "(a) fills in cumulative reports",
    sizes: [1_000, 10_000, 100_000, 1_000_000],
    take: cumulativeReports,
  },
  { name: "(b) reduce-only stops on one quote", sizes: SIZES, take: reduceOnlyStops },
  { name: "(c) page of a history", sizes: [300, 3_000, 30_000, 300_000], take: historyPage },
  { name: "(d) page of open lists", sizes: SIZES, take: openListsPage },
  { name: "(e) commit among markets", sizes: [10, 100, 1_000, 10_000], take: commitAmongMarkets },
  { name: "(f) copies of one client id", sizes: SIZES, take: copies },
];
