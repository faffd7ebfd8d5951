import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, it } from "vitest";
import { createFaultyWorld, turns } from "../support/faulty-world.ts";
import { filled, fillOf, reported, sentTo } from "../support/scripted-venue.ts";
import { createWorld, type World } from "../support/world.ts";

const BUSY = { code: -1008, status: 503, retry: "later" };

describe("I64: overload is refused before acceptance", () => {
  it("by the number of open parents of an account; an end makes room", async () => {
    const world = await createWorld({ settings: { maxOpenParentsPerAccount: 3 } });
    const first = await world.place({ price: "100", newClientOrderId: "a" });
    for (let n = 0; n < 2; n++) await world.place({ price: "100" });
    await expect(world.place({ price: "100", newClientOrderId: "b" })).rejects.toMatchObject(BUSY);
    await expect(world.place({ price: "100" }, 2)).resolves.toBeDefined();
    expect((await world.place({ price: "100", newClientOrderId: "a" })).orderId).toBe(first.orderId);
    expect(await world.engine.find({ accountId: 1, clientOrderId: "b" })).toBeUndefined();
    await world.cancel(first);
    await expect(world.place({ price: "100", newClientOrderId: "b" })).resolves.toBeDefined();
  });

  it("by the number of open parents of the engine, also after a restart", async () => {
    const world = await createWorld({ settings: { maxOpenParents: 3 } });
    await world.place({ price: "100" }, 2);
    for (let n = 0; n < 2; n++) await world.place({ price: "100" });
    await expect(world.place({ price: "100" }, 2)).rejects.toMatchObject(BUSY);
    await world.crash();
    await expect(world.place({ price: "100" }, 2)).rejects.toMatchObject(BUSY);
    expect(await world.engine.cancelAll(1)).toMatchObject({ canceledCount: 2 });
    await expect(world.place({ price: "100" }, 2)).resolves.toBeDefined();
  });

  it("and the limit holds for simultaneous placements", async () => {
    const world = await createWorld({ settings: { maxOpenParentsPerAccount: 3 } });
    const answers = await Promise.allSettled(Array.from({ length: 10 }, () => world.place({ price: "100" })));
    expect(answers.filter(({ status }) => status === "fulfilled")).toHaveLength(3);
    expect(world.engine.metrics().openParents).toBe(3);
  });

  it("by the number of commands that wait for the store, including copies of one order", async () => {
    const { world, store } = await createFaultyWorld({ settings: { maxPendingCommands: 5 } });
    store().inject("slow");
    const fields = { price: "100", newClientOrderId: "copy" };
    const waiting = [world.place({ price: "100" }), ...Array.from({ length: 4 }, () => world.place(fields))];
    await turns();
    expect(world.engine.metrics().pendingCommands).toBe(5);
    await expect(world.place({ price: "100" })).rejects.toMatchObject(BUSY);
    await expect(world.place(fields)).rejects.toMatchObject(BUSY);
    store().inject("none");
    store().release();
    const orders = await Promise.all(waiting);
    expect(new Set(orders.map(({ orderId }) => orderId)).size).toBe(2);
    expect(world.engine.metrics().pendingCommands).toBe(0);
  });

  it("and each waiting command counts once, however often its shard could not be read", async () => {
    const { world, store } = await createFaultyWorld({
      settings: { maxPendingCommands: 3 },
      report: (name) => {
        if (name === "append.failed") store().inject("fail-reads", 3);
      },
    });
    store().inject("fail", 1);
    await expect(world.place({ price: "100" })).rejects.toMatchObject({ code: -1006 });
    await world.pass(world.engine.settings.retryMaxMs);
    expect(world.reported.filter((name) => name === "reload.failed")).toHaveLength(3);
    expect(world.engine.metrics().pendingCommands).toBe(0);
    store().inject("slow");
    const waiting = Array.from({ length: 3 }, () => world.place({ price: "100" }));
    await turns();
    await expect(world.place({ price: "100" })).rejects.toMatchObject(BUSY);
    store().inject("none");
    store().release();
    await Promise.all(waiting);
  });

  it("and no accepted order is lost: 2,000 orders trigger on one quote", async () => {
    const world = await createWorld();
    for (let n = 0; n < 2_000; n++) await world.place({ price: "100", quantity: "0.2" }, 1 + (n % 2));
    await world.quote("99", "100");
    expect(sentTo(world.venue)).toHaveLength(2_000);
    expect(world.engine.metrics().openParents).toBe(0);
  });
});

describe("memory", () => {
  const collect = (): void => {
    setFlagsFromString("--expose_gc");
    const gc: () => void = runInNewContext("gc");
    gc();
  };

  /** A hundred orders with every kind of end, observed through weak references. */
  async function live(world: World): Promise<readonly WeakRef<object>[]> {
    const seen: WeakRef<object>[] = [];
    const listener = ({ order }: Readonly<{ order: object }>): void => void seen.push(new WeakRef(order));
    const leave = world.engine.events.on("order", listener);
    const expireTime = world.clock.nowMs() + 30_000;
    for (let n = 0; n < 10; n++) {
      await world.place({ price: "100" });
      await world.place({ price: "50", expireTime });
      await world.place({ side: "SELL", type: "TRAILING_STOP_MARKET", trailingDelta: 50, stopPrice: "90" });
      await world.place({ type: "STOP_LOSS_LIMIT", stopPrice: "99", price: "70" });
      await world.engine.cancel({ accountId: 1, orderId: (await world.place({ price: "40" })).orderId });
    }
    let answers = 0;
    world.venue.onSubmit = (child) => {
      const turn = answers++ % 4;
      if (turn === 0) return "silence";
      if (turn === 1) return reported(child.childId, "rejected");
      return turn === 2 ? reported(child.childId, "closed", [fillOf({ quantity: "0.5" })]) : filled(child);
    };
    for (let n = 0; n < 30; n++) {
      await world.quote(n % 3 === 0 ? "95" : "98", n % 2 === 0 ? "99" : "100");
      await world.pass(1_000);
    }
    await world.engine.cancelAll(1);
    world.venue.onSubmit = (child) => filled(child);
    await world.pass(60_000);
    world.updates.length = 0;
    world.venue.submitted.length = 0;
    leave();
    return seen;
  }

  it("is empty again when everything has ended: no structure keeps a parent", async () => {
    const world = await createWorld();
    const seen = await live(world);
    expect(world.engine.metrics()).toMatchObject({
      openParents: 0,
      pendingCommands: 0,
      venueQueue: 0,
      inFlight: 0,
      unknown: 0,
    });
    await world.place({ price: "1", quantity: "20" });
    await world.quote("98", "99");
    await new Promise((resolve) => setImmediate(resolve));
    collect();
    expect(seen.length).toBeGreaterThan(150);
    expect(seen.filter((reference) => reference.deref() !== undefined).length).toBe(0);
  });

  it("has no timer but the hourly one when everything has ended", async () => {
    const armed = new Set<number>();
    let count = 0;
    const world = await createWorld({
      clock: (clock) => ({
        ...clock,
        schedule(atMs, run) {
          const id = count++;
          armed.add(id);
          const cancel = clock.schedule(atMs, () => {
            armed.delete(id);
            run();
          });
          return () => {
            armed.delete(id);
            cancel();
          };
        },
      }),
    });
    await live(world);
    expect(armed.size).toBe(1);
    await world.engine.close();
    expect(armed.size).toBe(0);
  });
});
