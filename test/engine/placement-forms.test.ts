import { createHook } from "node:async_hooks";
import { describe, expect, it, vi } from "vitest";
import { KeyedTable } from "../../src/common/index.ts";
import { createRandom } from "../../src/common/random.ts";
import { DEFAULT_SETTINGS } from "../../src/engine/index.ts";
import type { OrderError } from "../../src/errors/index.ts";
import { countOfId, shardOf } from "../../src/lifecycle/index.ts";
import { shardOfId } from "../../src/model/index.ts";
import type { OrderFields } from "../../src/requests/index.ts";
import { createFaultyWorld, type FaultyWorld, turns } from "../support/faulty-world.ts";
import { reported, sentTo } from "../support/scripted-venue.ts";
import { seedOr } from "../support/seed.ts";
import { createWorld, SYMBOL, type World, type WorldOptions } from "../support/world.ts";

/** How a host answers when an order is placed. */
type Form = "at once" | "later";
const FORMS: readonly Form[] = ["at once", "later"];

const FIELDS = { side: "BUY", type: "SYNTHETIC_LIMIT", quantity: "1", price: "100" } as const;

/** A world whose ports answer at once, or some turns later. */
async function worldOf(form: Form, options: WorldOptions = {}): Promise<FaultyWorld> {
  const made = await createFaultyWorld(options);
  // The filter is complete by then: until it is, the store is asked for every client id.
  await turns();
  if (form === "at once") return made;
  const { accounts, exposure } = made.world;
  const [account, position] = [accounts.account, exposure.position];
  accounts.account = async (id) => await turns(3).then(() => account(id));
  const later = async (id: number, symbol: string) => await turns(3).then(() => position(id, symbol));
  Object.assign(exposure, { position: later });
  return made;
}

const send = (world: World, id: string, more: Partial<OrderFields> = {}) => {
  const order = { symbol: SYMBOL, ...FIELDS, newClientOrderId: id, ...more } as OrderFields;
  return world.engine.place({ accountId: 1, order });
};

/** The result of a placement, in one line. */
const outcome = (placed: ReturnType<typeof send>): Promise<string> =>
  placed.then(
    ({ order, created }) => `${order.intent.clientOrderId} ${order.orderId} ${created ? "new" : "known"}`,
    (error: OrderError) => String(error.code),
  );

const outcomes = (placed: readonly ReturnType<typeof send>[]): Promise<readonly string[]> =>
  Promise.all(placed.map(outcome));

const idsOf = (lines: readonly string[]): ReadonlySet<string | undefined> =>
  new Set(lines.map((line) => line.split(" ")[1]));

describe.each(FORMS)("with ports that answer %s", (form) => {
  it("I03: two placements at once with one id are one order, and another intent under it is refused", async () => {
    const { world } = await worldOf(form);
    const [first, second, third] = await outcomes([
      send(world, "a"),
      send(world, "a"),
      send(world, "a", { price: "101" }),
    ]);
    expect(first).toMatch(/^a -\d+ new$/);
    expect(second).toBe(first?.replace("new", "known"));
    expect(third).toBe("-2010");
    expect(world.engine.metrics()).toMatchObject({ openParents: 1, pendingCommands: 0 });
  });

  it("orders of an account are accepted in order of arrival", async () => {
    const { world } = await worldOf(form);
    const placed = await Promise.all(["1", "2", "3", "4", "5"].map((id) => send(world, id)));
    const ids = placed.map(({ order }) => order.orderId);
    expect(ids).toEqual([...ids].sort((a, b) => b - a));
    expect(placed.map(({ order }) => order.acceptance)).toEqual([1, 2, 3, 4, 5]);
  });

  it("I03: a list that wants the id of an order in flight is refused, and so is an order that wants the id of one of its legs", async () => {
    const { world } = await worldOf(form);
    const exits = { side: "SELL", quantity: "1", aboveType: "LIMIT_MAKER", abovePrice: "110" } as const;
    const below = { belowType: "STOP_LOSS", belowStopPrice: "90", belowClientOrderId: "below" } as const;
    const oco = (id: string) =>
      world.placeList("oco", { listClientOrderId: id, aboveClientOrderId: id, ...exits, ...below }).then(
        () => "new",
        (error: OrderError) => String(error.code),
      );
    const placed = outcome(send(world, "taken"));
    expect(await oco("taken")).toBe("-2010");
    expect(await placed).toMatch(/new$/);
    const list = oco("list");
    expect(await outcome(send(world, "below"))).toBe("-2010");
    expect(await list).toBe("new");
  });

  it("a copy waits for an append that fails, and becomes the order", async () => {
    const { world, store } = await worldOf(form);
    store().inject("fail", 1);
    const lines = await outcomes(Array.from({ length: 5 }, () => send(world, "a")));
    expect(lines.filter((line) => line === "-1001")).toHaveLength(1);
    expect(lines.filter((line) => line.endsWith("new"))).toHaveLength(1);
    expect(idsOf(lines.filter((line) => line !== "-1001")).size).toBe(1);
    expect(world.engine.metrics()).toMatchObject({ openParents: 1, pendingCommands: 0 });
    expect((await world.engine.verify()).equal).toBe(true);
  });

  it("a store that does not answer: the caller gets -1006, and the id is taken until the store answers", async () => {
    const { world, store } = await worldOf(form);
    store().inject("slow", 1);
    const first = outcome(send(world, "a"));
    await turns();
    await world.clock.advanceBy(DEFAULT_SETTINGS.hostTimeoutMs);
    expect(await first).toBe("-1006");
    expect(world.engine.metrics().pendingCommands).toBe(1);
    const again = outcome(send(world, "a"));
    await turns();
    store().release();
    expect(await again).toMatch(/known$/);
    expect(world.engine.metrics().pendingCommands).toBe(0);
  });

  it("an account port that fails leaves nothing: neither the id nor a waiting slot", async () => {
    const { world } = await worldOf(form);
    const { account } = world.accounts;
    world.accounts.account = (id) => {
      world.accounts.account = account;
      if (form === "at once") throw new Error(`no account ${id}`);
      return Promise.reject(new Error(`no account ${id}`));
    };
    expect(await outcome(send(world, "a"))).toBe("-1001");
    expect(world.engine.metrics().pendingCommands).toBe(0);
    expect(await outcome(send(world, "a"))).toMatch(/new$/);
  });

  it("the number of waiting callers is limited, whatever they wait for", async () => {
    const { world, store } = await worldOf(form, { settings: { maxPendingCommands: 2 } });
    store().inject("slow", 1);
    const placed = outcomes(["a", "a", "b"].map((id) => send(world, id)));
    await turns();
    store().release();
    expect((await placed).map((line) => line.split(" ").at(-1))).toEqual(["new", "known", "-1008"]);
    expect(world.engine.metrics().pendingCommands).toBe(0);
  });

  it("an engine that is closed answers all callers, once the outcome is known", async () => {
    const { world, store } = await worldOf(form);
    store().inject("slow", 1);
    const placed = outcomes(["a", "a", "b"].map((id) => send(world, id)));
    await turns();
    const closing = world.engine.close();
    await turns();
    store().release();
    await closing;
    expect((await placed).map((line) => line.split(" ").at(-1))).toEqual(["new", "known", "new"]);
    expect(await outcome(send(world, "c"))).toBe("-1001");
  });

  it("I03: under any concurrency and any failure, each id is one order", async () => {
    const seed = seedOr(91_000_001);
    const random = createRandom(seed);
    const { world, store } = await worldOf(form);
    const answered = new Map<string, Set<string | undefined>>();
    for (let round = 0; round < 40; round++) {
      const fault = random.pick(["none", "none", "fail", "unknown"] as const);
      store().inject(fault, 1);
      const wanted = Array.from({ length: 1 + random.below(8) }, () => `${round >> 2}-${random.below(3)}`);
      const prices = wanted.map(() => String(100 + random.below(2)));
      const lines = await outcomes(
        wanted.map((id, index) => send(world, id, { price: prices[index] ?? "" })),
      );
      for (const line of lines) {
        const [id, orderId] = line.split(" ");
        if (id !== undefined && orderId !== undefined)
          answered.set(id, (answered.get(id) ?? new Set()).add(orderId));
      }
    }
    expect(
      [...answered.values()].every((ids) => ids.size === 1),
      `SEED=${seed}`,
    ).toBe(true);
    const { openParents, pendingCommands } = world.engine.metrics();
    expect({ openParents, pendingCommands }, `SEED=${seed}`).toEqual({
      openParents: answered.size,
      pendingCommands: 0,
    });
    expect((await world.engine.verify()).equal, `SEED=${seed}`).toBe(true);
  });
});

describe("without asynchronous answers", () => {
  it("a placement makes one promise, and is decided before the call returns", async () => {
    const { world } = await worldOf("at once");
    await send(world, "first");
    let promises = 0;
    const hook = createHook({ init: (_id, type) => void (type === "PROMISE" && promises++) }).enable();
    const placed = send(world, "second");
    hook.disable();
    expect(promises).toBe(1);
    expect(world.engine.metrics().openParents).toBe(2);
    expect((await placed).created).toBe(true);
  });

  it("I03: a port that places under the same id while it is asked creates no second order", async () => {
    const { world } = await worldOf("at once");
    const { account } = world.accounts;
    let inner: Promise<string> | undefined;
    world.accounts.account = (id) => {
      inner ??= outcome(send(world, "a"));
      return account(id);
    };
    expect(await outcome(send(world, "a"))).toMatch(/new$/);
    expect(await inner).toMatch(/known$/);
    expect(world.engine.metrics().openParents).toBe(1);
  });

  it("whether an id is new is known without visiting the open orders", async () => {
    const { world } = await worldOf("at once");
    await send(world, "resting");
    const looks = vi.spyOn(KeyedTable.prototype, "get");
    expect(await outcome(send(world, "new", { quantity: "0.01" }))).toBe("-1013");
    expect(looks).not.toHaveBeenCalledWith("new");
    expect(await outcome(send(world, "resting"))).toMatch(/known$/);
    expect(looks).toHaveBeenCalledWith("resting");
    looks.mockRestore();
  });

  it("both forms write the same journal for the same requests", async () => {
    const journals = await Promise.all(
      FORMS.map(async (form) => {
        const { world } = await worldOf(form);
        const wanted = ["a", "b", "a", "c", "b", "d"];
        const lines = await outcomes(wanted.map((id) => send(world, id)));
        return { lines, updates: world.updates.map(({ record }) => record) };
      }),
    );
    expect(journals[0]?.updates).toHaveLength(4);
    expect(journals[0]).toEqual(journals[1]);
  });
});

const FIELDS_IDEMPOTENCY = { price: "100", quantity: "0.5", newClientOrderId: "mine-1" } as const;
const DUPLICATE = { code: -2010, msg: "Duplicate order sent." };

const totalOf = async (world: World): Promise<number> =>
  (
    await world.engine.page({
      accountId: 1,
      includeHistory: true,
      newestFirst: false,
      limit: 1_000,
      afterOrderId: 0,
    })
  ).total;

describe("I03: the same id with the same intent is the same order", () => {
  it("in any spelling, while it is open", async () => {
    const world = await createWorld();
    const first = await world.place(FIELDS_IDEMPOTENCY);
    const { order, created } = await world.engine.place({
      accountId: 1,
      order: {
        symbol: "BTC/USD",
        side: "BUY",
        type: "LIMIT",
        apiManaged: true,
        quantity: "0.500",
        price: "100.00",
        newClientOrderId: "mine-1",
      },
    });
    expect([order.orderId, created]).toEqual([first.orderId, false]);
    expect(await totalOf(world)).toBe(1);
  });

  it("while the first append is under way", async () => {
    const { world, store } = await createFaultyWorld();
    store().inject("slow");
    const first = world.place(FIELDS_IDEMPOTENCY);
    await turns();
    const second = world.place(FIELDS_IDEMPOTENCY);
    await turns();
    expect(store().waiting).toBe(1);
    store().inject("none");
    store().release();
    expect((await second).orderId).toBe((await first).orderId);
    expect(await totalOf(world)).toBe(1);
  });

  it("after its end, after a crash, and after both", async () => {
    const world = await createWorld();
    await world.quote("101", "102");
    const first = await world.place(FIELDS_IDEMPOTENCY);
    await world.crash();
    expect((await world.place(FIELDS_IDEMPOTENCY)).orderId).toBe(first.orderId);
    await world.quote("99", "100");
    expect(await world.status(first)).toBe("FILLED FILLED");
    const ended = await world.place(FIELDS_IDEMPOTENCY);
    expect([ended.orderId, ended.ended?.status]).toEqual([first.orderId, "FILLED"]);
    await world.crash();
    expect((await world.place(FIELDS_IDEMPOTENCY)).orderId).toBe(first.orderId);
    await world.quote("99", "100");
    expect(sentTo(world.venue)).toHaveLength(1);
    expect(await totalOf(world)).toBe(1);
  });

  it("while it is ending", async () => {
    const { world, store } = await createFaultyWorld();
    const first = await world.place(FIELDS_IDEMPOTENCY);
    store().inject("slow");
    const canceling = world.cancel(first);
    await turns();
    const again = world.place(FIELDS_IDEMPOTENCY);
    store().inject("none");
    store().release();
    expect([(await again).orderId, (await canceling).orderId]).toEqual([first.orderId, first.orderId]);
    expect(await totalOf(world)).toBe(1);
  });

  it("until retention deletes its record: then the id is free", async () => {
    const world = await createWorld({ settings: { retentionDays: 1 } });
    const first = await world.place(FIELDS_IDEMPOTENCY);
    await world.cancel(first);
    await world.pass(23 * 3_600_000);
    expect((await world.place(FIELDS_IDEMPOTENCY)).orderId).toBe(first.orderId);
    await world.pass(2 * 3_600_000);
    const second = await world.place(FIELDS_IDEMPOTENCY);
    expect(second.orderId).toBeLessThan(first.orderId);
    expect((await world.engine.verify()).equal).toBe(true);
  });

  it("accounts have separate ids", async () => {
    const world = await createWorld();
    const mine = await world.place(FIELDS_IDEMPOTENCY);
    const theirs = await world.place(FIELDS_IDEMPOTENCY, 2);
    expect(theirs.orderId).not.toBe(mine.orderId);
    expect(await world.engine.find({ accountId: 2, orderId: mine.orderId })).toBeUndefined();
    expect(await world.engine.find({ accountId: 2, clientOrderId: "mine-1" })).toEqual(theirs);
  });
});

describe("I04: the same id with another intent is refused and changes nothing", () => {
  it.each([
    { quantity: "0.6" },
    { price: "101" },
    { side: "SELL" },
    { type: "STOP_LOSS_LIMIT", stopPrice: "100" },
    { symbol: "ETH/USD" },
    { childTimeInForce: "FOK" },
    { expireTime: 1_760_000_001_000 },
  ] as const)("%o", async (change) => {
    const world = await createWorld();
    const first = await world.place(FIELDS_IDEMPOTENCY);
    await expect(world.place({ ...FIELDS_IDEMPOTENCY, ...change })).rejects.toMatchObject(DUPLICATE);
    expect(await world.order(first)).toEqual(first);
    await world.cancel(first);
    await expect(world.place({ ...FIELDS_IDEMPOTENCY, ...change })).rejects.toMatchObject(DUPLICATE);
    expect(await totalOf(world)).toBe(1);
  });
});

describe("I05, I06: ids", () => {
  it("decrease in order of creation, are negative, whole and of the account's shard, over a crash too", async () => {
    const world = await createWorld();
    const ids: number[] = [];
    for (let n = 0; n < 20; n++) {
      if (n === 10) await world.crash();
      ids.push((await world.place({ price: "100" })).orderId);
    }
    expect(ids).toEqual([...ids].sort((a, b) => b - a));
    expect(ids.map(countOfId)).toEqual(ids.map((_, index) => index + 1));
    for (const id of ids)
      expect([Number.isSafeInteger(id), id < 0, shardOfId(id)]).toEqual([true, true, shardOf(1)]);
  });

  it("are not reused after a snapshot, even if all orders have ended", async () => {
    const world = await createWorld({ settings: { snapshotEvery: 1, retentionDays: 1 } });
    const first = await world.place({ price: "100" });
    await world.cancel(first);
    await world.pass(3 * 86_400_000);
    await world.crash();
    expect((await world.place({ price: "100" })).orderId).toBeLessThan(first.orderId);
  });

  it("of children are a function of parent and attempt, and none is used twice", async () => {
    const world = await createWorld();
    world.venue.onSubmit = ({ childId }) => reported(childId, "rejected");
    for (let n = 0; n < 5; n++) await world.place({ price: "100" });
    for (let n = 0; n < 10; n++) {
      if (n % 3 === 2) await world.crash();
      await world.quote("99", "100");
      await world.pass(5_000);
    }
    const ids = world.venue.submitted.map(({ childId }) => childId);
    expect(ids.length).toBeGreaterThan(30);
    expect(new Set(ids).size).toBe(ids.length);
    for (const id of ids) expect(id).toMatch(/^aqc-[0-9a-z-]{1,32}$/);
  });
});

const STOP = { type: "STOP_MARKET", stopPrice: "100" } as const;

/** Orders of two accounts in turn, all at one time: the ids of the first account's shard are further from zero. */
async function placeInTurn(world: World, count: number): Promise<readonly number[]> {
  for (let n = 0; n < 5; n++) await world.cancel(await world.place(STOP, 2));
  const placed: number[] = [];
  for (let n = 0; n < count; n++) placed.push((await world.place(STOP, 1 + ((n + 1) % 2))).orderId);
  return placed;
}

const sentBy = (world: World): readonly number[] => world.venue.submitted.map((child) => child.parentOrderId);

describe("orders accepted at the same time act in the order of their acceptance, whatever their ids", () => {
  it("on one quote", async () => {
    const world = await createWorld();
    expect(shardOf(1)).not.toBe(shardOf(2));
    const placed = await placeInTurn(world, 6);
    expect(new Set(placed.map((orderId) => shardOfId(orderId))).size).toBe(2);
    await world.quote("99", "100");
    expect(sentBy(world)).toEqual(placed);
  });

  it("also after a restart, before orders that are accepted later", async () => {
    const world = await createWorld();
    const placed = await placeInTurn(world, 4);
    await world.crash();
    const later = [await world.place(STOP, 2), await world.place(STOP, 1)];
    // The first quote after the restart is held until a second one confirms it.
    await world.quote("99", "100");
    await world.quote("99", "100");
    expect(sentBy(world)).toEqual([...placed, ...later.map(({ orderId }) => orderId)]);
  });

  it("including legs of one list, in the order in which they are shown", async () => {
    const world = await createWorld();
    const { legs } = await world.placeList("oco", {
      side: "SELL",
      quantity: "1",
      aboveType: "TAKE_PROFIT",
      aboveStopPrice: "120",
      belowType: "STOP_LOSS",
      belowStopPrice: "80",
    });
    const numbers = legs.map(({ acceptance }) => acceptance ?? 0);
    expect(numbers).toEqual([1, 2]);
  });
});
