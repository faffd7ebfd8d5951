import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createManualClock } from "../../../src/adapters/memory/index.ts";
import {
  backupSqliteStore,
  openSqliteStore,
  restoreSqliteStore,
  verifySqliteStore,
} from "../../../src/adapters/sqlite/index.ts";
import { archiveWriter } from "../../../src/adapters/sqlite/journal-lifetime.ts";
import { nextTurn } from "../../../src/common/index.ts";
import { createRandom, type Random } from "../../../src/common/random.ts";
import type { ParentOrder } from "../../../src/model/index.ts";
import { encodeParent, encodeRecord } from "../../../src/wire/index.ts";
import { sampleRecord } from "../../store/rules/samples.ts";
import { OCO } from "../../support/list-samples.ts";
import { fillOf, reported } from "../../support/scripted-venue.ts";
import { seedOr } from "../../support/seed.ts";
import { createWorld, type World } from "../../support/world.ts";
import { always, BEFORE, fill } from "../forgetting-samples.ts";
import { canBackUp, readValue, type TemporaryPlace, temporaryPlace } from "./temporary-place.ts";

const STOP = { side: "SELL", type: "STOP_MARKET", stopPrice: "80" } as const;
const HOUR_MS = 3_600_000;
/** Ended orders leave a bit more than an hour after their end. */
const SHORT = { retentionDays: 0.05, snapshotEvery: 9 };
const ALL = { includeHistory: true, newestFirst: false, limit: 500, afterOrderId: 0 };

let place: TemporaryPlace;
let [backup, archive] = ["", ""];
beforeEach(() => {
  place = temporaryPlace();
  backup = join(place.directory, "backup.db");
  archive = join(place.directory, "archive");
});
afterEach(() => place.remove());

const positionNow = (): number => Number(readValue(place.path, "SELECT max(position) FROM journal") ?? 0);

/** The orders of both accounts by id, each as text. */
async function ordersOf(world: World): Promise<ReadonlyMap<number, ParentOrder>> {
  const found = new Map<number, ParentOrder>();
  for (const accountId of [1, 2])
    for (const order of (await world.engine.page({ accountId, ...ALL })).orders)
      found.set(order.orderId, order);
  return found;
}

async function listsOf(world: World): Promise<readonly number[]> {
  const lists = await world.engine.openLists({ accountId: 1, limit: 500 });
  return lists.map(({ listId }) => listId).sort();
}

type Moment = Readonly<{
  timeMs: number;
  position: number;
  orders: ReadonlyMap<number, ParentOrder>;
  lists: readonly number[];
}>;

type Step = () => Promise<unknown>;

function stepsOf(world: World, random: Random): readonly Step[] {
  let names = 0;
  const name = (): string => `name-${++names}`;
  const named = () => ({
    ...{ listClientOrderId: name(), aboveClientOrderId: name(), belowClientOrderId: name() },
  });
  return [
    () => world.place({ price: random.pick(["90", "101"]), newClientOrderId: name() }),
    () => world.place({ ...STOP, newClientOrderId: name() }, 2),
    () => world.placeList("oco", { ...OCO, ...named() }),
    () => world.quote(random.pick(["79", "84", "100", "121"]), random.pick(["100", "101", "122"])),
    () => passTime(world, random.pick([60_000, HOUR_MS, 3 * HOUR_MS])),
    async () => {
      const open = [...(await ordersOf(world)).values()].find(({ ended }) => ended === undefined);
      if (open !== undefined) await world.cancel(open);
    },
    async () => {
      const child = world.venue.submitted[random.below(world.venue.submitted.length + 1)];
      if (child === undefined) return;
      world.venue.say(reported(child.childId, "closed", [fillOf({ quantity: "0.01", id: name() })]));
    },
  ];
}

/** Passes time, and lets a store that works in turns of the event loop finish in between. */
async function passTime(world: World, ms: number): Promise<void> {
  await world.clock.advanceBy(ms, async () => {
    await world.engine.idle();
    for (let turn = 0; turn < 8; turn++) await nextTurn();
  });
  await world.pass(0);
}

/** A life of random steps, with the state after each, and a backup of its end. */
async function life(forget: boolean, seed: number): Promise<Readonly<{ moments: readonly Moment[] }>> {
  const random = createRandom(seed);
  const journal = forget ? { prune: forget, archive } : {};
  const store = () => openSqliteStore({ exclusive: false, path: place.path, journal });
  const world = await createWorld({ store, settings: forget ? SHORT : { snapshotEvery: 30 } });
  world.venue.onSubmit = ({ childId, quantity }) =>
    reported(childId, "closed", [fillOf({ quantity, id: childId })]);
  const steps = stepsOf(world, random);
  await world.quote("100", "101");
  const moments: Moment[] = [];
  for (let step = 0; step < 60; step++) {
    await random.pick(steps)();
    await world.engine.idle();
    moments.push({
      timeMs: world.clock.nowMs(),
      position: positionNow(),
      orders: await ordersOf(world),
      lists: await listsOf(world),
    });
  }
  await backupSqliteStore({ path: place.path, to: backup });
  await world.engine.close();
  return { moments };
}

let copies = 0;

/** Restores the backup at a position, and checks its state against the one that was seen at that moment. */
async function expectState(
  moment: Moment,
  last: Moment,
  more: Readonly<{ archive?: string }>,
): Promise<void> {
  const path = join(place.directory, `restored-${++copies}.db`);
  const { position: at } = moment;
  await restoreSqliteStore({ from: backup, path, at, pause: false, ...more });
  expect(await verifySqliteStore({ path }), `position ${at}`).toMatchObject({ whole: true });
  // The next engine opens after the end of the old one, whatever the position is.
  const clock = () => createManualClock({ startMs: last.timeMs });
  const world = await createWorld({
    store: () => openSqliteStore({ exclusive: false, path }),
    settings: SHORT,
    clock,
  });
  const orders = await ordersOf(world);
  const isRetained = ({ orderId, ended }: ParentOrder): boolean =>
    ended === undefined || last.orders.has(orderId);
  const expected = [...moment.orders.values()].filter(isRetained).map(encodeParent).sort();
  expect([...orders.values()].map(encodeParent).sort(), `position ${at}`).toEqual(expected);
  expect(await listsOf(world)).toEqual(moment.lists);
  expect(await world.engine.verify(), `position ${at}`).toMatchObject({ equal: true });
  await world.engine.close();
}

describe.skipIf(!canBackUp)("a restore at a journal position", () => {
  it.each([1].map(seedOr))(
    "I53: has the state at that position, which is a fold of the journal up to it (SEED=%i)",
    async (seed) => {
      const { moments } = await life(false, seed);
      const random = createRandom(seed);
      const last = moments.at(-1);
      for (let count = 0; count < 4 && last !== undefined; count++)
        await expectState(random.pick(moments), last, {});
    },
    30_000,
  );

  it.each([3].map(seedOr))(
    "refuses a position of which records have left, and names the earliest; with the archive it has every position (SEED=%i)",
    async (seed) => {
      const { moments } = await life(true, seed);
      const random = createRandom(seed);
      const last = moments.at(-1);
      let refused = 0;
      for (let count = 0; count < 4 && last !== undefined; count++) {
        const moment = random.pick(moments);
        await expectState(moment, last, { archive });
        const path = join(place.directory, `plain-${count}.db`);
        const at = moment.position;
        const plain = restoreSqliteStore({ from: backup, path, at, pause: false });
        const failure = await plain.then(() => "", String);
        if (failure === "") await expectState(moment, last, {});
        else {
          refused++;
          const earliest = Number(/the earliest possible position is (\d+);/.exec(failure)?.[1]);
          expect(earliest, failure).toBeGreaterThan(at);
          const first = moments.find(({ position }) => position >= earliest);
          if (first !== undefined) await expectState(first, last, {});
        }
      }
      expect(refused).toBeGreaterThan(0);
    },
    60_000,
  );

  it("gives the canceled leg of a list its row again that was open at the position and has left since", async () => {
    const settings = { retentionDays: 0.05 };
    const world = await createWorld({
      store: () => openSqliteStore({ exclusive: false, path: place.path }),
      settings,
    });
    world.venue.onSubmit = ({ childId }) => reported(childId, "open");
    await world.quote("100", "101");
    await world.placeList("oco", {
      ...{ ...OCO, listClientOrderId: "list", aboveClientOrderId: "above", belowClientOrderId: "below" },
    });
    await world.quote("70", "71");
    await world.engine.idle();
    const [at, orders] = [positionNow(), await ordersOf(world)];
    const [{ childId = "", quantity = "" } = {}] = world.venue.submitted;
    world.venue.say(reported(childId, "closed", [fillOf({ quantity, id: childId })]));
    await world.engine.idle();
    await passTime(world, 9 * HOUR_MS);
    expect((await ordersOf(world)).size).toBe(0);
    await backupSqliteStore({ path: place.path, to: backup });
    await world.engine.close();
    const path = join(place.directory, "restored.db");
    await restoreSqliteStore({ from: backup, path, at, pause: false });
    const store = () => openSqliteStore({ exclusive: false, path });
    const next = await createWorld({ store, settings, clock: () => world.clock });
    expect(await ordersOf(next)).toEqual(orders);
    expect(await next.engine.verify()).toMatchObject({ equal: true });
    await next.engine.close();
  });

  it("refuses a position after the backup, and an archive that lacks records or is of another journal", async () => {
    const { moments } = await life(true, 5);
    const last = moments.at(-1)?.position ?? 0;
    const path = join(place.directory, "restored.db");
    for (const more of [{}, { archive }])
      await expect(restoreSqliteStore({ from: backup, path, at: last + 1, ...more })).rejects.toThrow(
        `backup.db ends at the journal position ${last}, before ${last + 1}`,
      );
    const other = join(place.directory, "other");
    const restore = (from: string) => restoreSqliteStore({ from: backup, path, archive: from });
    await expect(restore(other)).rejects.toThrow("does not exist");
    archiveWriter(other, { storeId: 1, hasArchive: false });
    await expect(restore(other)).rejects.toThrow(
      /^the archive lacks \d+ records up to the journal position \d+$/,
    );
    archiveWriter(other, { storeId: 1, hasArchive: false })(
      [{ text: encodeRecord(sampleRecord(3, 1)), position: last }],
      0,
    );
    await expect(restore(other)).rejects.toThrow("record 1 of shard 3 is not of this journal");
    expect(existsSync(path)).toBe(false);
  });

  it("refuses an archive that lacks the last records before the position, or a file that was cut there", async () => {
    const store = openSqliteStore({ exclusive: false, path: place.path, journal: { prune: true, archive } });
    await fill(store);
    await store.pruneEnded?.(BEFORE, always);
    await store.close();
    await backupSqliteStore({ path: place.path, to: backup });
    const [name = ""] = readdirSync(archive).filter((each) => each.endsWith(".ndjson"));
    const lines = readFileSync(join(archive, name), "utf8").split("\n");
    const retain = (isRetained: (sequence: number) => boolean): void =>
      writeFileSync(
        join(archive, name),
        lines.filter((line) => line === "" || isRetained(JSON.parse(line).record.sequence)).join("\n"),
      );
    const restore = async (to: string, at: number): Promise<number | undefined> => {
      const path = join(place.directory, to);
      const { shards } = await restoreSqliteStore({ from: backup, path, at, archive, pause: false });
      return shards[0]?.sequence;
    };
    // Only shard 3 has records, so positions are sequences. Records 7 and 8 are the last ones of orders 1 and 3.
    retain((sequence) => sequence !== 7 && sequence !== 8);
    await expect(restore("lacks.db", 8)).rejects.toThrow(
      "the archive lacks 2 records up to the journal position 8",
    );
    // What it lacks after the position is not needed.
    expect(await restore("before.db", 6)).toBe(6);
    retain((sequence) => sequence < 9);
    expect(await restore("whole.db", 8)).toBe(8);
  });
});
