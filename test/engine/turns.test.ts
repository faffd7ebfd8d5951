import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createManualClock, type ManualClock } from "../../src/adapters/memory/index.ts";
import { EngineTime } from "../../src/engine/core/engine-time.ts";
import { type TimerEntry, TimerHeap, Timers } from "../../src/engine/time/timers.ts";
import type { Clock } from "../../src/ports/index.ts";
import { createHeldTurns } from "../support/held-turns.ts";
import { createWorld } from "../support/world.ts";

describe("background work shares one part of each turn", () => {
  it("two pieces of work at a time take turns, and never use more than one share together", async () => {
    const held = createHeldTurns(10);
    const done: string[] = [];
    const work = async (name: string, count: number): Promise<void> => {
      for (let n = 0; n < count; n++) {
        done.push(name);
        const turn = held.turns.spend(1);
        if (turn !== undefined) await turn;
      }
    };
    const all = Promise.all([work("a", 40), work("b", 40)]);
    const perTurn: number[] = [];
    let before = 0;
    await held.run(() => {
      perTurn.push(done.length - before);
      before = done.length;
    });
    await all;
    expect(done).toHaveLength(80);
    expect(Math.max(...perTurn)).toBeLessThanOrEqual(11);
    const half = done.slice(0, 40);
    expect(half.filter((name) => name === "b").length).toBeGreaterThan(10);
  });

  it("a turn that other code waits for gives no new share before it comes", async () => {
    const held = createHeldTurns(10);
    for (let n = 0; n < 9; n++) expect(held.turns.spend(1)).toBeUndefined();
    void held.turns.next();
    expect(held.turns.spend(1)).toBeInstanceOf(Promise);
  });
});

const MOST = 2_000;

it("callers that place again as soon as they are answered leave turns to others", async () => {
  const world = await createWorld({
    clock: (clock) => ({ ...clock, soon: (run) => void setImmediate(run) }),
  });
  let placed = 0;
  let turns = 0;
  let over = false;
  const look = (): void => {
    turns++;
    if (!over) setImmediate(look);
  };
  setImmediate(look);
  const caller = async (): Promise<void> => {
    for (let n = 0; n < MOST / 8 && turns < 20; n++) {
      await world.place({ price: "20" });
      placed++;
    }
  };
  await Promise.all(Array.from({ length: 8 }, caller));
  over = true;
  expect(turns).toBeGreaterThanOrEqual(20);
  expect(placed).toBeLessThan(MOST / 4);
});

const MANY = 2_000;

/** Timers on a clock whose next turn comes on request. */
function heldTimers() {
  const clock = createManualClock({ startMs: 0 });
  const requested: (() => void)[] = [];
  const held = { ...clock, soon: (run: () => void) => void requested.push(run) };
  const timers = new Timers(held, new EngineTime(held, 1_000), () => undefined);
  timers.begin();
  const next = (): boolean => {
    const run = requested.shift();
    run?.();
    return run !== undefined;
  };
  return { clock, timers, next };
}

describe("work that is due before an input goes in turns, however much it is", () => {
  it("slots of many schedules come before the quote that finds them due, and before the print after that", async () => {
    const { clock, timers, next } = heldTimers();
    const ran: string[] = [];
    for (let n = 0; n < MANY; n++) timers.whileQuoted(10 + (n % 3), () => void ran.push("slot"));
    await clock.advanceTo(20);
    for (const input of ["quote", "print"]) {
      timers.runDue();
      timers.afterDue(() => {
        ran.push(input);
        if (input === "quote") timers.whileQuoted(15, () => void ran.push("slot that the quote opened"));
      });
    }
    const perTurn = [ran.length];
    expect(timers.isBehind).toBe(true);
    for (let before = ran.length; next(); before = ran.length) perTurn.push(ran.length - before);
    expect(timers.isBehind).toBe(false);
    expect(Math.max(...perTurn)).toBeLessThanOrEqual(515);
    expect(ran.slice(0, MANY)).toEqual(Array.from({ length: MANY }, () => "slot"));
    expect(ran.slice(MANY)).toEqual(["quote", "slot that the quote opened", "print"]);
    timers.afterDue(() => void ran.push("next"));
    expect(ran.at(-1)).toBe("next");
  });

  it("and so do orders that expire at one time, in order of time, then of age", async () => {
    const { clock, timers, next } = heldTimers();
    const ran: number[] = [];
    for (let n = 0; n < MANY; n++) timers.at(10, () => void ran.push(n));
    await clock.advanceTo(10);
    expect(ran.length).toBeLessThanOrEqual(512);
    while (next());
    expect(ran).toEqual(Array.from({ length: MANY }, (_, n) => n));
  });

  it("when they stop, no work remains", async () => {
    const { clock, timers, next } = heldTimers();
    const ran: string[] = [];
    for (let n = 0; n < MANY; n++) timers.whileQuoted(10, () => void ran.push("slot"));
    await clock.advanceTo(20);
    timers.runDue();
    timers.afterDue(() => void ran.push("quote"));
    timers.stop();
    while (next());
    expect(ran).toHaveLength(512);
  });

  it("IC: setting or canceling a timer visits at most some tens of others, among 50,000", () => {
    let looks = 0;
    let most = 0;
    const heap = new TimerHeap();
    const entries = Array.from({ length: 50_000 }, (_, order): TimerEntry => {
      const atMs = (order * 7_919) % 10_007;
      return {
        get atMs() {
          looks++;
          return atMs;
        },
        order,
        run: () => undefined,
        place: -1,
      };
    });
    const note = (run: () => void): void => {
      looks = 0;
      run();
      most = Math.max(most, looks);
    };
    for (const entry of entries) note(() => heap.push(entry));
    for (const entry of entries) if (entry.order % 3 > 0) note(() => heap.cancel(entry));
    expect(most).toBeLessThanOrEqual(16 * 8);
    const left: number[] = [];
    for (let { head } = heap; head !== undefined; head = heap.head) {
      left.push(head.atMs * 50_000 + head.order);
      heap.cancel(head);
    }
    expect(left).toEqual([...left].sort((a, b) => a - b));
    expect(left).toHaveLength(Math.ceil(50_000 / 3));
  });
});

function timersOn(clock: Clock, failed: (error: unknown) => void = () => undefined): Timers {
  const timers = new Timers(clock, new EngineTime(clock, 1_000), failed);
  timers.begin();
  return timers;
}

/** A clock that counts the requests to wake. */
function countingClock(): ManualClock & { armed: number; requested: number } {
  const clock = createManualClock({ startMs: 0 });
  const counting = {
    ...clock,
    armed: 0,
    requested: 0,
    schedule(atMs: number, run: () => void) {
      counting.armed++;
      counting.requested++;
      let over = false;
      const done = (): void => {
        if (!over) counting.armed--;
        over = true;
      };
      const cancel = clock.schedule(atMs, () => {
        done();
        run();
      });
      return () => {
        done();
        cancel();
      };
    },
  };
  return counting;
}

describe("before an engine is open", () => {
  it("nothing runs, and the clock is not asked; work that has become due by then runs at once", async () => {
    const clock = countingClock();
    const timers = new Timers(clock, new EngineTime(clock, 1_000), () => undefined);
    const ran: string[] = [];
    timers.at(10, () => ran.push("at 10"));
    timers.after(20, () => ran.push("after 20"));
    await clock.advanceBy(15);
    expect([ran, clock.requested]).toEqual([[], 0]);
    timers.begin();
    await clock.advanceBy(0);
    expect(ran).toEqual(["at 10"]);
    await clock.advanceBy(5);
    expect(ran).toEqual(["at 10", "after 20"]);
  });
});

describe("timers", () => {
  it("run in order of time, then of age, never before their time", async () => {
    const clock = createManualClock({ startMs: 0 });
    const timers = timersOn(clock);
    const ran: string[] = [];
    for (const [name, atMs] of [
      ["c", 30],
      ["a", 10],
      ["b1", 20],
      ["b2", 20],
      ["now", 0],
      ["past", -5],
    ] as const) {
      timers.at(atMs, () => ran.push(`${name} ${clock.nowMs()}`));
    }
    await clock.advanceTo(100);
    expect(ran).toEqual(["past 0", "now 0", "a 10", "b1 20", "b2 20", "c 30"]);
  });

  it("arm one timer of the clock, however many there are", () => {
    const clock = countingClock();
    const timers = timersOn(clock);
    for (let n = 0; n < 1_000; n++) timers.at(1_000 + ((n * 7_919) % 1_000), () => undefined);
    expect(clock.armed).toBe(1);
    expect(clock.requested).toBeLessThan(20);
  });

  it("that were canceled never run, also if canceled by another timer; canceling twice does nothing", async () => {
    const clock = createManualClock({ startMs: 0 });
    const timers = timersOn(clock);
    const ran: string[] = [];
    const cancel = timers.at(10, () => ran.push("first"));
    cancel();
    cancel();
    timers.at(20, () => {
      ran.push("second");
      cancelThird();
    });
    const cancelThird = timers.at(20, () => ran.push("third"));
    await clock.advanceTo(100);
    cancelThird();
    expect(ran).toEqual(["second"]);
  });

  it("that are set while others run are included, those for now at once", async () => {
    const clock = createManualClock({ startMs: 0 });
    const timers = timersOn(clock);
    const ran: string[] = [];
    timers.at(10, () => {
      ran.push("outer");
      timers.at(10, () => ran.push("inner"));
      timers.at(15, () => ran.push("later"));
    });
    await clock.advanceTo(12);
    expect(ran).toEqual(["outer", "inner"]);
    await clock.advanceTo(20);
    expect(ran).toEqual(["outer", "inner", "later"]);
  });

  it("that throw do not stop later ones", () => {
    const pending: { atMs: number; run: () => void }[] = [];
    let nowMs = 0;
    const clock: Clock = {
      nowMs: () => nowMs,
      monotonicMs: () => nowMs,
      schedule(atMs, run) {
        const timer = { atMs, run };
        pending.push(timer);
        return () => void pending.splice(pending.indexOf(timer), 1);
      },
      soon: (run) => run(),
    };
    const failed: unknown[] = [];
    const timers = timersOn(clock, (error) => failed.push(error));
    const ran: string[] = [];
    timers.at(10, () => {
      throw new Error("a timer's own trouble");
    });
    timers.at(20, () => ran.push("second"));
    nowMs = 10;
    pending.shift()?.run();
    expect(failed).toEqual([new Error("a timer's own trouble")]);
    nowMs = 20;
    pending.shift()?.run();
    expect(ran).toEqual(["second"]);
  });

  it("of a clock that wakes too early are requested later, not repeatedly", async () => {
    const clock = createManualClock({ startMs: 0 });
    let requested = 0;
    const early: Clock = {
      ...clock,
      schedule(atMs, run) {
        if (++requested > 20) throw new Error("asked again and again");
        return clock.schedule(atMs - 3, run);
      },
    };
    const timers = timersOn(early);
    const ran: number[] = [];
    for (const atMs of [10, 20]) timers.at(atMs, () => ran.push(clock.nowMs()));
    await clock.advanceTo(100);
    expect(ran).toEqual([10, 20]);
    expect(requested).toBeLessThan(8);
  });

  it("stop for good", async () => {
    const clock = countingClock();
    const timers = timersOn(clock);
    timers.at(10, () => expect.unreachable());
    timers.stop();
    expect(clock.armed).toBe(0);
    await clock.advanceTo(100);
  });

  it("agree with a sorted list under any sequence of settings and cancels", async () => {
    const step = fc.record({
      atMs: fc.nat(50),
      cancels: fc.option(fc.nat(200), { nil: undefined }),
      passMs: fc.nat(3),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 200 }), async (steps) => {
        const clock = createManualClock({ startMs: 0 });
        const timers = timersOn(clock);
        const expected: { id: number; atMs: number; canceledAtMs: number }[] = [];
        const cancels: (() => void)[] = [];
        const ran: [number, number][] = [];
        for (const [id, { atMs, cancels: victim, passMs }] of steps.entries()) {
          expected.push({ id, atMs: Math.max(atMs, clock.nowMs()), canceledAtMs: Number.POSITIVE_INFINITY });
          cancels.push(timers.at(atMs, () => ran.push([id, clock.nowMs()])));
          const one = victim === undefined ? undefined : expected[victim];
          if (one !== undefined && victim !== undefined && !ran.some(([done]) => done === victim)) {
            one.canceledAtMs = Math.min(one.canceledAtMs, clock.nowMs());
            cancels[victim]?.();
          }
          await clock.advanceBy(passMs);
        }
        await clock.advanceTo(1_000);
        const due = expected.filter(({ canceledAtMs }) => canceledAtMs === Number.POSITIVE_INFINITY);
        expect([...ran].sort((a, b) => a[0] - b[0])).toEqual(due.map(({ id, atMs }) => [id, atMs]));
        expect(ran.map(([, atMs]) => atMs)).toEqual(ran.map(([, atMs]) => atMs).sort((a, b) => a - b));
      }),
      { numRuns: 60 },
    );
  });
});
