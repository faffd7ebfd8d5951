import { describe, expect, it } from "vitest";
import { createMemoryAccounts } from "../../src/adapters/memory/index.ts";
import type { LiveOrder } from "../../src/engine/core/live-order.ts";
import { DueOffers } from "../../src/engine/eligibility/execution-attempts.ts";
import type { Bursts, Lane, Steps } from "../../src/engine/time/bursts.ts";
import { shardOf } from "../../src/lifecycle/index.ts";
import { createFaultyWorld } from "../support/faulty-world.ts";
import { requesting } from "../support/recorded-store.ts";
import { createScriptedVenue, filled, sentTo } from "../support/scripted-venue.ts";
import { accountEntry, createWorld, type World } from "../support/world.ts";

const ACCOUNTS = [1, 2, 3, 4, 5, 6, 7, 8, 9];
const SILENCE = (): Promise<void> => new Promise(() => undefined);

/**
 * A world whose store, from `begin` on, answers questions about the owner of a shard only after `answer` of its account. `sent`
 * are the accounts of the children that have gone out since then.
 */
async function slowStore(
  { accounts, rate }: Readonly<{ accounts: readonly number[]; rate: number }>,
  answer: (accountId: number, world: World) => Promise<void>,
) {
  let hasBegun = false;
  const world: World = await createWorld({
    accounts: createMemoryAccounts(ACCOUNTS.map(accountEntry)),
    venue: createScriptedVenue({ ratePerSecond: rate }),
    settings: { submitDeadlineMs: 60_000 },
    store: requesting(async (shard) => {
      const accountId = ACCOUNTS.find((one) => shardOf(one) === shard);
      if (hasBegun && accountId !== undefined) await answer(accountId, world);
    }),
  });
  for (const account of accounts) await world.place({ price: "100" }, account);
  hasBegun = true;
  const sent: number[] = [];
  world.venue.onSubmit = (child) => {
    sent.push(child.accountId);
    return filled(child);
  };
  await world.quote("99", "100");
  return { world, sent };
}

/** Lets an answer of the store take longer than promises. */
const soon = ({ clock }: World): Promise<void> =>
  new Promise((resolve) => clock.schedule(clock.monotonicMs() + 2, resolve));

describe("children that wait for the store to say whose their shard is", () => {
  it("keep children of others no longer if the store is silent about many shards than about one", async () => {
    const answer = async (accountId: number): Promise<void> => {
      if (accountId !== 9) await SILENCE();
    };
    const { world, sent } = await slowStore({ accounts: [1, 1, 1, ...ACCOUNTS], rate: 1 }, answer);
    await world.pass(3_200);
    expect(sent).toEqual([1, 1, 2, 9]);
  });

  it("are asked about again after a pause, also while the store is silent about another shard", async () => {
    let requested = 0;
    const answer = async (accountId: number, world: World): Promise<void> => {
      if (accountId === 1) await SILENCE();
      requested++;
      await soon(world);
      throw new Error("the store is away");
    };
    const { world } = await slowStore({ accounts: [1, 1, 1, 1, 2, 3], rate: 1 }, answer);
    await world.pass(4_000);
    expect(requested).toBeGreaterThan(2);
    expect(requested).toBeLessThan(25);
  });

  it("go out at a slow and busy venue if the store answers, also while it is silent about other shards", async () => {
    const answer = (accountId: number, world: World): Promise<void> =>
      [1, 4, 5, 6].includes(accountId) ? SILENCE() : soon(world);
    const accounts = [1, 1, 3, 2, 4, 2, 5, 2, 6, 2];
    const { world, sent } = await slowStore({ accounts, rate: 0.4 }, answer);
    for (let second = 0; second < 10; second++) {
      await world.pass(1_000);
      await world.place({ price: "100" }, 2);
      await world.quote("99", "100");
    }
    expect(sent.slice(0, 3)).toEqual([1, 2, 3]);
  });
});

type Queued = Readonly<{ lane: Lane; key: string | number; steps: Steps }>;

const parent = (accountId: number, name: string, reduceOnly = false): LiveOrder =>
  ({ working: { accountId, intent: { clientOrderId: name, reduceOnly } } }) as unknown as LiveOrder;

/** Due offers whose work waits until it is run. */
function offers() {
  const queued: Queued[] = [];
  const done: string[] = [];
  const bursts = {
    add: (lane: Lane, key: string | number, steps: Steps) => void queued.push({ lane, key, steps }),
  };
  const due = new DueOffers<string>(bursts as unknown as Bursts, ({ working }, cause) =>
    done.push(`${working.intent.clientOrderId} ${cause}`),
  );
  const run = (): string => {
    for (const { steps } of queued.splice(0)) while (steps.next().done !== true);
    return done.splice(0).join();
  };
  return { due, queued, run };
}

it("each account has its own turn for the offers of one print", () => {
  const { due, queued, run } = offers();
  due.add([parent(1, "a"), parent(1, "b"), parent(2, "c")], "print");
  expect(queued.map(({ lane, key }) => [lane, key])).toEqual([
    ["attempts", 1],
    ["attempts", 2],
  ]);
  expect(run()).toBe("a print,b print,c print");
});

it("a parent waits for one offer, of the newest print, however many come", () => {
  const { due, queued, run } = offers();
  const [a, b] = [parent(1, "a"), parent(1, "b")];
  due.add([a], "first");
  due.add([a, b], "second");
  expect([queued.length, run(), run()]).toEqual([1, "a second,b second", ""]);
  due.add([a], "third");
  expect(run()).toBe("a third");
});

it("a print that comes during the turn of an account is offered after it", () => {
  const { due, queued, run } = offers();
  const [a, b] = [parent(1, "a"), parent(1, "b")];
  due.add([a, b], "first");
  queued[0]?.steps.next();
  due.add([a, b], "second");
  expect(run()).toBe("a first,b first,a second,b second");
});

it("the parents of an account that reduce a position go first", () => {
  const { due, run } = offers();
  due.add([parent(1, "a"), parent(1, "b", true), parent(1, "c"), parent(1, "d", true)], "print");
  expect(run()).toBe("b print,d print,a print,c print");
});

describe("what is left of the sizes of the standing quote", () => {
  it("is shared by the orders of its market: one child has it until the source tells it anew", async () => {
    const world = await createWorld();
    world.venue.onSubmit = ({ childId }) => ({ childId, state: "open", fills: [] });
    await world.quote("99", "100", { ask: "1" });
    for (let n = 0; n < 2; n++) await world.place({ price: "100", quantity: "1" });
    // A heartbeat says nothing of what the child in flight has taken at the venue and not yet reported.
    for (let n = 0; n < 5; n++) await world.pass(1_000);
    expect(sentTo(world.venue)).toEqual(["BUY 1 @ 100"]);
    const [child] = world.venue.submitted;
    if (child !== undefined) world.venue.say(filled(child));
    await world.engine.idle();
    expect(sentTo(world.venue)).toEqual(["BUY 1 @ 100"]);
    // One that is later than the execution brings it back.
    await world.pass(1);
    expect(sentTo(world.venue)).toEqual(["BUY 1 @ 100", "BUY 1 @ 100"]);
  });

  it("a child in flight holds what is inside its limit, and not the deeper levels that a stop of another account needs", async () => {
    const world = await createWorld();
    world.venue.onSubmit = ({ childId }) => ({ childId, state: "open", fills: [] });
    const bids = [
      ["100", "1"],
      ["99", "50"],
    ] as const;
    await world.quote("100", "101", { bids });
    await world.place({ side: "SELL", price: "100", quantity: "100" });
    await world.engine.idle();
    expect(sentTo(world.venue)).toEqual(["SELL 100 @ 100"]);
    world.venue.onSubmit = (child) => filled(child, "99");
    const stop = { side: "SELL", type: "STOP_MARKET", stopPrice: "100", quantity: "2" } as const;
    const order = await world.place(stop, 2);
    await world.engine.idle();
    expect(await world.status(order)).toBe("FILLED FILLED");
    const limit = await world.place({ side: "SELL", price: "100" }, 2);
    await world.pass(1_000);
    expect(await world.status(limit)).toBe("NEW WAITING");
  });

  it("a child whose end was stored although its append failed holds nothing", async () => {
    const { world, store } = await createFaultyWorld();
    world.venue.onSubmit = ({ childId }) => ({ childId, state: "open", fills: [] });
    await world.quote("99", "100", { ask: "1" });
    const first = await world.place({ price: "100" });
    await world.engine.idle();
    store().inject("unknown", 1);
    const [child] = world.venue.submitted;
    if (child !== undefined) world.venue.say(filled(child));
    await world.pass(1_000);
    expect(await world.status(first)).toBe("FILLED FILLED");
    world.venue.onSubmit = (next) => filled(next);
    const second = await world.place({ price: "100" });
    await world.pass(1_000);
    await world.pass(1_000);
    expect(await world.status(second)).toBe("FILLED FILLED");
  });
});
