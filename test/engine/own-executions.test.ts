import { describe, expect, it } from "vitest";
import { createManualClock } from "../../src/adapters/memory/index.ts";
import { quantity, ZERO_QUANTITY } from "../../src/decimal/index.ts";
import { EngineTime } from "../../src/engine/core/engine-time.ts";
import { OwnExecutions } from "../../src/engine/core/own-executions.ts";
import type { Fact, ParentOrder } from "../../src/model/index.ts";

const LAG = { lagMs: 10_000, confirmMs: 10_000, answerMs: 5_000 };
const DAY = 86_400_000;
const START = 1_000_000_000;

const ORDER = { orderId: -1, accountId: 1, intent: { symbol: "BTC/USD", side: "SELL" } } as ParentOrder;

/** An execution of an order that sells. */
const sold = (size: string, timeMs: number): Fact => {
  const fill = { executionId: `${timeMs}`, quantity: quantity(size), price: 1 as never, timeMs };
  return { kind: "FILLED", childId: `c-${timeMs}`, fill } as Fact;
};

describe("decision 24: what a late position does not show", () => {
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
