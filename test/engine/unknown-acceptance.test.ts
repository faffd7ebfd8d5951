import { describe, expect, it } from "vitest";
import { createMemoryAccounts } from "../../src/adapters/memory/index.ts";
import type { ListIntent } from "../../src/model/index.ts";
import type { Accounts } from "../../src/ports/index.ts";
import { createFaultyWorld, turns } from "../support/faulty-world.ts";
import { createGate, type Gate } from "../support/gate.ts";
import { createLateStore } from "../support/late-store.ts";
import { OCO } from "../support/list-samples.ts";
import { accountEntry, createWorld, listOf, type World } from "../support/world.ts";

/** A world in which the store keeps an append without saying so, and cannot be read for as long as the test wants. */
type UnknownWorld = Readonly<{
  world: World;
  /** Places something whose outcome stays unknown. */
  lose(place: () => Promise<unknown>): Promise<void>;
  /** The store can be read again. */
  find(): Promise<void>;
  /** Holds what the host says about accounts. */
  answers: Gate;
}>;

async function unknownWorld(): Promise<UnknownWorld> {
  const appends: (readonly "denied"[])[] = [];
  let isUnreadable = false;
  const answers = createGate();
  const known = createMemoryAccounts([accountEntry(1)]);
  const accounts: Accounts = {
    ...known,
    async account(accountId) {
      await answers.pass();
      return await known.account(accountId);
    },
  };
  const world = await createWorld({
    accounts,
    store: (disk) => {
      const late = createLateStore(disk);
      const { append, head } = late.store;
      return {
        ...late.store,
        append: (batch) => {
          late.appends.push(...(appends.shift() ?? []));
          return append(batch);
        },
        async head(shard) {
          if (isUnreadable) throw new Error("the store cannot read");
          return await head(shard);
        },
      };
    },
  });
  return {
    world,
    async lose(place) {
      isUnreadable = true;
      appends.push(["denied"]);
      await expect(place()).rejects.toMatchObject({ code: -1006 });
    },
    async find() {
      isUnreadable = false;
      await world.pass(world.engine.settings.retryMinMs);
    },
    answers,
  };
}

/** Legs without ids of their own: each request generates others. */
const exit = (): ListIntent => listOf("oco", { ...OCO, listClientOrderId: "exit-1" });

const PAGE = { accountId: 1, includeHistory: true, newestFirst: false, limit: 10, afterOrderId: 0 };
const BUSY = { code: -1001, reason: "DISCONNECTED" };

describe("while it is unknown whether an acceptance is durable", () => {
  it("I03: a copy of a list that waits for the host meanwhile is not placed as another list", async () => {
    const { world, lose, find, answers } = await unknownWorld();
    await lose(() => world.engine.placeList({ accountId: 1, list: exit() }));
    answers.shut();
    const copy = world.engine.placeList({ accountId: 1, list: exit() }).catch((error: unknown) => error);
    await turns();
    await find();
    answers.open();
    expect(await copy).toMatchObject(BUSY);
    expect(await world.engine.placeList({ accountId: 1, list: exit() })).toMatchObject({ created: false });
    expect((await world.engine.cancelAll(1)).matchedCount).toBe(2);
    await world.engine.idle();
    expect((await world.engine.verify()).equal).toBe(true);
  });

  it("I71: an order is neither there nor not there, for reads and for cancels", async () => {
    const { world, lose, find } = await unknownWorld();
    const key = { accountId: 1, clientOrderId: "mine" };
    await lose(() => world.place({ price: "100", newClientOrderId: "mine" }));
    await expect(world.engine.find(key)).rejects.toMatchObject(BUSY);
    await expect(world.engine.cancel(key)).rejects.toMatchObject(BUSY);
    await find();
    const { orderId } = (await world.engine.find(key)) ?? { orderId: 0 };
    expect(orderId).toBeLessThan(0);
    expect((await world.engine.cancel(key)).ended?.status).toBe("CANCELED");
  });

  it("I71: a list is neither there nor not there, for reads and for cancels", async () => {
    const { world, lose, find } = await unknownWorld();
    const key = { accountId: 1, listClientOrderId: "exit-1" };
    await lose(() => world.engine.placeList({ accountId: 1, list: exit() }));
    await expect(world.engine.findList(key)).rejects.toMatchObject(BUSY);
    await expect(world.engine.cancelList(key)).rejects.toMatchObject(BUSY);
    await find();
    expect((await world.engine.findList(key))?.legs).toHaveLength(2);
    expect((await world.engine.cancelList(key)).legs.map(({ ended }) => ended?.status)).toEqual([
      "CANCELED",
      "CANCELED",
    ]);
  });

  it("I71: pages of the account are refused, and show everything afterwards", async () => {
    const { world, lose, find } = await unknownWorld();
    await lose(() => world.engine.placeList({ accountId: 1, list: exit() }));
    await expect(world.engine.page(PAGE)).rejects.toMatchObject(BUSY);
    await expect(world.engine.openLists({ accountId: 1, limit: 10 })).rejects.toMatchObject(BUSY);
    await expect(world.engine.allLists({ accountId: 1, limit: 10 })).rejects.toMatchObject(BUSY);
    await find();
    expect((await world.engine.page(PAGE)).total).toBe(2);
    expect(await world.engine.openLists({ accountId: 1, limit: 10 })).toHaveLength(1);
  });

  it("I71: the same if the store has not answered in time, until it does", async () => {
    const { world, store } = await createFaultyWorld();
    const open = await world.place({ price: "90" });
    store().inject("slow", 1);
    const placing = world.place({ price: "100" });
    await turns();
    expect((await world.engine.page(PAGE)).orders).toEqual([open]);
    const given = expect(placing).rejects.toMatchObject({ code: -1006 });
    await world.clock.advanceBy(world.engine.settings.hostTimeoutMs, () => turns());
    await given;
    await expect(world.engine.page(PAGE)).rejects.toMatchObject(BUSY);
    store().release();
    await world.engine.idle();
    expect((await world.engine.page(PAGE)).total).toBe(2);
  });

  it("I71: other orders of the account are answered as before", async () => {
    const { world, lose } = await unknownWorld();
    const other = await world.place({ price: "90", newClientOrderId: "other" });
    await lose(() => world.place({ price: "100", newClientOrderId: "mine" }));
    expect(await world.status(other)).toBe("NEW WAITING");
    expect(await world.engine.find({ accountId: 1, clientOrderId: "none" })).toBeUndefined();
    await expect(world.engine.cancel({ accountId: 1, clientOrderId: "none" })).rejects.toMatchObject({
      code: -2011,
    });
  });
});
