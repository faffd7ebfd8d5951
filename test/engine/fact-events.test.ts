import { describe, expect, it } from "vitest";
import { createMemoryStore } from "../../src/adapters/memory/index.ts";
import { formatQuantity } from "../../src/decimal/index.ts";
import { Effects, type EngineEffect } from "../../src/engine/core/effects.ts";
import { EventSource, emitFact } from "../../src/engine/core/event-stream.ts";
import type { Engine, EngineEvents } from "../../src/engine/index.ts";
import type { Fact } from "../../src/model/index.ts";
import { createFaultyWorld, turns } from "../support/faulty-world.ts";
import { OCO } from "../support/list-samples.ts";
import { fillOf, reported } from "../support/scripted-venue.ts";
import { createWorld, type World } from "../support/world.ts";

/** What the engine tells of facts from now on, in one line each; with `order`, also of records. */
function receive(engine: Engine, more: readonly ("order" | "list" | "alert")[] = []): string[] {
  const received: string[] = [];
  const { events } = engine;
  events.on("fill", ({ childId, fill }) =>
    received.push(`fill ${attemptOf(childId)} ${formatQuantity(fill.quantity)}`),
  );
  events.on("child", ({ childId, state, detail }) =>
    received.push(["child", attemptOf(childId), state, ...(detail === undefined ? [] : [detail])].join(" ")),
  );
  events.on("ended", ({ status, reason }) => received.push(`ended ${status} ${reason}`));
  for (const name of more) events.on(name, () => received.push(name));
  return received;
}

const attemptOf = (childId: string): string => childId.split("-").at(-1) ?? "";

/** A venue that fills half of the first child in two executions, and then the rest. */
function fillsInParts({ venue }: World): void {
  let answers = 0;
  venue.onSubmit = ({ childId }) =>
    answers++ === 0
      ? reported(childId, "closed", [fillOf({ quantity: "0.2" }), fillOf({ quantity: "0.3" })])
      : reported(childId, "closed", [fillOf({ quantity: "0.5" })]);
}

describe("the events of facts", () => {
  it("tell each child, fill and end once, in the order of the records, after the order's own event", async () => {
    const world = await createWorld();
    const received = receive(world.engine, ["order"]);
    fillsInParts(world);
    await world.place({ price: "100" });
    await world.quote("99", "100");
    await world.pass(5_000);
    await world.quote("99", "100");
    expect(received).toEqual([
      "order",
      ...["order", "child 1 SENT"],
      ...["order", "fill 1 0.2", "fill 1 0.3", "child 1 DONE"],
      ...["order", "child 2 SENT"],
      ...["order", "fill 2 0.5", "child 2 DONE", "ended FILLED FILLED"],
    ]);
  });

  it("name order, client id and account, and carry the order after the record", async () => {
    const world = await createWorld();
    const received: EngineEvents["fill" | "child" | "ended"][] = [];
    for (const name of ["fill", "child", "ended"] as const) {
      world.engine.events.on(name, (update) => void received.push(update));
    }
    const { orderId } = await world.place({ price: "100", newClientOrderId: "mine" }, 2);
    await world.quote("99", "100");
    const { record, order } = world.updates[2] ?? expect.fail("three records were expected");
    expect(received.slice(1)).toEqual(
      received.slice(1).map((update) => ({
        ...update,
        ...{ accountId: 2, orderId, clientOrderId: "mine", order, timeMs: record.timeMs },
      })),
    );
    expect(received.map(({ order: { executedQuantity } }) => formatQuantity(executedQuantity))).toEqual([
      "0",
      "1",
      "1",
      "1",
    ]);
  });

  it("tell a state of a child that is not known, with the reason of an unreadable report", async () => {
    const world = await createWorld();
    const received = receive(world.engine);
    world.venue.onSubmit = ({ childId }) => ({ ...reported(childId, "closed"), fills: "none" }) as never;
    world.venue.onLookup = ({ childId }) => reported(childId, "open");
    await world.place({ price: "100" });
    await world.quote("99", "100");
    expect(received).toEqual([
      "child 1 SENT",
      "child 1 UNKNOWN the executions are not an array",
      "child 1 OPEN",
    ]);
  });

  it("tell the loser of a pair before the winner, and the list at last", async () => {
    const world = await createWorld();
    await world.placeList("oco", OCO);
    const received = receive(world.engine, ["order", "list"]);
    await world.quote("110", "111");
    expect(received.slice(0, 5)).toEqual([
      "order",
      "ended CANCELED OCO_TRIGGER",
      "order",
      "child 1 SENT",
      "list",
    ]);
  });

  it("say nothing while the record is under way, and nothing of what a new engine reads", async () => {
    const { world, store } = await createFaultyWorld();
    await world.place({ price: "100" });
    const received = receive(world.engine);
    store().inject("slow");
    void world.quote("99", "100");
    await turns();
    expect(received).toEqual([]);
    store().inject("none");
    store().release();
    await world.engine.idle();
    expect(received).toEqual(["child 1 SENT", "fill 1 1", "child 1 DONE", "ended FILLED FILLED"]);
    await world.crash();
    expect(receive(world.engine)).toEqual([]);
  });

  it("make no payload when nobody listens", () => {
    const events = new EventSource(() => undefined);
    const untouched = {
      timeMs: 0,
      get order(): never {
        throw new Error("a payload was made");
      },
    };
    const facts: readonly Fact[] = [
      { kind: "FILLED", childId: "c", fill: fillOf({ quantity: "1" }) },
      { kind: "CHILD_OPEN", childId: "c" },
      { kind: "ENDED", status: "FILLED", reason: "FILLED" },
    ];
    for (const fact of facts) emitFact(events, fact, untouched);
    events.on("fill", () => undefined);
    expect(() => emitFact(events, facts[0] as Fact, untouched)).toThrow("a payload was made");
  });
});

describe("listeners", () => {
  it("that throw or reject keep no other from hearing, and are told to the operator", async () => {
    const world = await createWorld();
    for (const name of ["fill", "child", "ended"] as const) {
      world.engine.events.on(name, () => {
        throw new Error("a listener's own trouble");
      });
    }
    world.engine.events.on("ended", async () => await Promise.reject(new Error("later")));
    const received = receive(world.engine);
    const order = await world.place({ price: "100" });
    await world.quote("99", "100");
    expect(received).toEqual(["child 1 SENT", "fill 1 1", "child 1 DONE", "ended FILLED FILLED"]);
    expect(await world.status(order)).toBe("FILLED FILLED");
    expect(world.reported.filter((name) => name === "listener.failed")).toHaveLength(5);
  });

  it("of one event hear it once; those that leave before hear nothing", async () => {
    const world = await createWorld();
    const received: string[] = [];
    world.engine.events.once("order", () => received.push("once"));
    const leave = world.engine.events.once("order", () => received.push("left"));
    leave();
    const stop = world.engine.events.on("order", () => received.push("on"));
    for (let n = 0; n < 2; n++) await world.place({ price: "100" });
    stop();
    await world.place({ price: "100" });
    expect(received).toEqual(["once", "on", "on"]);
  });

  it("that throw hear a later event only if they want more than one", async () => {
    const world = await createWorld();
    world.engine.events.once("order", () => {
      throw new Error("once is enough");
    });
    for (let n = 0; n < 2; n++) await world.place({ price: "100" });
    expect(world.reported.filter((name) => name === "listener.failed")).toHaveLength(1);
  });
});

/** Per shard, whether the numbers start at one and rise by one. */
function isGapless(world: World): boolean {
  const last = new Map<number, number>();
  return world.updates.every(({ shard, sequence, record }) => {
    const follows =
      sequence === (last.get(shard) ?? 0) + 1 && record.sequence === sequence && record.shard === shard;
    last.set(shard, sequence);
    return follows;
  });
}

describe("I54: the event stream", () => {
  it("is gapless per shard over placements, children, cancels and crashes", async () => {
    const world = await createWorld();
    for (let n = 0; n < 30; n++) {
      const order = await world.place({ price: "100", quantity: "1" }, 1 + (n % 2));
      world.venue.onSubmit = ({ childId }) => reported(childId, "closed", [fillOf({ quantity: "0.25" })]);
      if (n % 5 === 0) await world.quote("99", "100");
      if (n % 4 === 0) await world.cancel(order).catch(() => undefined);
      if (n % 7 === 6) await world.crash();
    }
    expect(isGapless(world)).toBe(true);
    expect(world.updates).toHaveLength(world.engine.metrics().journalSequence);
  });

  it("carries the order as of its record, and every reported step is durable", async () => {
    const world = await createWorld();
    const store = createMemoryStore({ disk: world.disk });
    const stored: ReturnType<typeof store.readRecords>[] = [];
    world.engine.events.on("order", ({ shard, sequence, order }) => {
      stored.push(store.readRecords({ shard, after: sequence - 1, limit: 1 }));
      expect(order.lastSequence).toBe(sequence);
    });
    const order = await world.place({ price: "100" });
    await world.quote("99", "100");
    expect((await Promise.all(stored)).flat()).toEqual(world.updates.map(({ record }) => record));
    expect(world.updates.at(-1)?.order).toEqual(await world.order(order));
  });

  it("is silent while the append is in flight", async () => {
    const { world, store } = await createFaultyWorld();
    store().inject("slow");
    const placing = world.place({ price: "100" });
    await turns();
    expect(world.updates).toEqual([]);
    store().inject("none");
    store().release();
    await placing;
    expect(world.updates).toHaveLength(1);
  });
});

describe("listeners", () => {
  it("may act on the engine during an event", async () => {
    const world = await createWorld();
    const canceled: number[] = [];
    world.engine.events.on("order", ({ order }) => {
      if (order.ended === undefined) {
        void world.engine
          .cancel({ accountId: order.accountId, orderId: order.orderId })
          .then((after) => canceled.push(after.orderId));
      }
    });
    const order = await world.place({ price: "100" });
    await world.engine.idle();
    expect(canceled).toEqual([order.orderId]);
    expect(isGapless(world)).toBe(true);
  });
});

const MOVED: EngineEffect = { kind: "MARKET_MOVED" };

describe("I66: effects of an engine", () => {
  it("run at once, in the order in which they are emitted", () => {
    const effects = new Effects();
    const run: string[] = [];
    effects.connect({
      run: ({ kind }) => {
        if (kind === "MARKET_MOVED") effects.emit({ kind: "PRINT_DROPPED" });
        run.push(kind);
      },
    });
    effects.emit(MOVED);
    expect(run).toEqual(["PRINT_DROPPED", "MARKET_MOVED"]);
  });

  it("before the engine is assembled are a broken invariant, and so is a second interpreter", () => {
    const effects = new Effects();
    expect(() => effects.emit(MOVED)).toThrow(/I66: effect MARKET_MOVED was emitted before the parts/);
    effects.connect({ run: () => undefined });
    expect(() => effects.connect({ run: () => undefined })).toThrow(/I66/);
  });
});
