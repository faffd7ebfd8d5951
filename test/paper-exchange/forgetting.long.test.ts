import { copyFile, readdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { createManualClock } from "../../src/adapters/memory/index.ts";
import { nativeOf } from "../../src/conformance/native-orders/world.ts";
import { quantity } from "../../src/decimal/index.ts";
import { childIdOf } from "../../src/lifecycle/index.ts";
import type { ChildRequest } from "../../src/model/index.ts";
import { createMemoryLog } from "../../src/paper-exchange/append-log.ts";
import type { Pruning } from "../../src/paper-exchange/index.ts";
import { PrunedChildren } from "../../src/paper-exchange/pruned-children.ts";
import { Pruner } from "../../src/paper-exchange/pruner.ts";
import { VenueRecord } from "../../src/paper-exchange/venue-record.ts";
import { createCatalogue } from "../../src/sandbox/catalogue.ts";
import {
  childOf,
  DEADLINE_MS,
  faulty,
  openFundedWorld,
  openVenueWorld,
  quoteOf,
  START_MS,
  temporaryDirectory,
  type VenueWorld,
} from "../sandbox/venue-world.ts";

const HOUR_MS = 3_600_000;
const forgetting: Pruning = { afterMs: HOUR_MS, quietMs: 60_000 };
const deadlineMs = DEADLINE_MS;
const FORGOTTEN = "no longer remembers";

/** The child of an attempt, of a parent that was accepted at the start by default. */
function attemptOf(
  attempt: number,
  of: Readonly<{ parent?: number; acceptedAtMs?: number }> = {},
): ChildRequest {
  const { parent = 1, acceptedAtMs = START_MS } = of;
  const orderId = -256 * parent;
  return childOf({
    childId: childIdOf({ orderId, acceptedAtMs }, attempt),
    parentOrderId: orderId,
    quantity: "0.01",
  });
}

const recordPath = async (): Promise<string> => join(await temporaryDirectory(), "venue.jsonl");
const open = (path?: string): Promise<VenueWorld> =>
  openFundedWorld({ forgetting, ...(path !== undefined && { path }) });
const reopen = (path: string, startMs: number): Promise<VenueWorld> =>
  openVenueWorld({ path, startMs, forgetting });
const pass = ({ clock, venue }: VenueWorld, ms: number): Promise<void> =>
  clock.advanceBy(ms, () => venue.idle());
const linesOf = async (path: string): Promise<readonly string[]> =>
  (await readFile(path, "utf8")).split("\n").slice(0, -1);
const nativeKey = (child: ChildRequest) => ({
  accountId: 1,
  symbol: child.symbol,
  clientOrderId: child.childId,
});

describe("a child that was settled some time ago is forgotten", () => {
  it("with its order and its executions, not before its time, and its effect on balances stays", async () => {
    const world = await open();
    const { venue } = world;
    const child = attemptOf(1);
    const report = await venue.submit(child, { deadlineMs });
    const balances = venue.balances(1);
    const [{ executionId = "" } = {}] = report.fills;
    await pass(world, HOUR_MS);
    expect(venue.children()).toHaveLength(1);
    await pass(world, HOUR_MS / 16);
    expect(venue.children()).toEqual([]);
    expect(await venue.native.find(nativeKey(child))).toBeUndefined();
    expect(await venue.native.page({ accountId: 1, symbol: "BTC/USD", limit: 10 })).toEqual([]);
    expect(await venue.native.executions({ accountId: 1, limit: 10 })).toEqual([]);
    expect([venue.balancesAfter(executionId), venue.balances(1)]).toEqual([undefined, balances]);
  });

  it("I22: a look-up of it fails; the answer is never not-found", async () => {
    const world = await open();
    await world.venue.submit(attemptOf(2), { deadlineMs });
    await pass(world, 2 * HOUR_MS);
    await expect(world.venue.lookup(attemptOf(2))).rejects.toThrow(FORGOTTEN);
    await expect(world.venue.lookup(attemptOf(1))).rejects.toThrow(FORGOTTEN);
  });

  it("a child that was never sent is not found, however old its parent is", async () => {
    const world = await open();
    await world.venue.submit(attemptOf(2), { deadlineMs });
    await pass(world, 2 * HOUR_MS);
    expect(await world.venue.lookup(attemptOf(3))).toHaveProperty("notFoundAtMs");
    expect(await world.venue.lookup(attemptOf(1, { parent: 2 }))).toHaveProperty("notFoundAtMs");
    const later = { deadlineMs: world.clock.nowMs() + 2_000 };
    expect(await world.venue.submit(attemptOf(3), later)).toMatchObject({ state: "closed", fills: [{}] });
    expect(await world.venue.submit(attemptOf(1, { parent: 2 }), later)).toMatchObject({ state: "closed" });
  });

  it("I22: its id is not executed again, with its deadline or a later one, before and after a restart", async () => {
    const path = await recordPath();
    const world = await open(path);
    const child = attemptOf(1);
    await world.venue.submit(child, { deadlineMs });
    await pass(world, 2 * HOUR_MS);
    const balances = world.venue.balances(1);
    const later = world.clock.nowMs() + 2_000;
    const submitTwice = async ({ venue }: VenueWorld): Promise<void> => {
      for (const deadline of [deadlineMs, later]) {
        await expect(venue.submit(child, { deadlineMs: deadline })).rejects.toThrow(FORGOTTEN);
      }
      expect([venue.balances(1), venue.children()]).toEqual([balances, []]);
    };
    await submitTwice(world);
    await world.venue.close();
    const again = await reopen(path, world.clock.nowMs());
    again.venue.quote(quoteOf({ bids: ["100"], asks: ["101"] }));
    await submitTwice(again);
    await expect(again.venue.lookup(child)).rejects.toThrow(FORGOTTEN);
    await again.venue.close();
  });

  it("not while it is looked up, nor while it is held, nor before its deadline", async () => {
    const world = await open();
    const { venue } = world;
    const [requested, held, patient] = [
      attemptOf(1),
      attemptOf(1, { parent: 2 }),
      attemptOf(1, { parent: 3 }),
    ];
    await venue.submit(requested, { deadlineMs });
    await venue.submit(patient, { deadlineMs: START_MS + 4 * HOUR_MS });
    faulty(venue, { mode: "hold" });
    await venue.submit(held, { deadlineMs });
    for (let minutes = 0; minutes < 150; minutes++) {
      await pass(world, 55_000);
      expect(await venue.lookup(requested)).toMatchObject({ state: "closed" });
    }
    expect(venue.children()).toHaveLength(3);
    await pass(world, 2 * HOUR_MS);
    expect(venue.children().map((row) => row.clientOrderId)).toEqual([patient.childId, held.childId]);
    await venue.release();
    await pass(world, HOUR_MS / 2);
    expect(venue.children()).toHaveLength(2);
    await pass(world, HOUR_MS);
    expect(venue.children()).toEqual([]);
  });

  it("not right after a start, when callers with an unknown outcome will look it up", async () => {
    const path = await recordPath();
    const world = await open(path);
    const child = attemptOf(1);
    faulty(world.venue, { mode: "timeout-after" });
    void world.venue.submit(child, { deadlineMs });
    await world.venue.idle();
    await world.venue.close();
    const again = await reopen(path, START_MS + 5 * HOUR_MS);
    await pass(again, 50_000);
    expect(await again.venue.lookup(child)).toMatchObject({ state: "closed", fills: [{}] });
    await pass(again, HOUR_MS);
    expect(again.venue.children()).toEqual([]);
    await again.venue.close();
  });

  it("a fault with a count includes forgotten children", async () => {
    const world = await open();
    faulty(world.venue, { mode: "reject", count: 1 });
    expect(await world.venue.submit(attemptOf(1), { deadlineMs })).toMatchObject({ state: "rejected" });
    await pass(world, 2 * HOUR_MS);
    const later = { deadlineMs: world.clock.nowMs() + 2_000 };
    expect(await world.venue.submit(attemptOf(2), later)).toMatchObject({ state: "closed" });
  });
});

describe("the memory of forgotten children is bounded", () => {
  it("for a parent whose mark was dropped, acceptance and deadline show that nothing is known", () => {
    const forgotten = new PrunedChildren(2);
    const idOf = (parent: number, attempt: number): string =>
      attemptOf(attempt, { parent, acceptedAtMs: parent }).childId;
    for (const parent of [1, 2, 3]) forgotten.add(idOf(parent, 5), 1_000 + parent);
    expect([...forgotten.parts()].flatMap(({ marks }) => marks)).toHaveLength(2);
    const mayBe = (parent: number, attempt: number, deadline?: number): boolean =>
      forgotten.mayBe(idOf(parent, attempt), deadline);
    expect([mayBe(1, 5), mayBe(1, 5, 1_001), mayBe(1, 6), mayBe(0, 1)]).toEqual([true, true, true, true]);
    expect([mayBe(1, 6, 1_004), mayBe(3, 6), mayBe(4, 1)]).toEqual([false, false, false]);
    expect([mayBe(2, 5, 9_999), mayBe(3, 4)]).toEqual([true, true]);
    const stored = new PrunedChildren(2);
    for (const part of forgotten.parts()) stored.restore(part);
    expect([...stored.parts()]).toEqual([...forgotten.parts()]);
  });

  it("10,000 children leave nothing behind in memory and record", async () => {
    const path = await recordPath();
    const world = await open(path);
    const { venue } = world;
    const children = Array.from({ length: 10_000 }, (_, index) =>
      attemptOf(1 + (index % 100), { parent: 1 + Math.floor(index / 100) }),
    );
    await Promise.all(children.map((child) => venue.submit(child, { deadlineMs })));
    expect([venue.children().length, (await linesOf(path)).length]).toEqual([10_000, 20_001]);
    const before = venue.balances(1);
    await pass(world, HOUR_MS + HOUR_MS / 16);
    const lines = await linesOf(path);
    expect([venue.children().length, lines.map((line) => JSON.parse(line).kind)]).toEqual([
      0,
      ["balances", "passed", "marks"],
    ]);
    expect(await readdir(dirname(path))).toEqual(["venue.jsonl"]);
    await venue.submit(attemptOf(101), { deadlineMs: world.clock.nowMs() });
    const order = await venue.native.find(nativeKey(attemptOf(101)));
    expect(order?.orderId).toBe(9_007_199_254_740_993n + 100_000n);
    await venue.close();
    const again = await reopen(path, world.clock.nowMs());
    expect(again.venue.children()).toMatchObject([
      { clientOrderId: attemptOf(101).childId, executedQty: "0.01" },
    ]);
    expect(Number(again.venue.balances(1).BTC) - Number(before.BTC)).toBeCloseTo(0.01);
    await again.venue.close();
  });
});

describe("a few children are forgotten in each turn", () => {
  it("at most 256, each slice durable before memory drops it, and none while a record cannot be written", async () => {
    const record = new VenueRecord(createCatalogue());
    const clock = createManualClock({ startMs: START_MS });
    for (let attempt = 1; attempt <= 600; attempt++) {
      const child = attemptOf(attempt);
      record.apply({ kind: "arrived", child, deadlineMs, timeMs: START_MS });
      const reported = { state: "closed", fills: [], held: false, final: false, detail: "" } as const;
      record.apply({ kind: "resolved", childId: child.childId, ...reported, timeMs: START_MS });
    }
    const waiting: (() => void)[] = [];
    const turns: (() => void)[] = [];
    const append = (_line: string, stored?: () => void): Promise<void> =>
      new Promise((resolve) => waiting.push(() => resolve(stored?.())));
    const log = { ...createMemoryLog(), append, isFailing: false };
    const own = { ...clock, soon: (run: () => void) => void turns.push(run) };
    const rest = { work: <T>(work: Promise<T>) => work, forgot: () => undefined, telemetry: undefined };
    const forgetter = new Pruner({ clock: own, record, log, forgetting, ...rest });
    const rows = (): number => record.rows().length;
    const settle = async (): Promise<void> => void (await new Promise(setImmediate));
    await clock.advanceBy(2 * HOUR_MS);
    const held: number[][] = [];
    for (let slice = 0; slice < 3; slice++) {
      const before = rows();
      expect([record.mayBePruned(attemptOf(256 * slice + 1).childId), waiting.length, turns.length]).toEqual([
        true,
        1,
        0,
      ]);
      waiting.pop()?.();
      await settle();
      held.push([before, rows()]);
      log.isFailing = slice === 1;
      turns.pop()?.();
      await settle();
      if (!log.isFailing) continue;
      expect(waiting).toEqual([]);
      log.isFailing = false;
      await clock.advanceBy(HOUR_MS);
    }
    expect(held).toEqual([
      [600, 344],
      [344, 88],
      [88, 0],
    ]);
    forgetter.stop();
  });
});

describe("a crash leaves a child known or forgotten, never half", () => {
  it("wherever the record was cut off", async () => {
    const path = await recordPath();
    const world = await open(path);
    const children = [1, 2, 3].map((parent) => attemptOf(1, { parent }));
    for (const child of children) await world.venue.submit(child, { deadlineMs });
    const known = await Promise.all(children.map((child) => world.venue.lookup(child)));
    await pass(world, 2 * HOUR_MS);
    const balances = world.venue.balances(1);
    await world.venue.close();
    const whole = await readFile(path, "utf8");
    const begin = whole.indexOf('{"kind":"forgotten"');
    const states = new Set<string>();
    for (let end = begin; end <= whole.length; end++) {
      await writeFile(path, whole.slice(0, end));
      const { venue } = await reopen(path, world.clock.nowMs());
      const answer = await Promise.all(children.map((child) => venue.lookup(child).catch(() => "fails")));
      states.add(JSON.stringify(answer));
      expect(venue.balances(1)).toEqual(balances);
      await venue.close();
    }
    expect([...states].sort()).toEqual(
      [JSON.stringify(["fails", "fails", "fails"]), JSON.stringify(known)].sort(),
    );
  });

  it("an unfinished file next to the record is deleted", async () => {
    const path = await recordPath();
    const world = await open(path);
    await world.venue.submit(attemptOf(1), { deadlineMs });
    await world.venue.close();
    await copyFile(path, `${path}.new`);
    const again = await reopen(path, START_MS);
    expect(await readdir(dirname(path))).toEqual(["venue.jsonl"]);
    expect(again.venue.children()).toHaveLength(1);
    await again.venue.close();
  });
});

describe("a rewritten record restores the same venue", () => {
  it("with native orders, positions, held and repeated children among the forgotten ones", async () => {
    const path = await recordPath();
    const world = await open(path);
    const { venue } = world;
    await venue.setPositions(1, { "BTC/USD": "3" });
    const crowd = (parent: number) =>
      Array.from({ length: 500 }, (_, index) => attemptOf(index + 1, { parent }));
    await Promise.all(crowd(1).map((child) => venue.submit(child, { deadlineMs })));
    await venue.native.place(nativeOf({ price: "50", quantity: "1" }));
    faulty(venue, { mode: "hold", count: 2 });
    const [held, released] = [attemptOf(1, { parent: 7 }), attemptOf(1, { parent: 8 })];
    await venue.submit(held, { deadlineMs });
    await venue.submit(released, { deadlineMs });
    await venue.release(released.childId);
    await venue.submit(attemptOf(3), { deadlineMs });
    await venue.native.place(nativeOf({ price: "200", quantity: "0.5" }));
    await venue.setBalances(2, { USD: "5" });
    await Promise.all(crowd(2).map((child) => venue.submit({ ...child, side: "SELL" }, { deadlineMs })));
    await pass(world, HOUR_MS / 2);
    const late = { ...attemptOf(1, { parent: 9 }), quantity: quantity("0.7") };
    await venue.submit(late, { deadlineMs: world.clock.nowMs() + 1 });
    const view = async ({ venue: of }: VenueWorld) => ({
      children: of.children(),
      orders: await of.native.page({ accountId: 1, symbol: "BTC/USD", limit: 5_000 }),
      executions: await of.native.executions({ accountId: 1, limit: 50 }),
      balances: [of.balances(1), of.balances(2), of.positions(1)],
      after: [of.balancesAfter("1004"), of.positionAfter("1004")],
    });
    await pass(world, HOUR_MS / 2 + HOUR_MS / 16);
    const kinds = (await linesOf(path)).map((line) => JSON.parse(line).kind);
    expect(kinds.length).toBeLessThan(20);
    expect(new Set(kinds)).toContain("passed");
    const seen = await view(world);
    expect(seen.children.map((row) => row.clientOrderId)).toEqual([held.childId, late.childId]);
    expect(seen.after).toEqual([expect.anything(), expect.anything()]);
    await venue.close();
    const again = await reopen(path, world.clock.nowMs());
    expect(await view(again)).toEqual(seen);
    const next = nativeOf({ price: "50" });
    const { order } = await again.venue.native.place(next);
    expect(order.orderId).toBe(9_007_199_254_740_993n + 10_050n);
    expect(await again.venue.release()).toBe(1);
    await again.venue.close();
  });
});
