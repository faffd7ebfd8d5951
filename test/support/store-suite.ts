import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { price } from "../../src/decimal/index.ts";
import { SHARD_COUNT } from "../../src/lifecycle/index.ts";
import { ExecutionIds } from "../../src/model/index.ts";
import type { EndedName } from "../../src/ports/index.ts";
import { encodeRecord } from "../../src/wire/index.ts";
import {
  endedOrder,
  keepEnded,
  openOrder,
  part,
  sampleMark,
  sampleRecord,
  sampleRecords,
} from "./store-samples.ts";
import { priceBars } from "./store-suite-bars.ts";
import { endedLists, listRetention } from "./store-suite-lists.ts";
import { lastQuotes } from "./store-suite-quotes.ts";
import { rounds } from "./store-suite-rounds.ts";
import { executedVolume } from "./store-suite-volume.ts";
import type { StorePlace, StoreWorld as World } from "./store-world.ts";

const idsOf = (orders: readonly Readonly<{ orderId: number }>[]): readonly number[] =>
  orders.map(({ orderId }) => orderId);
const sequencesOf = (records: readonly Readonly<{ sequence: number }>[]): readonly number[] =>
  records.map(({ sequence }) => sequence);
const all = { after: 0, limit: 1_000 };

/** Every sentence of the order store port as tests; each adapter runs them all. */
export function storeSuite(name: string, createPlace: () => StorePlace): void {
  describe(`order store: ${name}`, () => {
    const world = {} as World;
    beforeEach(async () => {
      world.place = createPlace();
      world.store = world.place.open();
      await world.store.acquire();
    });
    afterEach(async () => {
      await world.store.close();
      world.place.remove();
    });
    describe("ownership", () => ownership(world));
    describe("rounds", () => rounds(world));
    describe("journal", () => journal(world));
    describe("snapshots", () => snapshots(world));
    describe("market journal", () => marketJournal(world));
    describe("last quotes", () => lastQuotes(world));
    describe("ended parents", () => endedParents(world));
    describe("pages", () => pages(world));
    describe("ended lists", () => endedLists(world));
    describe("retention", () => {
      retention(world);
      listRetention(world);
    });
    describe("executed volume", () => executedVolume(world, createPlace));
    describe("price bars", () => priceBars(world, createPlace));
    describe("lifetime", () => lifetime(world));
  });
}

function ownership(world: World): void {
  it("acquire takes every shard over and returns all heads; each epoch rises by one", async () => {
    await world.store.append({ shards: [part(7, 1, { records: sampleRecords(7, 1, 2) })], marks: [] });
    const heads = await world.store.acquire();
    expect(heads.map(({ shard }) => shard)).toEqual(Array.from({ length: SHARD_COUNT }, (_, shard) => shard));
    expect(new Set(heads.map(({ epoch }) => epoch))).toEqual(new Set([2]));
    expect(heads[7]).toEqual({ shard: 7, epoch: 2, sequence: 2 });
    expect(await world.store.head(7)).toEqual({ shard: 7, epoch: 2, sequence: 2 });
  });

  it("I60: an append with an old epoch is fenced and writes nothing", async () => {
    const later = world.place.open();
    await later.acquire();
    const ended = [endedOrder({ orderId: -256 })];
    const batch = { shards: [part(0, 1, { records: [sampleRecord(0, 1)], ended })], marks: [sampleMark()] };
    expect(await world.store.append(batch)).toEqual(["fenced"]);
    expect(await later.head(0)).toEqual({ shard: 0, epoch: 2, sequence: 0 });
    expect(await later.readRecords({ shard: 0, ...all })).toEqual([]);
    expect(await later.findEnded({ accountId: 1, orderId: -256 })).toBeUndefined();
    expect(await later.readMarks()).toEqual([]);
    await later.close();
  });

  it("I60: of two handles on one store only the later one appends, and the earlier one can detect it", async () => {
    const later = world.place.open();
    await later.acquire();
    const first = { records: [sampleRecord(3, 1)] };
    expect(await world.store.append({ shards: [part(3, 1, first)], marks: [] })).toEqual(["fenced"]);
    expect(await later.append({ shards: [part(3, 2, first)], marks: [] })).toEqual(["durable"]);
    expect((await world.store.head(3)).epoch).toBe(2);
    expect(sequencesOf(await world.store.readRecords({ shard: 3, ...all }))).toEqual([1]);
    await later.close();
  });

  it("I60: a shard without an owner accepts nothing", async () => {
    const place = world.place.open();
    expect(
      await place.append({ shards: [part(0, 0, { records: [sampleRecord(0, 1)] })], marks: [] }),
    ).toEqual(["fenced"]);
    expect(
      await place.append({ shards: [part(0, 2, { records: [sampleRecord(0, 1)] })], marks: [] }),
    ).toEqual(["fenced"]);
    await place.close();
  });

  it("a shard that does not exist is refused", async () => {
    await expect(world.store.head(SHARD_COUNT)).rejects.toThrow(RangeError);
    await expect(world.store.readRecords({ shard: -1, ...all })).rejects.toThrow(RangeError);
    const records = [sampleRecord(SHARD_COUNT, 1)];
    const append = world.store.append({ shards: [part(SHARD_COUNT, 1, { records })], marks: [] });
    await expect(append).rejects.toThrow(RangeError);
  });
}

function journal(world: World): void {
  it("records are returned in order, above `after`, at most `limit`", async () => {
    const records = sampleRecords(9, 1, 10);
    expect(await world.store.append({ shards: [part(9, 1, { records })], marks: [] })).toEqual(["durable"]);
    expect(await world.store.readRecords({ shard: 9, ...all })).toEqual(records);
    expect(sequencesOf(await world.store.readRecords({ shard: 9, after: 3, limit: 2 }))).toEqual([4, 5]);
    expect(await world.store.readRecords({ shard: 9, after: 10, limit: 5 })).toEqual([]);
    expect(await world.store.readRecords({ shard: 8, ...all })).toEqual([]);
  });

  it("decision EJ: texts that come with the records are stored; missing ones are generated", async () => {
    const [record, later] = [sampleRecord(7, 1), { ...sampleRecord(7, 1), timeMs: 77 }];
    const given = { ...part(7, 1, { records: [record] }), texts: [encodeRecord(later)] };
    const made = part(7, 1, { records: [sampleRecord(7, 2)] });
    await world.store.append({ shards: [given], marks: [] });
    await world.store.append({ shards: [made], marks: [] });
    expect(await world.store.readRecords({ shard: 7, ...all })).toEqual([later, sampleRecord(7, 2)]);
  });

  it("I54: records that do not follow the last one are fenced", async () => {
    const append = (from: number, to: number) =>
      world.store.append({ shards: [part(1, 1, { records: sampleRecords(1, from, to) })], marks: [] });
    expect(await append(2, 3)).toEqual(["fenced"]);
    expect(await append(1, 2)).toEqual(["durable"]);
    expect(await append(1, 2)).toEqual(["fenced"]);
    expect(await append(2, 3)).toEqual(["fenced"]);
    expect(await append(4, 4)).toEqual(["fenced"]);
    expect(await append(3, 3)).toEqual(["durable"]);
    expect((await world.store.head(1)).sequence).toBe(3);
  });

  it("I54: records with a gap inside are fenced as a whole", async () => {
    const records = [sampleRecord(1, 1), sampleRecord(1, 3)];
    expect(await world.store.append({ shards: [part(1, 1, { records })], marks: [] })).toEqual(["fenced"]);
    expect(await world.store.readRecords({ shard: 1, ...all })).toEqual([]);
  });

  it("a fenced shard writes nothing while the others of the batch are written", async () => {
    const shards = [
      part(1, 1, { records: [sampleRecord(1, 1)], ended: [endedOrder({ orderId: -257 })] }),
      part(2, 9, { records: [sampleRecord(2, 1)], ended: [endedOrder({ orderId: -258 })] }),
      part(3, 1, { records: [sampleRecord(3, 2)] }),
      part(4, 1, { records: sampleRecords(4, 1, 2) }),
    ];
    expect(await world.store.append({ shards, marks: [] })).toEqual([
      "durable",
      "fenced",
      "fenced",
      "durable",
    ]);
    const heads = await Promise.all([1, 2, 3, 4].map((shard) => world.store.head(shard)));
    expect(heads.map(({ sequence }) => sequence)).toEqual([1, 0, 0, 2]);
    expect(
      idsOf(await world.store.pageEnded({ accountId: 1, afterOrderId: 0, newestFirst: false, limit: 9 })),
    ).toEqual([-257]);
  });

  it("I03 I50: a batch that breaks a rule is refused completely", async () => {
    const twice = [
      endedOrder({ orderId: -512, clientOrderId: "a" }),
      endedOrder({ orderId: -768, clientOrderId: "a" }),
    ];
    const records = [sampleRecord(0, 1)];
    const shards = [part(5, 1, { records: [sampleRecord(5, 1)] }), part(0, 1, { records, ended: twice })];
    await expect(world.store.append({ shards, marks: [sampleMark()] })).rejects.toThrow("I03");
    const open = part(0, 1, { records, ended: [openOrder({ orderId: -512 })] });
    await expect(world.store.append({ shards: [open], marks: [] })).rejects.toThrow("I50");
    await expect(world.store.append({ shards: [part(6, 1, { records })], marks: [] })).rejects.toThrow("I54");
    expect((await world.store.head(5)).sequence).toBe(0);
    expect((await world.store.head(0)).sequence).toBe(0);
    expect(await world.store.countEnded({ accountId: 1, shard: 0 })).toMatchObject({ count: 0 });
    expect(await world.store.readMarks()).toEqual([]);
  });

  it("an empty batch has no effect, and a part without records needs only the epoch", async () => {
    expect(await world.store.append({ shards: [], marks: [] })).toEqual([]);
    const ended = [endedOrder({ orderId: -256 })];
    const shards = [part(0, 1, { ended }), part(1, 2)];
    expect(await world.store.append({ shards, marks: [] })).toEqual(["durable", "fenced"]);
    expect(await world.store.countEnded({ accountId: 1, shard: 0 })).toMatchObject({ count: 1 });
  });

  it("reads are independent of the written objects, and cannot be changed through them", async () => {
    const record = sampleRecord(0, 1);
    await world.store.append({ shards: [part(0, 1, { records: [record] })], marks: [] });
    const [read] = await world.store.readRecords({ shard: 0, ...all });
    expect(read).toEqual(record);
    expect(read).not.toBe(record);
  });
}

function snapshots(world: World): void {
  const write = (sequence: number, orders: number) => {
    const parents = Array.from({ length: orders }, (_, index) => openOrder({ orderId: -256 * (index + 1) }));
    return world.store.writeSnapshot({ shard: 0, sequence, counter: orders + 5, parents });
  };
  beforeEach(async () => {
    await world.store.append({ shards: [part(0, 1, { records: sampleRecords(0, 1, 9) })], marks: [] });
  });

  it("decision CC: it reports progress after each part", async () => {
    const parents = Array.from({ length: 2_000 }, (_, n) => openOrder({ orderId: -256 * (n + 1) }));
    const heard: string[] = [];
    const whole = { shard: 0, sequence: 4, counter: 2_005, parents };
    await world.store.writeSnapshot(whole, () => heard.push("writing"));
    expect(heard.length).toBeGreaterThan(1);
    await world.store.readSnapshot(0, () => heard.push("reading"));
    expect(heard.filter((what) => what === "reading").length).toBeGreaterThan(1);
  });

  it.each([0, 1, 128, 129, 600])("a snapshot of %i parents is returned completely", async (orders) => {
    await write(4, orders);
    const snapshot = await world.store.readSnapshot(0);
    expect({ ...snapshot, parents: snapshot?.parents.length }).toEqual({
      shard: 0,
      sequence: 4,
      counter: orders + 5,
      parents: orders,
    });
    const parents = snapshot?.parents ?? [];
    expect(parents).toEqual(idsOf(parents).map((orderId) => openOrder({ orderId })));
    expect(await world.store.readSnapshot(1)).toBeUndefined();
  });

  it("decision HK: a long one lets other work run while it is written and read, and reports progress", async () => {
    const done: string[] = [];
    const writing = write(9, 2_000).then(() => done.push("written"));
    await world.store.head(0);
    done.push("asked");
    await writing;
    let heard = 0;
    const reading = world.store
      .readSnapshot(0, () => void heard++)
      .then((read) => {
        done.push(`read ${read?.parents.length}`);
      });
    await world.store.head(0);
    done.push("asked");
    await reading;
    expect(done).toEqual(["asked", "written", "asked", "read 2000"]);
    expect(heard).toBeGreaterThan(1);
  });

  it("a later one replaces it, an earlier one does not", async () => {
    await write(4, 3);
    await write(6, 2);
    await write(5, 9);
    expect((await world.store.readSnapshot(0))?.sequence).toBe(6);
    await write(6, 400);
    expect((await world.store.readSnapshot(0))?.parents).toHaveLength(400);
  });

  it("I53: one that is ahead of its journal is refused", async () => {
    await expect(write(10, 1)).rejects.toThrow("I53");
    expect(await world.store.readSnapshot(0)).toBeUndefined();
  });

  it("the journal stays complete: a replay from empty stays possible", async () => {
    await write(9, 2);
    expect(await world.store.readRecords({ shard: 0, ...all })).toHaveLength(9);
  });

  it("appends continue while one is written, and it is as of the time of the request", async () => {
    const writing = write(9, 400);
    expect(
      await world.store.append({ shards: [part(0, 1, { records: [sampleRecord(0, 10)] })], marks: [] }),
    ).toEqual(["durable"]);
    await writing;
    expect((await world.store.readSnapshot(0))?.sequence).toBe(9);
  });
}

function marketJournal(world: World): void {
  it("marks are returned by symbol, side and position, with prices beyond the safe integers", async () => {
    const marks = [
      sampleMark({ position: 10 }),
      sampleMark({ symbol: "ETH/USD", position: 1 }),
      sampleMark({ side: "ask", position: 3, price: price("9999999999.99999999") }),
      sampleMark({ position: 2 }),
    ];
    await world.store.append({ shards: [], marks });
    expect(await world.store.readMarks()).toEqual([marks[2], marks[3], marks[0], marks[1]]);
  });

  it("a mark with a position that exists replaces it", async () => {
    await world.store.append({ shards: [], marks: [sampleMark()] });
    const again = sampleMark({ price: price("7425"), timeMs: 2_000 });
    await world.store.append({ shards: [], marks: [again] });
    expect(await world.store.readMarks()).toEqual([again]);
  });

  it("dropped marks are gone, the others stay", async () => {
    const marks = [1, 2, 3].map((position) => sampleMark({ position }));
    await world.store.append({ shards: [], marks });
    await world.store.deleteMarks(marks.slice(0, 2));
    expect(await world.store.readMarks()).toEqual([marks[2]]);
  });

  it("I60 I31: an earlier owner neither adds nor drops marks", async () => {
    await world.store.append({ shards: [], marks: [sampleMark()] });
    const later = world.place.open();
    await later.acquire();
    const stale = sampleMark({ price: price("1") });
    await expect(world.store.append({ shards: [], marks: [stale] })).rejects.toThrow("I60");
    await expect(world.store.deleteMarks([sampleMark()])).rejects.toThrow("I60");
    const batch = { shards: [part(0, 1, { records: [sampleRecord(0, 1)] })], marks: [stale] };
    expect(await world.store.append(batch)).toEqual(["fenced"]);
    expect(await later.readMarks()).toEqual([sampleMark()]);
    await later.close();
  });
}

function endedParents(world: World): void {
  it("an ended parent is found by either id, by its own account only", async () => {
    const order = endedOrder({ orderId: -768, accountId: 4, clientOrderId: "mine" });
    await keepEnded(world.store, [order]);
    expect(await world.store.findEnded({ accountId: 4, orderId: -768 })).toEqual(order);
    expect(await world.store.findEnded({ accountId: 4, clientOrderId: "mine" })).toEqual(order);
    expect(await world.store.findEnded({ accountId: 5, orderId: -768 })).toBeUndefined();
    expect(await world.store.findEnded({ accountId: 5, clientOrderId: "mine" })).toBeUndefined();
    expect(await world.store.findEnded({ accountId: 4, clientOrderId: "Mine" })).toBeUndefined();
  });

  it("a row of the same order replaces the earlier one", async () => {
    const order = endedOrder({ orderId: -768 });
    await keepEnded(world.store, [order]);
    const filledLate = { ...order, executions: ExecutionIds.of(["e1", "late"]), lastSequence: 9 };
    await keepEnded(world.store, [filledLate]);
    expect(await world.store.findEnded({ accountId: 1, orderId: -768 })).toEqual(filledLate);
    expect(await world.store.countEnded({ accountId: 1, shard: 0 })).toMatchObject({ count: 1 });
  });

  it("I03: a client id names one parent of an account while its record exists", async () => {
    await keepEnded(world.store, [endedOrder({ orderId: -256, clientOrderId: "a", endedAtMs: 10 })]);
    const second = endedOrder({ orderId: -512, clientOrderId: "a" });
    await expect(keepEnded(world.store, [second])).rejects.toThrow("I03");
    expect(await world.store.findEnded({ accountId: 1, clientOrderId: "a" })).toMatchObject({
      orderId: -256,
    });
    await keepEnded(world.store, [endedOrder({ orderId: -768, accountId: 2, clientOrderId: "a" })]);
    await world.store.deleteEnded({ beforeMs: 11, limit: 1 });
    await keepEnded(world.store, [second]);
    expect(await world.store.findEnded({ accountId: 1, clientOrderId: "a" })).toEqual(second);
  });

  it("counts are of one account", async () => {
    const orders = [-256, -512, -768].map((orderId) =>
      endedOrder({ orderId, accountId: orderId === -768 ? 2 : 1 }),
    );
    await keepEnded(world.store, orders);
    const counts = [1, 2, 3].map((accountId) => world.store.countEnded({ accountId, shard: 0 }));
    expect((await Promise.all(counts)).map(({ count }) => count)).toEqual([2, 1, 0]);
  });

  it("decision IG: pages of names contain all of them, by account, then by the bytes of the client id", async () => {
    const page = async (limit: number, after?: EndedName) =>
      (await world.store.pageEndedNames?.({ limit, ...(after && { after }) })) ?? "no pages";
    expect(await page(9)).toEqual([]);
    const names = [
      [2, "b"],
      [1, "_"],
      [10, "a"],
      [1, "Z"],
      [1, "a-1"],
      [1, "a"],
      [2, "a"],
      [1, "9"],
      [2 ** 40, "Ab.c"],
    ] as const;
    const orders = names.map(([accountId, clientOrderId], index) =>
      endedOrder({ orderId: -256 * (index + 1), accountId, clientOrderId }),
    );
    await keepEnded(world.store, orders.slice(0, 5));
    await keepEnded(world.store, orders.slice(5), 1);
    const sorted = [
      ...["9", "Z", "_", "a", "a-1"].map((clientOrderId) => ({ accountId: 1, clientOrderId })),
      { accountId: 2, clientOrderId: "a" },
      { accountId: 2, clientOrderId: "b" },
      { accountId: 10, clientOrderId: "a" },
      { accountId: 2 ** 40, clientOrderId: "Ab.c" },
    ];
    expect(await page(99)).toEqual(sorted);
    for (const limit of [1, 2, 3, 5, 9]) {
      const read: EndedName[] = [];
      for (;;) {
        const next = await page(limit, read.at(-1));
        if (next.length === 0) break;
        read.push(...(next as readonly EndedName[]));
      }
      expect(read).toEqual(sorted);
    }
    expect(await page(9, { accountId: 1, clientOrderId: "gone" })).toEqual(sorted.slice(5));
    expect(await page(9, { accountId: 5, clientOrderId: "" })).toEqual(sorted.slice(7));
    expect(await page(9, sorted.at(-1))).toEqual([]);
    await keepEnded(world.store, orders.slice(0, 1));
    expect(await page(99)).toEqual(sorted);
  });

  it("a count comes with the last record of the shard that it includes", async () => {
    expect(await world.store.countEnded({ accountId: 1, shard: 0 })).toEqual({ count: 0, sequence: 0 });
    const ended = [endedOrder({ orderId: -256 })];
    await world.store.append({ shards: [part(0, 1, { records: sampleRecords(0, 1, 3), ended })], marks: [] });
    expect(await world.store.countEnded({ accountId: 1, shard: 0 })).toEqual({ count: 1, sequence: 3 });
    expect(await world.store.countEnded({ accountId: 1, shard: 1 })).toEqual({ count: 1, sequence: 0 });
  });
}

function pages(world: World): void {
  const ids = [-256, -512, -768, -1024, -1280];
  const page = async (afterOrderId: number, newestFirst: boolean, limit = 2) =>
    idsOf(await world.store.pageEnded({ accountId: 1, afterOrderId, newestFirst, limit }));
  beforeEach(async () => {
    // Parents end in another order than they were created, and other accounts are among them.
    const orders = [-768, -256, -1280, -512, -1024].map((orderId) => endedOrder({ orderId }));
    await keepEnded(world.store, [...orders, endedOrder({ orderId: -640, accountId: 2 })]);
    await keepEnded(world.store, [endedOrder({ orderId: -257 }), endedOrder({ orderId: -513 })], 1);
  });

  it("I70: pages fall from id to id until none is left", async () => {
    expect(await page(0, false)).toEqual([-256, -257]);
    expect(await page(-257, false, 3)).toEqual([-512, -513, -768]);
    expect(await page(-768, false, 9)).toEqual([-1024, -1280]);
    expect(await page(-1280, false)).toEqual([]);
  });

  it("I70: newest first they rise", async () => {
    expect(await page(0, true)).toEqual([-1280, -1024]);
    expect(await page(-1024, true, 3)).toEqual([-768, -513, -512]);
    expect(await page(-512, true, 9)).toEqual([-257, -256]);
    expect(await page(-256, true)).toEqual([]);
  });

  it("a cursor whose order is gone continues from its place", async () => {
    expect(await page(-600, false)).toEqual([-768, -1024]);
    expect(await page(-600, true)).toEqual([-513, -512]);
  });

  it("a shard's ended parents fall from id to id, of every account", async () => {
    const read = async (afterOrderId: number, limit: number, shard = 0) =>
      idsOf(await world.store.readEnded({ shard, afterOrderId, limit }));
    expect(await read(0, 3)).toEqual(ids.slice(0, 2).concat(-640));
    expect(await read(-640, 9)).toEqual([-768, -1024, -1280]);
    expect(await read(0, 9, 1)).toEqual([-257, -513]);
  });

  it.each([0, -1, 1.5, Number.NaN])("a limit of %d is refused", async (limit) => {
    await expect(page(0, false, limit)).rejects.toThrow(RangeError);
    await expect(world.store.readRecords({ shard: 0, after: 0, limit })).rejects.toThrow(RangeError);
    await expect(world.store.readEnded({ shard: 0, afterOrderId: 0, limit })).rejects.toThrow(RangeError);
    await expect(world.store.pageEndedNames?.({ limit })).rejects.toThrow(RangeError);
    await expect(world.store.deleteEnded({ beforeMs: 9, limit })).rejects.toThrow(RangeError);
  });
}

function retention(world: World): void {
  it("deletes parents that ended before the time, at most `limit` at once, and returns their number", async () => {
    const orders = [40, 10, 30, 20].map((endedAtMs) => endedOrder({ orderId: -256 * endedAtMs, endedAtMs }));
    await keepEnded(world.store, orders);
    expect(await world.store.deleteEnded({ beforeMs: 10, limit: 9 })).toBe(0);
    expect(await world.store.deleteEnded({ beforeMs: 40, limit: 2 })).toBe(2);
    expect(await world.store.countEnded({ accountId: 1, shard: 0 })).toMatchObject({ count: 2 });
    expect(await world.store.deleteEnded({ beforeMs: 40, limit: 2 })).toBe(1);
    expect(await world.store.deleteEnded({ beforeMs: 40, limit: 2 })).toBe(0);
    expect(idsOf(await world.store.readEnded({ shard: 0, afterOrderId: 0, limit: 9 }))).toEqual([-10_240]);
    expect(await world.store.findEnded({ accountId: 1, clientOrderId: "c7680" })).toBeUndefined();
  });
}

function lifetime(world: World): void {
  it("I01: everything durable exists for the next handle", async () => {
    const order = endedOrder({ orderId: -256 });
    const records = sampleRecords(0, 1, 3);
    await world.store.append({ shards: [part(0, 1, { records, ended: [order] })], marks: [sampleMark()] });
    await world.store.writeSnapshot({
      shard: 0,
      sequence: 2,
      counter: 1,
      parents: [openOrder({ orderId: -512 })],
    });
    await world.store.close();
    world.store = world.place.open();
    expect(await world.store.head(0)).toEqual({ shard: 0, epoch: 1, sequence: 3 });
    expect(await world.store.readRecords({ shard: 0, ...all })).toEqual(records);
    expect((await world.store.readSnapshot(0))?.parents).toEqual([openOrder({ orderId: -512 })]);
    expect(await world.store.readMarks()).toEqual([sampleMark()]);
    expect(await world.store.findEnded({ accountId: 1, orderId: -256 })).toEqual(order);
    expect((await world.store.acquire())[0]).toEqual({ shard: 0, epoch: 2, sequence: 3 });
  });

  it("I71: a closed store answers with an error and never with an empty result", async () => {
    const { store } = world;
    await store.close();
    await store.close();
    const calls = [
      store.acquire(),
      store.head(0),
      store.append({ shards: [], marks: [] }),
      store.readRecords({ shard: 0, ...all }),
      store.readSnapshot(0),
      store.writeSnapshot({ shard: 0, sequence: 0, counter: 0, parents: [] }),
      store.readMarks(),
      store.deleteMarks([]),
      store.readQuotes(),
      store.findEnded({ accountId: 1, orderId: -256 }),
      store.pageEnded({ accountId: 1, afterOrderId: 0, newestFirst: false, limit: 1 }),
      store.countEnded({ accountId: 1, shard: 0 }),
      store.readEnded({ shard: 0, afterOrderId: 0, limit: 1 }),
      store.pageEndedNames?.({ limit: 1 }),
      store.findEndedList({ accountId: 1, listId: -256 }),
      store.pageEndedLists({ accountId: 1, limit: 1 }),
      store.deleteEnded({ beforeMs: 1, limit: 1 }),
      store.readVolume(),
      store.deleteVolume({ beforeMs: 1 }),
    ];
    const outcomes = await Promise.allSettled(calls);
    const reasons = outcomes.map((outcome) => outcome.status === "rejected" && String(outcome.reason));
    expect(new Set(reasons)).toEqual(new Set(["Error: the store is closed"]));
  });
}
