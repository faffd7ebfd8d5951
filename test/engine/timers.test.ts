import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createManualClock, type ManualClock } from "../../src/adapters/memory/index.ts";
import { EngineTime } from "../../src/engine/core/engine-time.ts";
import { Timers } from "../../src/engine/time/timers.ts";
import type { Clock } from "../../src/ports/index.ts";

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

describe("decision HK: before an engine is open", () => {
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

  it("decision CD: of a clock that wakes too early are requested later, not repeatedly", async () => {
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
