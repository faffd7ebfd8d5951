import { describe, expect, it } from "vitest";
import { createRandom, type Random } from "../../src/common/random.ts";
import { ClientIdFilter } from "../../src/engine/core/client-id-filter.ts";
import type { PendingRecord } from "../../src/engine/core/live-order.ts";
import { ShardMemory } from "../../src/engine/shards/shard-memory.ts";
import type { ListMembership, ParentOrder } from "../../src/model/index.ts";
import { IdMap } from "../../src/triggers/index.ts";
import { endedOrder, openOrder } from "../store/rules/samples.ts";
import { createHeldTurns } from "../support/held-turns.ts";
import { seedOr } from "../support/seed.ts";

const CASES = 300;

/** Ids so far apart that only four share a page: a restored parent may come before others. */
const STEP: number = 256 * 16;

/** The memory of a shard, and the copy that one turn would make of it. */
class Subject {
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

describe("decision HH: a snapshot gathered in slices", () => {
  const seed = seedOr(20_261_122);

  it(`I53: equals a copy made in one turn, whatever happens in between (SEED=${seed})`, async () => {
    let turns = 0;
    for (let round = 0; round < CASES; round++) {
      const random = createRandom(seed).of(String(round));
      const subject = new Subject(random);
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
