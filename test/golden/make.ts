import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import Database from "better-sqlite3";
import fc from "fast-check";
import { openSqliteStore } from "../../src/adapters/sqlite/index.ts";
import type { ChildReport } from "../../src/model/index.ts";
import { encodeParent, encodeRecord } from "../../src/wire/index.ts";
import { anyParent, anyRecord } from "../support/arbitraries.ts";
import { createScriptedVenue, fillOf, reported } from "../support/scripted-venue.ts";
import { createWorld, START_MS, type World } from "../support/world.ts";
import { namesIn } from "./names.ts";

/** Number of samples to choose from, and the seed that creates them. */
const SAMPLES = { numRuns: 2_000, seed: 12 };

/** Selects the texts that contain a name not seen before: a small set that contains every name. */
function covering(texts: readonly string[]): readonly string[] {
  const seen = new Set<string>();
  return texts.filter((text) => {
    const names = [...namesIn(JSON.parse(text))];
    const isNew = names.some((name) => !seen.has(name));
    for (const name of names) seen.add(name);
    return isNew;
  });
}

const lines = (texts: readonly string[]): string => `${texts.join("\n")}\n`;

/** Turns in which all started work gets as far as it can without an answer. */
async function turns(): Promise<void> {
  for (let turn = 0; turn < 60; turn++) await new Promise((next) => setImmediate(next));
}

/**
 * Places orders of every type and lists of every form, in every state that a crash can leave; resolves to their ids.
 */
async function live(world: World): Promise<readonly number[]> {
  const ids: number[] = [];
  const place = async (order: Parameters<World["place"]>[0], account = 1) => {
    const placed = await world.place({ newClientOrderId: `golden-${ids.length + 1}`, ...order }, account);
    ids.push(placed.orderId);
    return placed;
  };
  await world.quote("99", "100");
  await place({ price: "90", childTimeInForce: "FOK" });
  await place({ price: "101" });
  const stop = await place({ side: "SELL", type: "STOP_MARKET", stopPrice: "80" });
  await world.engine.amend({
    ...{ accountId: 1, orderId: stop.orderId, amendId: "golden-amend" },
    changes: { stopPrice: "81", quantity: "1.5" },
  });
  await place({ side: "SELL", type: "STOP_LOSS_LIMIT", stopPrice: "95", price: "94.5", icebergQty: "0.4" });
  await place({ side: "SELL", type: "TAKE_PROFIT_MARKET", stopPrice: "120" });
  await place({ type: "TAKE_PROFIT_LIMIT", stopPrice: "85", price: "85.00000001" }, 2);
  await place({ side: "SELL", type: "TRAILING_STOP_MARKET", trailingDelta: 500 });
  await place({ type: "TRAILING_STOP_MARKET", price2: "2.5", stopPrice: "97" });
  await place({ side: "SELL", type: "TRAILING_STOP_LIMIT", trailingAmount: "9.5", limitOffset: "0.25" });
  await place({ type: "STOP_MARKET", stopPrice: "110", timeInForce: "GTD", expireTime: START_MS + 900_000 });
  await place({ type: "STOP_MARKET", stopPrice: "110", timeInForce: "GTD", expireTime: START_MS + 2_000 });
  await place({ type: "LIMIT_MAKER", price: "70" });
  await place({ type: "ICEBERG", price: "71", icebergQty: "0.25" });
  await place({ type: "TWAP", interval: 60_000, intervalCount: 4 });
  await place({ type: "VWAP", interval: 60_000, volumeProfile: "1,0,2", intervalDelay: 5_000 });
  await place({ type: "POV", participationBips: 1_000 });
  await world.cancel(await place({ type: "STOP_MARKET", stopPrice: "130" }));
  const leg = { Type: "STOP", StopPrice: "85" } as const;
  const pair = { side: "SELL", quantity: "1" } as const;
  await world.placeList("oco", {
    ...{ ...pair, aboveType: "LIMIT_MAKER", abovePrice: "200" },
    ...{ belowType: `${leg.Type}`, belowTrailingDelta: 300 },
  });
  const entry = { workingType: "LIMIT", workingSide: "BUY", workingQuantity: "1" } as const;
  await world.placeList("oto", {
    ...{ ...entry, workingPrice: "60" },
    ...{ pendingType: "STOP", pendingSide: "SELL", pendingQuantity: "1", pendingStopPrice: leg.StopPrice },
  });
  const bracket = await world.placeList("otoco", {
    ...{ ...entry, workingPrice: "102" },
    ...{
      pendingSide: "SELL",
      pendingQuantity: "1",
      pendingAboveType: "TAKE_PROFIT",
      pendingAboveStopPrice: "150",
    },
    ...{ pendingBelowType: "STOP_LOSS", pendingBelowStopPrice: "40" },
  });
  await world.pass(3_000);
  await world.print("5");
  await world.quote("103", "104");
  await world.quote("98", "99");
  world.venue.onSubmit = ({ childId }) =>
    reported(childId, "closed", [fillOf({ quantity: "0.4", price: "94" })]);
  await world.quote("94.7", "95");
  await inFlight(world, place);
  return [...ids, ...bracket.legs.map(({ orderId }) => orderId)];
}

/** Children that the venue has not answered, has open, and has failed to answer. */
async function inFlight(
  { venue, engine, clock, cancel }: World,
  place: (order: Parameters<World["place"]>[0]) => ReturnType<World["place"]>,
): Promise<void> {
  const quote = async (bid: string, ask: string): Promise<void> => {
    engine.market.quote({ symbol: "BTC/USD", bid, ask });
    await turns();
  };
  venue.onSubmit = () => "silence";
  venue.onLookup = () => new Error("no answer");
  const silent = await place({ price: "96" });
  await quote("94.8", "95.2");
  void cancel(silent);
  await turns();
  venue.onSubmit = ({ childId }): ChildReport =>
    reported(childId, "open", [fillOf({ quantity: "0.25", price: "95" })]);
  await place({ price: "96.5" });
  await quote("94.9", "95.1");
  venue.onSubmit = () => new Error("no answer");
  await place({ type: "STOP_MARKET", stopPrice: "95.3" });
  await quote("95.2", "95.4");
  await clock.advanceBy(90_000);
  await turns();
}

/** The file of a store whose engine was killed, compressed, and the parents in it. */
async function store(folder: string): Promise<Readonly<{ file: Buffer; parents: readonly string[] }>> {
  const path = join(folder, "orders.db");
  const world = await createWorld({
    venue: createScriptedVenue(),
    store: () => openSqliteStore({ path }),
    settings: { snapshotEvery: 8 },
  });
  const ids = await live(world);
  const parents = await Promise.all(ids.map(async (id) => encodeParent(await world.order(id))));
  const database = new Database(path);
  const copy = join(folder, "copy.db");
  database.exec(`VACUUM INTO '${copy}'`);
  database.close();
  return { file: gzipSync(readFileSync(copy), { level: 9 }), parents };
}

const [, , name] = process.argv;
if (name === undefined || !/^[a-z0-9-]+$/.test(name))
  throw new Error("name the version: npm run program -- golden NAME");
const folder = mkdtempSync(join(tmpdir(), "managed-orders-golden-"));
try {
  const { file, parents } = await store(folder);
  const into = (kind: string): string => `test/golden/files/${kind}-${name}`;
  writeFileSync(`${into("store")}.db.gz`, file);
  writeFileSync(`${into("parents")}.jsonl`, lines(parents));
  const [records, orders] = [fc.sample(anyRecord, SAMPLES), fc.sample(anyParent, SAMPLES)];
  writeFileSync(`${into("records")}.jsonl`, lines(covering(records.map(encodeRecord))));
  writeFileSync(`${into("orders")}.jsonl`, lines(covering(orders.map(encodeParent))));
} finally {
  rmSync(folder, { recursive: true, force: true });
}
// The killed engine still has its timers and its file.
process.exit(0);
