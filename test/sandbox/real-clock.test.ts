import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createSystemClock } from "../../src/adapters/node/index.ts";

const START_MS = 1_700_000_000_000;
const DAY_MS = 86_400_000;

describe("the real clock", () => {
  beforeEach(() => void vi.useFakeTimers({ now: START_MS }));
  afterEach(() => void vi.useRealTimers());

  it("runs at or after the time, once", () => {
    const clock = createSystemClock();
    const seen: number[] = [];
    clock.schedule(START_MS + 250, () => seen.push(clock.nowMs()));
    vi.advanceTimersByTime(249);
    expect(seen).toEqual([]);
    vi.advanceTimersByTime(10_000);
    expect(seen).toEqual([START_MS + 250]);
  });

  it("waits longer than one timer can", () => {
    const clock = createSystemClock();
    const seen: number[] = [];
    clock.schedule(START_MS + 60 * DAY_MS, () => seen.push(clock.nowMs()));
    vi.advanceTimersByTime(60 * DAY_MS - 1);
    expect(seen).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(seen).toEqual([START_MS + 60 * DAY_MS]);
  });

  it("a time that has passed is due at once; a canceled timer never runs", () => {
    const clock = createSystemClock();
    const seen: string[] = [];
    clock.schedule(START_MS - DAY_MS, () => seen.push("overdue"));
    clock.schedule(START_MS + 5, () => seen.push("canceled"))();
    clock.schedule(START_MS + 30 * DAY_MS, () => seen.push("canceled long"))();
    vi.advanceTimersByTime(31 * DAY_MS);
    expect(seen).toEqual(["overdue"]);
  });

  it("I55: a timer for a duration is due after it, however the machine's time is set", () => {
    const clock = createSystemClock();
    const seen: number[] = [];
    clock.schedule(START_MS + 1_000, () => seen.push(clock.monotonicMs()));
    vi.setSystemTime(START_MS - 3_600_000);
    vi.advanceTimersByTime(999);
    vi.setSystemTime(START_MS + 3_600_000);
    expect(seen).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(seen).toEqual([START_MS + 1_000]);
  });

  it("soon runs on a later turn", () => {
    const seen: string[] = [];
    createSystemClock().soon(() => seen.push("soon"));
    expect(seen).toEqual([]);
    vi.runAllTimers();
    expect(seen).toEqual(["soon"]);
  });
});
