import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createManualClock, createMarketFeed } from "../../src/adapters/memory/index.ts";
import { add, type Quantity, quantity, subtract, ZERO_QUANTITY } from "../../src/decimal/index.ts";
import type { Core } from "../../src/engine/core/core.ts";
import { EngineTime } from "../../src/engine/core/engine-time.ts";
import type { LiveOrder } from "../../src/engine/core/live-order.ts";
import { OwnExecutions } from "../../src/engine/core/own-executions.ts";
import { ExposureTracker } from "../../src/engine/eligibility/exposure-tracker.ts";
import { ExposureSums } from "../../src/engine/shards/account-orders.ts";
import type { Shards } from "../../src/engine/shards/shards.ts";
import type { ChildRequest, Fact, Fill, ParentOrder } from "../../src/model/index.ts";
import { filled, fillOf, reported } from "../support/scripted-venue.ts";
import { createWorld, SYMBOL, type World } from "../support/world.ts";

const ETH = "ETH/USD";
const EXIT = {
  side: "SELL",
  type: "STOP_MARKET",
  stopPrice: "100",
  quantity: "1",
  reduceOnly: true,
} as const;
const STEP = quantity("0.001");

/** A position port that takes 20 ms, and an account whose other orders fill every 10 ms on a market and side. */
async function busy(symbol: string, side: "BUY" | "SELL"): Promise<BusyWorld> {
  let position = quantity("1");
  const requested: number[] = [];
  const sold: ChildRequest[] = [];
  const world = await createWorld({
    exposure: (clock) => ({
      lagMs: 0,
      position: () => {
        requested.push(clock.nowMs());
        const read = position;
        return new Promise((resolve) => clock.schedule(clock.nowMs() + 20, () => resolve(read)));
      },
    }),
  });
  world.venue.onLookup = ({ childId }) => reported(childId, "open");
  world.venue.onSubmit = (child) => {
    if (!child.reduceOnly) return reported(child.childId, "open");
    sold.push(child);
    return filled(child, "99");
  };
  world.engine.market.quote({ symbol: ETH, bid: "100", ask: "101" });
  await world.quote("200", "201");
  const placing = world.place(EXIT);
  await world.clock.advanceBy(20);
  const exit = await placing;
  await world.place({
    symbol,
    side,
    type: "SYNTHETIC_LIMIT",
    quantity: "100",
    price: side === "BUY" ? "900" : "1",
  });
  world.engine.market.quote({ symbol: ETH, bid: "100", ask: "101" });
  await world.quote("200", "201");
  const other = world.venue.submitted[0]?.childId ?? "";
  const fills: Fill[] = [];
  requested.length = 0;
  return {
    world,
    exit,
    requested,
    sold,
    async fillEvery10ms(times) {
      for (let n = 0; n < times; n++) {
        if (symbol === SYMBOL && side === "SELL") position = subtract(position, STEP);
        fills.push(fillOf({ quantity: STEP, price: "100" }));
        world.venue.say(reported(other, "open", fills));
        await world.clock.advanceBy(10);
        if (n === 0) world.engine.market.quote({ symbol: SYMBOL, bid: "99", ask: "100" });
      }
      await world.engine.idle();
    },
  };
}

type BusyWorld = Readonly<{
  world: World;
  exit: ParentOrder;
  requested: readonly number[];
  sold: readonly ChildRequest[];
  fillEvery10ms: (times: number) => Promise<void>;
}>;

describe("a reduce-only exit of an account that fills continuously", () => {
  it.each([
    ["another market", ETH, "SELL"],
    ["another side", SYMBOL, "BUY"],
  ] as const)("fills on %s do not invalidate its measurement", async (_, symbol, side) => {
    const { exit, world, requested, sold, fillEvery10ms } = await busy(symbol, side);
    await fillEvery10ms(8);
    expect([requested.length, sold.map(({ quantity: size }) => size)]).toEqual([1, [quantity("1")]]);
    expect(await world.status(exit)).toBe("FILLED FILLED");
  });

  it("I13: fills on its own market and side repeat the measurement at most three times, then are subtracted", async () => {
    const { requested, sold, fillEvery10ms } = await busy(SYMBOL, "SELL");
    await fillEvery10ms(20);
    expect(requested).toHaveLength(3);
    // The last answer was read after 5 fills, and 2 more came before it arrived.
    expect(sold.map(({ quantity: size }) => size)).toEqual([quantity("0.993")]);
  });

  it("during the measurement its story says so, and does not blame the price", async () => {
    const { exit, world, fillEvery10ms } = await busy(ETH, "SELL");
    await fillEvery10ms(2);
    expect((await world.engine.story(exit.orderId))?.waitingFor).toMatch(
      /the host's answer about the exposure/,
    );
  });
});

/** The members of a parent that the sums read. */
type ReduceRow = Readonly<{ symbol: string; reduceOnly: boolean; open?: number; executed: number }>;

const orderOf = ({ symbol, reduceOnly, open, executed }: ReduceRow): ParentOrder =>
  ({
    intent: { symbol, side: "SELL", reduceOnly },
    executedQuantity: executed as unknown as Quantity,
    ...(open !== undefined && {
      child: { quantity: open as unknown as Quantity, executedQuantity: ZERO_QUANTITY },
    }),
  }) as unknown as ParentOrder;

it("running sums equal the sums over all parents", () => {
  const amount = fc.integer({ min: 0, max: 1_000 });
  const held = fc.record({
    symbol: fc.constantFrom(SYMBOL, ETH),
    reduceOnly: fc.boolean(),
    open: fc.option(amount, { nil: undefined }),
    executed: amount,
  });
  const life = fc.record({
    from: held,
    steps: fc.array(
      fc.record({ open: fc.option(amount, { nil: undefined }), more: amount, isRetained: fc.boolean() }),
    ),
  });
  fc.assert(
    fc.property(fc.array(life), (lives) => {
      const sums = new ExposureSums();
      let [reserved, executed, durable] = [ZERO_QUANTITY, ZERO_QUANTITY, ZERO_QUANTITY];
      for (const { from, steps } of lives) {
        let now = orderOf(from as ReduceRow);
        sums.hold(now);
        let state = from;
        let stored = now;
        for (const { open, more, isRetained } of steps) {
          state = { ...state, open, executed: state.executed + more };
          const next = orderOf(state as ReduceRow);
          sums.move(now, next);
          if (isRetained) sums.countDurable(stored, next);
          if (isRetained) stored = next;
          now = next;
        }
        if (from.symbol !== SYMBOL) continue;
        executed = add(executed, (state.executed - from.executed) as unknown as Quantity);
        durable = add(durable, subtract(stored.executedQuantity, from.executed as unknown as Quantity));
        if (state.reduceOnly) reserved = add(reserved, (state.open ?? 0) as unknown as Quantity);
      }
      const any = orderOf({ symbol: SYMBOL, reduceOnly: true, executed: 0 });
      expect(sums.of(any)).toMatchObject({ reserved, executed, durable });
    }),
  );
});

it.each([
  ["of an opening child counts whole", { reduceOnly: false, open: 5 }, { open: 5 }, 3, 3],
  ["of a reduce-only child does not count", { reduceOnly: true, open: 5 }, { open: 2 }, 3, 0],
  ["that closes a reduce-only child does not count either", { reduceOnly: true, open: 5 }, {}, 3, 0],
  ["beyond a reduce-only child counts as far as it is beyond", { reduceOnly: true, open: 5 }, {}, 7, 2],
  ["that is late counts whole", { reduceOnly: true }, {}, 3, 3],
] as const)("I13: an execution %s as unreserved", (_which, from, to, more, unreserved) => {
  const sums = new ExposureSums();
  const before = orderOf({ symbol: SYMBOL, executed: 0, ...from });
  sums.hold(before);
  sums.move(before, orderOf({ symbol: SYMBOL, reduceOnly: from.reduceOnly, executed: more, ...to }));
  expect(sums.of(before).unreserved).toBe(unreserved);
});

describe("an exposure that is requested while a child of the parent is open", () => {
  it("is compared with the parent as of the answer: a closed child is no longer subtracted", async () => {
    const answers: ((position: Quantity) => void)[] = [];
    let isSlow = false;
    const world = await createWorld({
      // Every print is of another participant, so that it is followed while a child is out.
      marketData: createMarketFeed("none"),
      exposure: {
        position: () => (isSlow ? new Promise<Quantity>((resolve) => answers.push(resolve)) : quantity("3")),
      },
    });
    world.venue.onSubmit = ({ childId }) => reported(childId, "open");
    world.venue.onLookup = ({ childId }) => reported(childId, "open");
    await world.quote("100", "101");
    await world.place({
      side: "SELL",
      type: "POV",
      quantity: "10",
      participationBips: 10_000,
      reduceOnly: true,
    });
    await world.print("2");
    const childId = world.venue.submitted[0]?.childId ?? "";
    isSlow = true;
    await world.print("5");
    world.venue.say(reported(childId, "closed", [fillOf({ quantity: "1" })]));
    await world.engine.idle();
    for (let tries = 0; tries < 4; tries++) {
      answers.shift()?.(quantity("2"));
      await world.engine.idle();
    }
    const left = world.venue.submitted.slice(1).map(({ quantity: sent }) => sent);
    expect(left).toEqual([quantity("2")]);
  });
});

const LAG = { lagMs: 10_000, confirmMs: 10_000, answerMs: 5_000 };
const DAY = 86_400_000;
const START = 1_000_000_000;

const ORDER = { orderId: -1, accountId: 1, intent: { symbol: "BTC/USD", side: "SELL" } } as ParentOrder;

/** An execution of an order that sells. */
const sold = (size: string, timeMs: number): Fact => {
  const fill = { executionId: `${timeMs}`, quantity: quantity(size), price: 1 as never, timeMs };
  return { kind: "FILLED", childId: `c-${timeMs}`, fill } as Fact;
};

describe("what a late position does not show", () => {
  it("late answers from before a trade elsewhere explain nothing by chance", () => {
    const clock = createManualClock({ startMs: START });
    const own = new OwnExecutions(LAG, () => clock.monotonicMs());
    const requested = (position: string) => {
      const answer = { position: quantity(position), requestedAtMs: clock.monotonicMs(), noted: own.noted };
      return own.shown(ORDER, { ...answer, isSettled: true });
    };
    own.note(ORDER, [sold("2", 1)]);
    own.note(ORDER, [sold("3", 2)]);
    // It may show none of them, one or both: 6, 4 or 1 are left of it.
    expect(requested("6")).toBe(quantity("1"));
    // Meanwhile the account has bought elsewhere. This answer is one of the former holdings without the first execution.
    expect(requested("4")).toBeLessThanOrEqual(ZERO_QUANTITY);
  });

  it("what is read while the wall clock is ahead for an instant is dated by the time at which the engine begins", () => {
    const clock = createManualClock({ startMs: START });
    clock.stepWall(DAY);
    const time = new EngineTime(clock, 1_000);
    const own = new OwnExecutions(LAG, () => clock.monotonicMs());
    time.startFrom(START);
    own.reading(0, time).read(ORDER, [sold("2", 1)], { timeMs: START - 2_000 });
    clock.stepWall(-DAY);
    own.younger(time.begin());
    expect(own.quietSinceMs(ORDER)).toBe(clock.monotonicMs() - 2_000);
  });

  it("a wall clock that went forward between two processes makes no execution older than the position", () => {
    const clock = createManualClock({ startMs: START });
    const time = new EngineTime(clock, 1_000);
    const own = new OwnExecutions(LAG, () => clock.monotonicMs());
    // Executed less than 10 s ago; by the wall clock, which is 5 s ahead, 12 s ago.
    own.reading(0, time).read(ORDER, [sold("2", 1)], { timeMs: START - 12_000 });
    const answer = { position: quantity("5"), noted: own.noted, isSettled: true };
    const shown = () => own.shown(ORDER, { ...answer, requestedAtMs: clock.monotonicMs() });
    expect(shown()).toBe(quantity("3"));
    clock.skipTo(START + LAG.lagMs);
    expect(shown()).toBe(quantity("5"));
  });

  it("what is read while the wall clock is behind was not written earlier than it was", () => {
    const clock = createManualClock({ startMs: START });
    clock.stepWall(-9_000);
    const time = new EngineTime(clock, 1_000);
    const own = new OwnExecutions(LAG, () => clock.monotonicMs());
    time.startFrom(START);
    own.reading(0, time).read(ORDER, [sold("2", 1)], { timeMs: START - 500 });
    own.younger(time.begin());
    expect(own.quietSinceMs(ORDER)).toBe(clock.monotonicMs() - 500);
  });

  it("a market is forgotten once it was not used for ten times as long as executions are remembered", () => {
    const clock = createManualClock({ startMs: START });
    const own = new OwnExecutions(LAG, () => clock.monotonicMs());
    const of = (accountId: number) => ({ ...ORDER, accountId });
    const trade = (first: number): void => {
      for (let id = first; id < first + 5; id++) own.note(of(id), [sold("1", 1)]);
    };
    const known = () =>
      Array.from({ length: 15 }, (_, id) => id).filter((id) => own.quietSinceMs(of(id)) >= START);
    trade(0);
    clock.skipTo(START + 10 * (LAG.confirmMs + LAG.answerMs));
    own.note(of(3), [sold("1", 2)]);
    clock.skipTo(clock.nowMs() + 1);
    trade(5);
    trade(10);
    expect(known()).toEqual([3, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14]);
  });
});

const order = { orderId: -256, accountId: 1, intent: { symbol: "BTC/USD", side: "SELL" } } as ParentOrder;
const newLive = (): LiveOrder => ({ working: order, durable: order }) as unknown as LiveOrder;

/** A parent whose position was asked for, and the host that has not answered yet. */
function requesting() {
  let live = newLive();
  const emitted: string[] = [];
  const answers: { resolve: (position: Quantity) => void; reject: (error: Error) => void }[] = [];
  const core = {
    monotonicMs: () => 0,
    executions: { noted: 0, shown: (_: unknown, { position }: { position: Quantity }) => position },
    effects: { emit: ({ kind }: { kind: string }) => emitted.push(kind) },
    telemetry: { event: () => undefined },
  } as unknown as Core;
  const shard = {
    post: (run: () => void) => run(),
    memory: {
      account: () => ({
        sums: { of: () => ({ executed: 0, durable: 0, reserved: 0 }), isSettled: () => false },
      }),
    },
  };
  const shards = { live: () => live, ofOrder: () => shard } as unknown as Shards;
  const position = (): Promise<Quantity> =>
    new Promise((resolve, reject) => answers.push({ resolve, reject }));
  const timers = { after: () => () => undefined };
  const tracker = new ExposureTracker(core, { position } as never, shards, timers as never);
  tracker.measure(order);
  const readAgain = (): void => {
    live = newLive();
  };
  return { emitted, answers, readAgain };
}

describe("I62: a parent waits for a position of the host", () => {
  it("meets the market again when the position cannot be read", async () => {
    const { emitted, answers } = requesting();
    answers[0]?.reject(new Error("away"));
    await Promise.resolve();
    expect(emitted).toEqual(["REARM"]);
  });

  it.each(["fails", "comes"])(
    "after its shard was read again, it does nothing when the answer %s",
    async (how) => {
      const { emitted, answers, readAgain } = requesting();
      readAgain();
      // The shard has armed the new object, which may be in another state: the former must not take it out of the book.
      if (how === "fails") answers[0]?.reject(new Error("away"));
      else answers[0]?.resolve(1 as Quantity);
      await Promise.resolve();
      expect(emitted).toEqual([]);
    },
  );
});
