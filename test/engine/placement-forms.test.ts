import { createHook } from "node:async_hooks";
import { describe, expect, it, vi } from "vitest";
import { KeyedTable } from "../../src/common/index.ts";
import { createRandom } from "../../src/common/random.ts";
import { DEFAULT_SETTINGS } from "../../src/engine/index.ts";
import type { OrderError } from "../../src/errors/index.ts";
import type { OrderFields } from "../../src/requests/index.ts";
import { createFaultyWorld, type FaultyWorld, turns } from "../support/faulty-world.ts";
import { seedOr } from "../support/seed.ts";
import { SYMBOL, type World, type WorldOptions } from "../support/world.ts";

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

describe.each(FORMS)("decision EH: with ports that answer %s", (form) => {
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

describe("decision EH: without asynchronous answers", () => {
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

  it("decision EK: whether an id is new is known without visiting the open orders", async () => {
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
