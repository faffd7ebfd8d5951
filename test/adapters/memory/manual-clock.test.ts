import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createManualClock } from "../../../src/adapters/memory/index.ts";

/** A clock at 1,000 and a log of the timers that ran on it, with their times. */
function createLoggedClock() {
  const clock = createManualClock({ startMs: 1_000 });
  const log: string[] = [];
  const note = (name: string) => () => log.push(`${name}@${clock.nowMs()}`);
  return { clock, log, note };
}

describe("manual clock", () => {
  it("timers run in time order; timers of one time run oldest first", async () => {
    const { clock, log, note } = createLoggedClock();
    clock.schedule(1_300, note("c"));
    clock.schedule(1_100, note("a"));
    clock.schedule(1_300, note("d"));
    clock.schedule(1_200, note("b"));
    clock.schedule(1_301, note("late"));
    await clock.advanceTo(1_300);
    expect(log).toEqual(["a@1100", "b@1200", "c@1300", "d@1300"]);
    expect(clock.nowMs()).toBe(1_300);
    await clock.advanceBy(1);
    expect(log.at(-1)).toBe("late@1301");
  });

  it("a skip moves the clock at once, but never over a timer nor back", async () => {
    const { clock, log, note } = createLoggedClock();
    clock.schedule(1_300, note("a"));
    expect([clock.skipTo(1_200), clock.nowMs()]).toEqual([true, 1_200]);
    const refused = [1_300, 1_400, 1_199, Number.NaN].map((ms) => clock.skipTo(ms));
    expect([refused, clock.nowMs(), log]).toEqual([[false, false, false, false], 1_200, []]);
    clock.stepWall(500);
    expect([clock.skipTo(1_799), clock.skipTo(1_800), clock.monotonicMs()]).toEqual([true, false, 1_299]);
    await clock.advanceBy(1);
    expect([log, clock.skipTo(9_000), clock.nowMs()]).toEqual([["a@1800"], true, 9_000]);
  });

  it("a timer that is set during an advance runs within it, also if a promise sets it", async () => {
    const { clock, log, note } = createLoggedClock();
    clock.schedule(1_100, () => {
      note("first")();
      void Promise.resolve()
        .then(() => {})
        .then(() => clock.schedule(1_150, note("second")));
    });
    clock.schedule(1_200, note("third"));
    await clock.advanceBy(1_000);
    expect(log).toEqual(["first@1100", "second@1150", "third@1200"]);
    expect(clock.nowMs()).toBe(2_000);
  });

  it("the clock waits for the given function before every step", async () => {
    const { clock, log, note } = createLoggedClock();
    clock.schedule(1_100, note("timer"));
    await clock.advanceTo(1_500, async () => note("settled")());
    expect(log).toEqual(["settled@1000", "timer@1100", "settled@1100"]);
  });

  it("a canceled timer does not run, canceling twice or late has no effect", async () => {
    const { clock, log, note } = createLoggedClock();
    const cancels = [1_100, 1_100, 1_200].map((atMs) => clock.schedule(atMs, note("run")));
    cancels[0]?.();
    cancels[0]?.();
    await clock.advanceTo(1_150);
    cancels[1]?.();
    cancels[2]?.();
    await clock.advanceTo(2_000);
    expect(log).toEqual(["run@1100"]);
  });

  it("a timer for a past time runs without moving the clock, but not at once", async () => {
    const { clock, log, note } = createLoggedClock();
    clock.schedule(900, note("due"));
    clock.schedule(1_000, note("canceled"))();
    expect(log).toEqual([]);
    await Promise.resolve();
    await Promise.resolve();
    expect(log).toEqual(["due@1000"]);
  });

  it("`soon` runs after the current code", async () => {
    const { clock, log, note } = createLoggedClock();
    clock.soon(note("soon"));
    note("now")();
    await Promise.resolve();
    expect(log).toEqual(["now@1000", "soon@1000"]);
  });

  it.each([999, Number.NaN])("time never goes back: %d is refused", async (ms) => {
    const { clock } = createLoggedClock();
    await expect(clock.advanceTo(ms)).rejects.toThrow(RangeError);
    expect(clock.nowMs()).toBe(1_000);
  });

  it("the wall clock can be set in both directions: no time passes, timers stay, listeners are told", async () => {
    const { clock, log, note } = createLoggedClock();
    const steps: number[] = [];
    const cancel = clock.onStep((stepMs) => steps.push(stepMs));
    clock.schedule(1_100, note("timer"));
    clock.stepWall(-500);
    expect([clock.nowMs(), clock.monotonicMs()]).toEqual([500, 1_000]);
    await clock.advanceTo(599);
    clock.stepWall(3_600_000);
    expect(log).toEqual([]);
    await clock.advanceBy(1);
    expect(log).toEqual(["timer@3600600"]);
    cancel();
    clock.stepWall(1);
    expect(steps).toEqual([-500, 3_600_000]);
  });

  it("a timer that throws stops the advance there, the others wait for the next", async () => {
    const { clock, log, note } = createLoggedClock();
    clock.schedule(1_100, () => {
      throw new Error("broken");
    });
    clock.schedule(1_100, note("other"));
    await expect(clock.advanceTo(1_200)).rejects.toThrow("broken");
    expect(clock.nowMs()).toBe(1_100);
    await clock.advanceTo(1_200);
    expect(log).toEqual(["other@1100"]);
  });

  it("timers run in order and never early, whatever is set and however time moves", async () => {
    const delays = fc.array(fc.nat(50), { maxLength: 12 });
    const steps = fc.array(fc.nat(30), { minLength: 1, maxLength: 6 });
    const run = fc.asyncProperty(delays, steps, async (waits, moves) => {
      const clock = createManualClock({ startMs: 0 });
      const ran: { due: number; at: number }[] = [];
      for (const due of waits) clock.schedule(due, () => ran.push({ due, at: clock.nowMs() }));
      for (const ms of moves) await clock.advanceBy(ms, async () => {});
      const end = clock.nowMs();
      expect(ran).toEqual(
        waits
          .filter((due) => due <= end)
          .sort((a, b) => a - b)
          .map((due) => ({ due, at: due })),
      );
    });
    await fc.assert(run, { numRuns: 200 });
  });
});
