import { expect, it } from "vitest";
import { createManualClock } from "../../src/adapters/memory/index.ts";
import { Pause, pause, withDeadline } from "../../src/common/index.ts";

it("a pause ends when its time is up, and earlier when others end it; its timer is canceled then", async () => {
  const wait = new Pause();
  const timers: (() => void)[] = [];
  let canceled = 0;
  const until = (): Promise<void> =>
    wait.until((over) => {
      timers.push(over);
      return () => void canceled++;
    });
  wait.end();
  const first = until();
  expect(wait.isOn).toBe(true);
  timers[0]?.();
  await first;
  expect([wait.isOn, canceled]).toEqual([false, 0]);
  const second = until();
  wait.end();
  await second;
  expect([wait.isOn, canceled]).toEqual([false, 1]);
});

it("a pause ends when its signal aborts", async () => {
  const clock = createManualClock({ startMs: 0 });
  const controller = new AbortController();
  const ended: string[] = [];
  const waits = [
    pause(clock, 10, controller.signal).then(() => ended.push("aborted")),
    pause(clock, 20).then(() => ended.push("over")),
  ];
  controller.abort();
  await waits[0];
  expect(ended).toEqual(["aborted"]);
  await clock.advanceTo(20);
  await Promise.all(waits);
  expect(ended).toEqual(["aborted", "over"]);
});

it("work with a deadline is what it resolves to, or the error of the deadline; the timer is canceled in both cases", async () => {
  const clock = createManualClock({ startMs: 0 });
  let canceled = 0;
  const start = (over: () => void): (() => void) => {
    const cancel = clock.schedule(10, over);
    return () => {
      canceled++;
      cancel();
    };
  };
  const late = (): Error => new Error("late");
  expect(await withDeadline(Promise.resolve(1), start, late)).toBe(1);
  expect(canceled).toBe(1);
  const silent = withDeadline(new Promise(() => undefined), start, late);
  const refused = expect(silent).rejects.toThrow("late");
  await clock.advanceTo(10);
  await refused;
  expect(canceled).toBe(2);
});
