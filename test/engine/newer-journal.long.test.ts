import { afterEach, describe, expect, it } from "vitest";
import { createMemoryStore, type MemoryDisk } from "../../src/adapters/memory/index.ts";
import { openSqliteStore } from "../../src/adapters/sqlite/index.ts";
import { formatQuantity } from "../../src/decimal/index.ts";
import type { EngineSettings } from "../../src/engine/index.ts";
import type { OrderList } from "../../src/model/index.ts";
import type { OrderStore } from "../../src/ports/index.ts";
import {
  rowsIn,
  type TemporaryPlace,
  temporaryPlace,
  writeRows,
} from "../adapters/sqlite/temporary-place.ts";
import { legOf, OCO, OTOCO, storyOf } from "../support/list-samples.ts";
import { createMortalWorld, type MortalWorld } from "../support/mortal-world.ts";
import { fillOf, priceInside, reported } from "../support/scripted-venue.ts";
import { rewriteRows, storedRows } from "../support/stored-rows.ts";
import { createWorld, lineOf, listOf, type World } from "../support/world.ts";

/** A store whose texts a test changes as if a newer version had written them. */
type StoreKind = Readonly<{
  open: (disk: MemoryDisk) => OrderStore;
  rewrite: (change: Change) => void;
  /** The texts of all records and snapshots. */
  texts: () => readonly string[];
}>;
type Change = (text: string) => string;

const places: TemporaryPlace[] = [];
afterEach(() => {
  for (const { remove } of places.splice(0)) remove();
});

function memory(): StoreKind {
  let stored: MemoryDisk | undefined;
  return {
    open(disk) {
      stored = disk;
      return createMemoryStore({ disk });
    },
    rewrite(change) {
      if (stored === undefined) return;
      rewriteRows(stored, "log", change);
      rewriteRows(stored, "snap", change);
    },
    texts: () =>
      ["log", "snap"].flatMap((kind) => storedRows(stored as MemoryDisk, kind)).map(([, text]) => text),
  };
}

function sqlite(): StoreKind {
  const place = temporaryPlace();
  places.push(place);
  const { path } = place;
  return {
    open: () => openSqliteStore({ exclusive: false, path }),
    rewrite: (change) =>
      writeRows(
        path,
        ROWS.flatMap((kind) => rowsIn(path, kind)).map(([key, text]) => [key, change(text)]),
      ),
    texts: () => ROWS.flatMap((kind) => rowsIn(path, kind)).map(([, text]) => text),
  };
}

const ROWS = ["log", "snap"];

/** One stop that was triggered: its journal contains ACCEPTED, TRIGGERED and CHILD_INTENDED. */
async function triggeredStop(
  stored: StoreKind,
  settings: Partial<EngineSettings> = {},
): Promise<Readonly<{ world: World; shard: number }>> {
  const world = await createWorld({ store: stored.open, settings });
  await world.quote("100", "101");
  const order = await world.place({ type: "STOP_MARKET", side: "SELL", stopPrice: "90" });
  await world.quote("89", "90");
  await world.engine.close();
  return { world, shard: -order.orderId % 256 };
}

describe.each([
  ["memory", memory],
  ["sqlite", sqlite],
])("I53: a journal of a newer version on %s", (_name, storeOf) => {
  it("refuses to open at an unknown kind of fact, and names shard, record, kind and remedy", async () => {
    const stored = storeOf();
    const { world, shard } = await triggeredStop(stored);
    stored.rewrite((text) => text.replace('"kind":"TRIGGERED"', '"kind":"TRIGGER_MOVED"'));
    await expect(world.crash()).rejects.toThrow(
      `I53: journal record 2 of shard ${shard} cannot be read: it holds the fact kind "TRIGGER_MOVED", which this ` +
        "version does not know; a newer version of managed-orders wrote it: run that version",
    );
    // The attempt changed nothing: the version that knows the kind opens it unchanged.
    stored.rewrite((text) => text.replace('"kind":"TRIGGER_MOVED"', '"kind":"TRIGGERED"'));
    await world.crash();
    expect((await world.engine.verify()).equal).toBe(true);
    await world.engine.close();
  });

  it.each([
    ['"cause":{"kind":"QUOTE"', '"cause":{"kind":"ORACLE"', 'the cause kind "ORACLE"'],
    ['"trigger":{', '"trailingTo":5,"trigger":{', 'the member "trailingTo" of a fact TRIGGERED'],
    ['"attempt":1', '"attempt":1,"venue":"second"', 'the member "venue" of a child'],
    ['"sequence":2', '"sequence":2,"signature":"x"', 'the member "signature" of a record'],
  ])("refuses %s changed to %s", async (known, unknown, what) => {
    const stored = storeOf();
    const { world } = await triggeredStop(stored);
    stored.rewrite((text) => text.replace(known, unknown));
    const before = stored.texts();
    await expect(world.crash()).rejects.toThrow(what);
    expect(stored.texts()).toEqual(before);
  });

  it("refuses a record of a newer format, and names the remedy", async () => {
    const stored = storeOf();
    const { world, shard } = await triggeredStop(stored);
    stored.rewrite((text) => text.replace('"v":1', '"v":2'));
    await expect(world.crash()).rejects.toThrow(
      `I53: journal record 1 of shard ${shard} cannot be read: it has the format 2, which this version does not ` +
        "know; a newer version of managed-orders wrote it: run that version",
    );
  });

  it.each([
    ['"intent":{', '"intent":{"maxSlippage":5,', 'the member "maxSlippage" of an intent'],
    ['"parent":{', '"parent":{"mood":1,', 'the member "mood" of a parent'],
    ['"side":"SELL"', '"side":"SHORT"', 'a word in the member "side" of an intent'],
  ])(
    "refuses a snapshot with %s changed to %s, and opens it again as it was",
    async (known, unknown, what) => {
      const stored = storeOf();
      const world = await createWorld({ store: stored.open, settings: { snapshotEvery: 1 } });
      const order = await world.place({ type: "STOP_MARKET", side: "SELL", stopPrice: "90" });
      await world.engine.close();
      expect(stored.texts().filter((text) => text.includes('"parent":{'))).not.toEqual([]);
      const inParents: (from: string, to: string) => Change = (from, to) => (text) =>
        text.includes('"parent":{') ? text.replace(from, to) : text;
      stored.rewrite(inParents(known, unknown));
      const before = stored.texts();
      const words = `parent order ${order.orderId} cannot be read: it holds ${what}, which this version does not know`;
      await expect(world.crash()).rejects.toThrow(words);
      expect(stored.texts()).toEqual(before);
      stored.rewrite(inParents(unknown, known));
      await world.crash();
      expect(await world.status(order)).toBe("NEW WAITING");
      await world.engine.close();
    },
  );

  it("one such shard stops the whole opening, and no other shard acts", async () => {
    const stored = storeOf();
    const { world, shard } = await triggeredStop(stored);
    await world.crash();
    const other = await world.place({ type: "STOP_MARKET", side: "SELL", stopPrice: "90" }, 2);
    expect(-other.orderId % 256).not.toBe(shard);
    await world.engine.close();
    const sent = world.venue.submitted.length;
    stored.rewrite((text) => text.replace('"kind":"TRIGGERED"', '"kind":"TRIGGER_MOVED"'));
    await expect(world.crash()).rejects.toThrow(`of shard ${shard} cannot be read`);
    await world.clock.advanceBy(60_000);
    expect(world.venue.submitted).toHaveLength(sent);
    stored.rewrite((text) => text.replace('"kind":"TRIGGER_MOVED"', '"kind":"TRIGGERED"'));
    await world.crash();
    expect(await world.status(other)).toBe("NEW WAITING");
    await world.engine.close();
  });
});

/** The venue executes at most 0.6 of a child at once. */
const open = (dieAt: number): Promise<MortalWorld> =>
  createMortalWorld({
    dieAt,
    settings: { snapshotEvery: 2 },
    answer: (child) => {
      const size = formatQuantity(child.quantity) === "1" ? "0.6" : formatQuantity(child.quantity);
      return reported(child.childId, "closed", [fillOf({ quantity: size, price: priceInside(child) })]);
    },
  });

async function placed(mortal: MortalWorld, form: "otoco" | "oco"): Promise<OrderList> {
  const list =
    form === "oco"
      ? listOf("oco", { ...OCO, listClientOrderId: "trade" })
      : listOf("otoco", { ...OTOCO, listClientOrderId: "trade" });
  const { world, attempt } = mortal;
  const place = () => world.engine.placeList({ accountId: 1, list });
  await attempt(place);
  return (await place()).list;
}

/** Quotes that fill the entry, then meet the limit of the exit, until the list is done. */
async function traded(mortal: MortalWorld, list: OrderList): Promise<readonly string[]> {
  const { world, quote, pass } = mortal;
  for (let round = 0; round < 40; round++) {
    const [first, ...others] = (await world.list(list)).legs;
    const isOut = [first, ...others].every((leg) => leg?.ended !== undefined);
    if (isOut) break;
    const entering = first?.list?.role === "working" && first.ended === undefined;
    await (entering ? quote("99", "100") : quote("110", "111"));
    await pass(1_000);
  }
  return (await world.list(list)).legs.map(lineOf);
}

describe.each(["otoco", "oco"] as const)("I01, I20, I21, I40, I41: %s", (form) => {
  it("a crash at any point does not change the trades", async () => {
    const whole = await open(0);
    const ends = await traded(whole, await placed(whole, form));
    expect(ends).toEqual(
      form === "oco"
        ? ["CANCELED CANCELED", "FILLED FILLED"]
        : ["FILLED FILLED", "CANCELED CANCELED", "FILLED FILLED"],
    );
    expect(new Set(whole.points).size).toBe(10);
    for (let dieAt = 1; dieAt <= whole.points.length; dieAt++) {
      const mortal = await open(dieAt);
      const list = await placed(mortal, form);
      const at = `dies at ${dieAt}: ${whole.points[dieAt - 1]}`;
      expect([at, ...(await traded(mortal, list))]).toEqual([at, ...ends]);
      const { world } = mortal;
      for (const leg of list.legs) {
        const size = leg.list?.role === "protective" ? "0" : "1";
        expect([at, leg.list?.role, await world.executed(leg)]).toEqual([at, leg.list?.role, size]);
      }
      const story = (await storyOf(world, list)).join(" | ");
      expect([at, story.match(/RELEASED/g)?.length]).toEqual([at, form === "oco" ? undefined : 2]);
      expect([at, story.match(/OCO_TRIGGER/g)?.length]).toEqual([at, 1]);
      expect(story.indexOf("OCO_TRIGGER")).toBeLessThan(story.lastIndexOf("profit: CHILD_INTENDED"));
      const profit = world.venue.submitted.filter(
        ({ parentOrderId }) => parentOrderId === legOf(list, "profit").orderId,
      );
      expect([at, profit.length]).toEqual([at, 2]);
      expect((await world.engine.verify()).equal, at).toBe(true);
    }
  });
});
