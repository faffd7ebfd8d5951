import { describe, expect, it } from "vitest";
import { createManualClock } from "../../src/adapters/memory/index.ts";
import { EngineTime } from "../../src/engine/core/engine-time.ts";
import { type TimerEntry, TimerHeap, Timers } from "../../src/engine/time/timers.ts";

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

describe("decisions DC, IA: work that is due before an input goes in turns, however much it is", () => {
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
