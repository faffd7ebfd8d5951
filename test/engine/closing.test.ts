import { describe, expect, it } from "vitest";
import { createManualClock, createMemoryStore } from "../../src/adapters/memory/index.ts";
import type { Engine } from "../../src/engine/index.ts";
import type { OrderError } from "../../src/errors/index.ts";
import type { OrderStore } from "../../src/ports/index.ts";
import { createFaultyWorld, turns } from "../support/faulty-world.ts";
import { OCO } from "../support/list-samples.ts";
import { createOpeningWorld } from "../support/opening-world.ts";
import { reported } from "../support/scripted-venue.ts";
import { createWorld, listOf, START_MS, SYMBOL, type World } from "../support/world.ts";

const FIELDS = { symbol: SYMBOL, side: "BUY", type: "SYNTHETIC_LIMIT", quantity: "1", price: "90" } as const;
const PAGE = { accountId: 1, includeHistory: true, newestFirst: false, limit: 10, afterOrderId: 0 };
const LISTS = { accountId: 1, limit: 10 };
const never = <T>(): Promise<T> => new Promise(() => undefined);

/** Every call that a user may make on an engine. */
function everyCall(engine: Engine, orderId: number): Readonly<Record<string, () => Promise<unknown>>> {
  const key = { accountId: 1, orderId };
  const list = listOf("oco", OCO);
  return {
    place: () => engine.place({ accountId: 1, order: FIELDS }),
    placeList: () => engine.placeList({ accountId: 1, list }),
    cancel: () => engine.cancel(key),
    cancelAll: () => engine.cancelAll(1),
    cancelList: () => engine.cancelList({ accountId: 1, listId: -1 }),
    settleChild: () =>
      engine.settleChild({ childId: "aqc-x-y-z", state: "never", by: "somebody", why: "looked" }),
    resumeOrder: () => engine.resumeOrder({ orderId, by: "somebody", why: "looked" }),
    find: () => engine.find(key),
    findAny: () => engine.findAny(orderId),
    findList: () => engine.findList({ accountId: 1, listId: -1 }),
    openLists: () => engine.openLists(LISTS),
    allLists: () => engine.allLists(LISTS),
    listStory: () => engine.listStory(-256),
    page: () => engine.page(PAGE),
    story: () => engine.story(orderId),
    verify: () => engine.verify(),
  };
}

/** The state of a call: a value, the name of an error, or pending. */
async function outcome(call: Promise<unknown>): Promise<string> {
  return await Promise.race([received(call), turns(400).then(() => "open")]);
}

const received = (call: Promise<unknown>): Promise<string> =>
  call.then(
    () => "answered",
    (error: OrderError) => error.reason ?? String(error),
  );

describe("after a close", () => {
  it("every call is rejected with the error's name, and a second close returns the first", async () => {
    const world = await createWorld();
    const order = await world.place({ price: "100" });
    const closing = world.engine.close();
    expect(world.engine.close()).toBe(closing);
    expect(await closing).toEqual({ inFlight: 0, unknown: 0, waitingFor: [] });
    const calls = everyCall(world.engine, order.orderId);
    for (const [name, call] of Object.entries(calls))
      expect([name, await outcome(call())]).toEqual([name, "ENGINE_CLOSED"]);
    expect(world.engine.status()).toMatchObject({ system: "draining", reasons: [{ kind: "CLOSED" }] });
  });

  it("nothing more happens, whatever the market, the venue and the clock do", async () => {
    const world = await createWorld({ settings: { snapshotEvery: 1 } });
    world.venue.onSubmit = () => "silence";
    await world.place({ price: "100" });
    await world.place({ price: "90", expireTime: START_MS + 60_000 });
    await world.place({ type: "TRAILING_STOP_MARKET", side: "SELL", stopPrice: "90", trailingAmount: "5" });
    await world.quote("99", "100");
    expect(await world.engine.close()).toMatchObject({ inFlight: 1 });
    const [received, lookups] = [world.updates.length, world.venue.lookups.length];
    world.engine.market.quote({ symbol: SYMBOL, bid: "80", ask: "81" });
    world.venue.say(reported(world.venue.submitted[0]?.childId ?? "", "closed"));
    await world.clock.advanceBy(2 * 3_600_000);
    expect([world.updates.length, world.venue.lookups.length]).toEqual([received, lookups]);
    expect(world.venue.submitted).toHaveLength(1);
  });

  it("a host that fails to end its subscription does not keep the engine open", async () => {
    const world = createOpeningWorld();
    const engine = await world.open({
      marketData: {
        subscribe: () => () => {
          throw new Error("no");
        },
      },
    });
    expect(await engine.close()).toMatchObject({ waitingFor: [] });
    expect(world.reported).toContain("unsubscribe.failed");
  });
});

describe("while an engine closes", () => {
  it("every call settles", async () => {
    const names = Object.keys(everyCall((await createWorld()).engine, -256));
    for (const name of names) {
      const world = await createWorld();
      const order = await world.place({ price: "100" });
      const call = everyCall(world.engine, order.orderId)[name];
      const before = call?.().catch(() => undefined);
      const closing = world.engine.close();
      const during = call?.().catch(() => undefined);
      await closing;
      expect([name, await outcome(Promise.all([before, during]))]).toEqual([name, "answered"]);
    }
  });

  it("decisions become durable and are answered", async () => {
    const world = await createWorld();
    const order = await world.place({ price: "100" });
    const canceling = world.cancel(order);
    await world.engine.close();
    expect((await canceling).ended?.status).toBe("CANCELED");
  });

  it("a placement that waits for the host is answered, and is not accepted if the host answers then", async () => {
    let answer = (): void => undefined;
    const account = { accountId: 1, userId: 1, enableDataSharing: true, delegates: [], restricted: false };
    const world = await createWorld({
      accounts: {
        key: () => undefined,
        account: () => new Promise((resolve) => (answer = () => resolve(account))),
      },
    });
    const placing = outcome(world.place({ price: "100" }));
    await turns();
    await world.engine.close();
    expect(await placing).toBe("ENGINE_CLOSED");
    answer();
    await turns();
    await world.crash();
    expect((await world.engine.page(PAGE)).total).toBe(0);
  });

  it("a cancel that waits for an unreadable shard is answered", async () => {
    const { world, store } = await createFaultyWorld({
      report: (name) => name === "append.failed" && store().inject("fail-reads"),
    });
    const order = await world.place({ price: "100" });
    store().inject("fail", 1);
    await world.place({ price: "90" }).catch(() => undefined);
    const canceling = world.cancel(order);
    expect(await outcome(canceling)).toBe("open");
    await world.engine.close();
    expect(await outcome(canceling)).toBe("ENGINE_CLOSED");
  });
});

describe("a close with a store that does not answer", () => {
  async function hanging(what: Partial<OrderStore>): Promise<World> {
    let isOpen = false;
    const world = await createWorld({
      store: (disk) => {
        const store = createMemoryStore({ disk });
        const slow = Object.fromEntries(
          Object.entries(what).map(([name, call]) => [
            name,
            (...given: never[]) =>
              isOpen
                ? (call as (...all: never[]) => unknown)(...given)
                : store[name as "close"](...(given as [])),
          ]),
        );
        return { ...store, ...slow };
      },
      settings: { closeTimeoutMs: 3_000 },
    });
    isOpen = true;
    return world;
  }

  it("ends within closeTimeoutMs, reports what it left, and tells each caller the known outcome", async () => {
    const world = await hanging({ append: never });
    const handedOver = received(world.place({ price: "100" }));
    await turns();
    const waiting = received(world.place({ price: "90" }));
    await turns();
    const closing = world.engine.close();
    await world.clock.advanceBy(2_999);
    expect(await outcome(closing)).toBe("open");
    await world.clock.advanceBy(1);
    expect((await closing).waitingFor).toEqual(["an append to the store"]);
    expect([await handedOver, await waiting]).toEqual(["UNEXPECTED_RESPONSE", "ENGINE_CLOSED"]);
  });

  it("also if the store never closes, and the status shows it", async () => {
    const world = await hanging({ close: never });
    const closing = world.engine.close();
    await world.clock.advanceBy(3_000);
    expect((await closing).waitingFor).toEqual(["the close of the store"]);
    expect(world.statuses.at(-1)).toMatchObject({
      change: "CLOSED",
      detail: expect.stringContaining("the close of the store"),
    });
  });

  it("reads that wait for the store are answered", async () => {
    const world = await hanging({ findEnded: never });
    const reading = world.engine.find({ accountId: 1, orderId: -256 });
    await world.engine.close();
    expect(await outcome(reading)).toBe("ENGINE_CLOSED");
  });

  it("takes a store whose close() returns no promise", async () => {
    const world = await hanging({ close: () => undefined as never });
    expect(await world.engine.close()).toMatchObject({ waitingFor: [] });
  });

  it("rejects if the store fails to close, and closes everything else", async () => {
    const world = await hanging({ close: () => Promise.reject(new Error("busy")) });
    await expect(world.engine.close()).rejects.toThrow("busy");
    expect(await outcome(world.engine.verify())).toBe("ENGINE_CLOSED");
  });
});

describe("idle", () => {
  it("is bounded while time stands still, and reports the cause of the wait", async () => {
    const { world, store } = await createFaultyWorld();
    store().inject("slow");
    const placing = world.place({ price: "100" });
    await turns();
    expect(await world.engine.idle()).toEqual({
      inFlight: 0,
      unknown: 0,
      waitingFor: ["an append to the store"],
    });
    store().inject("none");
    store().release();
    await placing;
    expect(await world.engine.idle()).toMatchObject({ waitingFor: [] });
  });

  it("waits closeTimeoutMs for it where time advances", async () => {
    const clock = createManualClock({ startMs: START_MS });
    let passedMs = 0;
    const { world, store } = await createFaultyWorld({
      clock: () => ({
        ...clock,
        monotonicMs: () => clock.monotonicMs() + passedMs,
        soon: (run) =>
          queueMicrotask(() => {
            passedMs++;
            run();
          }),
      }),
    });
    store().inject("slow");
    void world.place({ price: "100" }).catch(() => undefined);
    await turns();
    const beganMs = passedMs;
    expect((await world.engine.idle()).waitingFor).toEqual(["an append to the store"]);
    expect(passedMs - beganMs).toBeGreaterThanOrEqual(world.engine.settings.closeTimeoutMs);
    expect(passedMs - beganMs).toBeLessThan(world.engine.settings.closeTimeoutMs + 100);
  });
});

describe("an opening that fails", () => {
  it("leaves no timers and no subscriptions behind", async () => {
    const world = createOpeningWorld();
    let armed = 0;
    const clock = {
      ...world.clock,
      schedule: (atMs: number, run: () => void) => {
        armed++;
        const cancel = world.clock.schedule(atMs, run);
        return () => {
          armed--;
          cancel();
        };
      },
    };
    let listening = 0;
    const store = createMemoryStore({ disk: world.disk });
    const broken = { ...store, readSnapshot: () => Promise.reject(new Error("damaged")) };
    const subscribe = () => {
      listening++;
      return () => undefined;
    };
    const venue = { ...world.venue, subscribe };
    await expect(world.open({ store: broken, clock, venue })).rejects.toThrow("damaged");
    expect([armed, listening]).toEqual([0, 0]);
    const refused = {
      ...world.venue,
      subscribe: () => {
        throw new Error("no events");
      },
    };
    await expect(world.open({ clock, venue: refused })).rejects.toThrow("no events");
    expect(armed).toBe(0);
  });
});
