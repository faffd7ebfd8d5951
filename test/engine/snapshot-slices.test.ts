import { describe, expect, it } from "vitest";
import {
  createManualClock,
  createMemoryDisk,
  createMemoryExposure,
  createMemoryInstruments,
  createMemoryStore,
} from "../../src/adapters/memory/index.ts";
import { createRandom, type Random } from "../../src/common/random.ts";
import { ClientIdFilter } from "../../src/engine/core/client-id-filter.ts";
import { coreOf } from "../../src/engine/core/core.ts";
import type { PendingRecord } from "../../src/engine/core/live-order.ts";
import { timely } from "../../src/engine/core/stored.ts";
import { Shard } from "../../src/engine/shards/shard.ts";
import { ShardMemory } from "../../src/engine/shards/shard-memory.ts";
import { shardOf } from "../../src/lifecycle/index.ts";
import type { ListMembership, ParentOrder } from "../../src/model/index.ts";
import { orderIntent } from "../../src/requests/index.ts";
import { IdMap } from "../../src/triggers/index.ts";
import { endedOrder, openOrder } from "../store/rules/samples.ts";
import { createHeldTurns, type HeldTurns } from "../support/held-turns.ts";
import { createScriptedVenue } from "../support/scripted-venue.ts";
import { seedOr } from "../support/seed.ts";
import { INSTRUMENTS, START_MS, SYMBOL } from "../support/world.ts";

type Subject = Readonly<{
  shard: Shard;
  held: HeldTurns;
  accept: () => Promise<void>;
  takeOver: () => Promise<void>;
}>;

/** A shard with 20 durable parents, and turns of four parents each. */
async function subject(): Promise<Subject> {
  const disk = createMemoryDisk();
  const store = createMemoryStore({ disk });
  const held = createHeldTurns(1);
  const core = coreOf({
    store,
    instruments: createMemoryInstruments(INSTRUMENTS),
    accounts: { key: () => undefined, account: () => undefined },
    exposure: createMemoryExposure(),
    venue: createScriptedVenue(),
    clock: createManualClock({ startMs: START_MS }),
    entropy: { token: (length) => "t".repeat(length) },
    settings: { snapshotEvery: 1 },
  });
  const head = (await store.acquire())[shardOf(1)];
  if (head === undefined) throw new Error("the store has no such shard");
  core.effects.connect({ run: () => undefined });
  const shard = new Shard(
    head,
    { ...core, turns: held.turns },
    { deadlines: { notAfterMs: () => START_MS }, reads: timely(core) },
  );
  await shard.load();
  let accepted = 0;
  const accept = async (): Promise<void> => {
    const intent = orderIntent({
      ...{ symbol: SYMBOL, side: "BUY", type: "SYNTHETIC_LIMIT", quantity: "1", price: "100" },
      newClientOrderId: `order-${++accepted}`,
    });
    shard.accept({ accountId: 1, timeMs: START_MS, parents: [{ intent, admission: {} }] });
    const pending = shard.pending.takeWhile(() => true);
    await store.append({ shards: [shard.appendOf(pending, [])] });
    for (const record of pending) shard.settle(record);
  };
  for (let n = 0; n < 20; n++) await accept();
  return { shard, held, accept, takeOver: async () => void (await createMemoryStore({ disk }).acquire()) };
}

describe("a snapshot gathered in slices", () => {
  it("is as of the record at which it began, and leaves out later ones", async () => {
    const { shard, held, accept } = await subject();
    const snapshot = shard.snapshot();
    expect(held.isAwaited()).toBe(true);
    await accept();
    await held.run();
    expect(await snapshot).toMatchObject({ sequence: 20, counter: 20 });
    expect((await snapshot)?.parents).toHaveLength(20);
    expect(shard.isSnapshotDue).toBe(true);
  });

  it("is abandoned if the shard is read again, and due again then", async () => {
    const { shard, held } = await subject();
    const snapshot = shard.snapshot();
    await held.pass();
    const reloading = shard.reload([], true);
    await held.run();
    await reloading;
    expect(shard.state).toBe("running");
    expect(await snapshot).toBeUndefined();
    expect(shard.isSnapshotDue).toBe(true);
  });

  it("is abandoned if another engine takes the shard over, or if the engine is closed", async () => {
    const fenced = await subject();
    const first = fenced.shard.snapshot();
    await fenced.takeOver();
    await fenced.shard.confirm();
    await fenced.held.run();
    expect(await first).toBeUndefined();
    const closed = await subject();
    const second = closed.shard.snapshot();
    closed.shard.close();
    await closed.held.run();
    expect(await second).toBeUndefined();
  });
});

const CASES = 300;

/** Ids so far apart that only four share a page: a restored parent may come before others. */
const STEP: number = 256 * 16;

/** The memory of a shard, and the copy that one turn would make of it. */
class SubjectCapture {
  readonly memory: ShardMemory = new ShardMemory();
  /** As of the last durable record; waiting records become durable in order. */
  durable = 0;
  #sequence = 0;
  readonly #waiting: (readonly ParentOrder[])[] = [];
  readonly #random: Random;
  readonly #legsThatEnded: Set<number> = new Set();
  #ids = 0;
  /** Ended and removed; a late fact may restore one for a while. */
  readonly #gone: ParentOrder[] = [];

  constructor(random: Random) {
    this.#random = random;
  }

  copy(): readonly ParentOrder[] {
    const parents: ParentOrder[] = [];
    for (const { durable } of this.memory.liveOrders.values()) {
      if (durable !== undefined && (durable.ended === undefined || this.#legsThatEnded.has(durable.orderId)))
        parents.push(durable);
    }
    return parents;
  }

  step(): void {
    const { memory } = this;
    const random = this.#random;
    if (random.chance(0.4)) return this.#settle();
    const open = [...memory.liveOrders.values()];
    const live = open.length > 0 ? random.pick(open) : undefined;
    if (live === undefined || random.chance(0.35)) return this.#accept(random.chance(0.4));
    if (random.chance(0.2) && this.#gone.length > 0) return this.#late(random.pick(this.#gone));
    const order = { ...live.working, lastSequence: ++this.#sequence };
    const isEnding = order.ended === undefined && random.chance(0.5);
    const ended = { status: "CANCELED", reason: "USER_CANCELED", atMs: 1 } as const;
    this.#decide([isEnding ? { ...order, ended } : order]);
  }

  #accept(isList: boolean): void {
    const ids = Array.from({ length: isList ? 2 : 1 }, () => -STEP * ++this.#ids);
    const lastSequence = ++this.#sequence;
    const list: ListMembership = {
      listId: -STEP * ++this.#ids,
      listClientOrderId: `l${this.#ids}`,
      contingency: "OCO",
      role: "protective",
      legs: ids,
    };
    this.#decide(
      ids.map((orderId) => ({ ...openOrder({ orderId }), lastSequence, ...(isList && { list }) })),
    );
  }

  #decide(orders: readonly ParentOrder[]): void {
    for (const order of orders) this.memory.take(order);
    this.#waiting.push(orders);
  }

  /** The oldest waiting record becomes durable. */
  #settle(): void {
    const orders = this.#waiting.shift() ?? [];
    const liveOrders = orders.map((order) => this.memory.show(order, {} as PendingRecord));
    for (const live of liveOrders) this.memory.retire(live);
    for (const order of orders) this.#settled(order);
  }

  #settled(order: ParentOrder): void {
    this.durable = order.lastSequence;
    if (order.ended === undefined) return;
    if (order.list !== undefined) this.#legsThatEnded.add(order.orderId);
    for (const orderId of order.list?.legs ?? [order.orderId]) {
      if (this.memory.liveOrders.has(orderId)) continue;
      this.#legsThatEnded.delete(orderId);
      if (orderId === order.orderId) this.#gone.push(order);
    }
  }

  #late(order: ParentOrder): void {
    const live = this.memory.adopt(order);
    if (this.#random.chance(0.5)) return this.memory.release(live);
    this.#decide([{ ...live.working, lastSequence: ++this.#sequence }]);
  }
}

const sorted = (parents: readonly ParentOrder[]): readonly ParentOrder[] =>
  [...parents].sort((a, b) => a.orderId - b.orderId);

describe("a snapshot gathered in slices", () => {
  const seed = seedOr(20_261_122);

  it(`I53: equals a copy made in one turn, whatever happens in between (SEED=${seed})`, async () => {
    let turns = 0;
    for (let round = 0; round < CASES; round++) {
      const random = createRandom(seed).of(String(round));
      const subject = new SubjectCapture(random);
      for (let n = random.below(60); n > 0; n--) subject.step();
      const expected = sorted(subject.copy());
      const held = createHeldTurns(0.25 * (1 + random.below(6)));
      const gathered = subject.memory.capture(subject.durable).gather(held.turns, () => true);
      await held.run(() => {
        turns++;
        for (let n = random.below(8); n > 0; n--) subject.step();
      });
      expect(sorted((await gathered) ?? []), `round ${round}`).toEqual(expected);
    }
    expect(turns).toBeGreaterThan(CASES);
  });

  it("I53: an ended order restored by a late fact, among those not yet visited, replaces no other", async () => {
    const memory = new ShardMemory();
    const ids = Array.from({ length: 100 }, (_, n) => -256 * (n + 1));
    const back = ids[50] ?? 0;
    const held = createHeldTurns(0.25);
    const open = new IdMap<ParentOrder>();
    for (const orderId of ids)
      if (orderId !== back) open.set(orderId, { ...openOrder({ orderId }), lastSequence: 1 });
    const remembered = memory.remember(open, { turns: held.turns, clientIds: new ClientIdFilter() });
    await held.run();
    await remembered;
    const gathered = memory.capture(1).gather(held.turns, () => true);
    await held.pass();
    memory.adopt({ ...endedOrder({ orderId: back }), lastSequence: 1 });
    await held.run();
    expect(sorted((await gathered) ?? [])).toEqual(sorted([...open.values()]));
  });
});
