import { expect, it } from "vitest";
import { createMemoryStore } from "../../src/adapters/memory/index.ts";
import type { OrderStore } from "../../src/ports/index.ts";
import { createFaultyStore, type FaultyStore } from "../support/faulty-store.ts";
import { fillOf, reported } from "../support/scripted-venue.ts";
import { createWorld, type World } from "../support/world.ts";

const PAGE = { accountId: 1, includeHistory: true, newestFirst: false, limit: 100, afterOrderId: 0 };

/** A paused read of ended orders, before the store looks or while its answer is in flight. */
type Stop = Readonly<{ read: "pageEnded" | "countEnded"; at: "question" | "answer" }>;

type SlowWorld = Readonly<{
  world: World;
  store: FaultyStore;
  stopAt: (stop: Stop) => void;
  resume: () => void;
}>;

/** A world whose next read of that kind pauses until it is resumed. */
async function slowWorld(): Promise<SlowWorld> {
  let stop: Stop | undefined;
  let resume: () => void = () => undefined;
  const slowly = async <T>(name: Stop["read"], read: () => Promise<T>): Promise<T> => {
    if (stop?.read !== name) return await read();
    const { at } = stop;
    stop = undefined;
    const held = new Promise<void>((resolve) => {
      resume = resolve;
    });
    if (at === "question") await held;
    const answer = await read();
    if (at === "answer") await held;
    return answer;
  };
  const stores: FaultyStore[] = [];
  const slow = (store: OrderStore): OrderStore => ({
    ...store,
    pageEnded: (page) => slowly("pageEnded", () => store.pageEnded(page)),
    countEnded: (whose) => slowly("countEnded", () => store.countEnded(whose)),
  });
  const world = await createWorld({
    store: (disk) => {
      const store = createFaultyStore(createMemoryStore({ disk }));
      stores.push(store);
      return slow(store);
    },
  });
  const [store] = stores;
  if (store === undefined) throw new Error("no store was opened");
  const stopAt = (next: Stop): void => {
    stop = next;
  };
  return { world, store, stopAt, resume: () => resume() };
}

const STOPS: readonly Stop[] = (["pageEnded", "countEnded"] as const).flatMap((read) => [
  { read, at: "question" },
  { read, at: "answer" },
]);

it.each(STOPS)("I70: an order that ends while $read is slow ($at) counts once", async (stop) => {
  const { world, stopAt, resume } = await slowWorld();
  const orders = [];
  for (let n = 0; n < 4; n++) orders.push(await world.place({ price: "50" }));
  const [first, second] = orders;
  if (first === undefined || second === undefined) throw new Error("no order");
  await world.cancel(first);
  stopAt(stop);
  const page = world.engine.page(PAGE);
  await world.engine.idle();
  await world.cancel(second);
  await world.place({ price: "50" });
  await world.place({ price: "50" }, 2);
  resume();
  expect(await page).toMatchObject({ total: 4, orders: { length: 4 } });
  expect((await world.engine.page(PAGE)).total).toBe(5);
});

it.each(STOPS)("I70: an end that is being written when $read begins ($at) counts once", async (stop) => {
  const { world, store, stopAt, resume } = await slowWorld();
  const order = await world.place({ price: "50" });
  await world.place({ price: "50" });
  store.inject("slow", 1);
  const cancel = world.cancel(order);
  await appending(store);
  stopAt(stop);
  const page = world.engine.page(PAGE);
  store.release();
  await cancel;
  await world.engine.idle();
  resume();
  expect(await page).toMatchObject({ total: 2, orders: { length: 2 } });
});

it.each(["fail", "unknown"] as const)(
  "I70: an end whose append says %s counts once at most",
  async (fault) => {
    const { world, store, stopAt, resume } = await slowWorld();
    const order = await world.place({ price: "50" });
    await world.place({ price: "50" });
    stopAt({ read: "countEnded", at: "question" });
    const page = world.engine.page(PAGE);
    store.inject(fault, 1);
    await world.cancel(order).catch(() => undefined);
    // The numbers of lost records are assigned again, to a record that ends nothing.
    await world.place({ price: "50" });
    resume();
    expect((await page).total).toBe(2);
    expect((await world.engine.page(PAGE)).total).toBe(3);
  },
);

it("I70, decision 11: an order that ended with a late fill in flight counts once, with history and without", async () => {
  const { world, store } = await slowWorld();
  world.venue.onSubmit = ({ childId }) => reported(childId, "open");
  await world.place({ price: "100" });
  await world.place({ price: "50" });
  await world.quote("99", "100");
  const childId = world.venue.submitted[0]?.childId ?? "";
  store.inject("slow", 2);
  world.venue.say(reported(childId, "closed", [fillOf({ quantity: "1" })]));
  await appending(store);
  world.venue.say(reported(childId, "closed", [fillOf({ quantity: "0.1" })]));
  store.release();
  await appending(store);
  expect(await world.engine.page(PAGE)).toMatchObject({ total: 2, orders: { length: 2 } });
  expect((await world.engine.page({ ...PAGE, includeHistory: false })).total).toBe(1);
  store.release();
  await world.engine.idle();
  expect((await world.engine.page(PAGE)).total).toBe(2);
});

/** Resolves when an append waits to be released. */
async function appending(store: FaultyStore): Promise<void> {
  while (store.waiting === 0) await Promise.resolve();
}
