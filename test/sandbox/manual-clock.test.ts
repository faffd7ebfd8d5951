import { describe, expect, it } from "vitest";
import { createMemoryDisk, createMemoryStore } from "../../src/adapters/memory/index.ts";
import type { KeyValueStore } from "../../src/ports/index.ts";
import { openManualClock } from "../../src/sandbox/manual-clock.ts";

const settle = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

describe("a manual clock", () => {
  it("runs everything that is due in order, each timer at its own time, and settles after each", async () => {
    const clock = await openManualClock({ store: createMemoryStore().keyValue, startMs: 1_000 });
    const seen: string[] = [];
    const note = (name: string) => () => void seen.push(`${name} ${clock.nowMs()}`);
    clock.schedule(1_300, note("c"));
    clock.schedule(1_100, note("a"));
    clock.schedule(1_100, note("b"));
    clock.schedule(1_501, note("later"));
    clock.schedule(1_200, () => {
      note("sets")();
      clock.schedule(1_250, note("set on the way"));
    });
    await clock.advanceTo(1_500, async () => {
      await settle();
      seen.push("settled");
    });
    expect(seen.filter((line) => line !== "settled")).toEqual([
      "a 1100",
      "b 1100",
      "sets 1200",
      "set on the way 1250",
      "c 1300",
    ]);
    expect(seen.slice(0, 4)).toEqual(["settled", "a 1100", "settled", "b 1100"]);
    expect([clock.nowMs(), seen.at(-1)]).toEqual([1_500, "settled"]);
  });

  it("does not continue before a step has settled", async () => {
    const clock = await openManualClock({ store: createMemoryStore().keyValue, startMs: 0 });
    let settledAt = -1;
    const seen: number[] = [];
    clock.schedule(10, () => seen.push(settledAt));
    clock.schedule(20, () => seen.push(settledAt));
    await clock.advanceTo(30, async () => {
      for (let turn = 0; turn < 5; turn++) await settle();
      settledAt = clock.nowMs();
    });
    expect(seen).toEqual([0, 10]);
  });

  it("runs timers that settling schedules for the same time", async () => {
    const clock = await openManualClock({ store: createMemoryStore().keyValue, startMs: 0 });
    const seen: number[] = [];
    let requested = false;
    await clock.advanceTo(50, async () => {
      if (clock.nowMs() === 50 && !requested) {
        requested = true;
        clock.schedule(50, () => seen.push(clock.nowMs()));
      }
    });
    expect(seen).toEqual([50]);
  });

  it("a canceled timer does not run, a due one runs on a separate turn", async () => {
    const clock = await openManualClock({ store: createMemoryStore().keyValue, startMs: 100 });
    const seen: string[] = [];
    clock.schedule(150, () => seen.push("canceled"))();
    clock.schedule(100, () => seen.push("due"));
    clock.schedule(40, () => seen.push("overdue"));
    clock.soon(() => seen.push("soon"));
    expect(seen).toEqual([]);
    await settle();
    expect(seen).toEqual(["overdue", "due", "soon"]);
    await clock.advanceTo(200, settle);
    expect(seen).toHaveLength(3);
  });

  it("never goes back, and returns its time", async () => {
    const clock = await openManualClock({ store: createMemoryStore().keyValue, startMs: 100 });
    await expect(clock.advanceTo(99, settle)).rejects.toThrow("the clock cannot go back: it is at 100");
    await clock.advanceTo(100, settle);
    expect(clock.nowMs()).toBe(100);
  });

  it("advances requested at once happen one after the other", async () => {
    const clock = await openManualClock({ store: createMemoryStore().keyValue, startMs: 0 });
    const seen: number[] = [];
    for (const atMs of [5, 15, 25]) clock.schedule(atMs, () => seen.push(clock.nowMs()));
    const [first, past, last] = [
      clock.advanceTo(20, settle),
      clock.advanceTo(10, settle),
      clock.advanceTo(30, settle),
    ];
    await expect(past).rejects.toThrow("it is at 20");
    await Promise.all([first, last]);
    expect([seen, clock.nowMs()]).toEqual([[5, 15, 25], 30]);
  });
});

describe("advances by a duration", () => {
  it("add up when they are requested at once, also beside one to a time", async () => {
    const clock = await openManualClock({ store: createMemoryStore().keyValue, startMs: 1_000 });
    const seen: number[] = [];
    for (let atMs = 1_000; atMs <= 6_000; atMs += 250) clock.schedule(atMs, () => seen.push(clock.nowMs()));
    await Promise.all(Array.from({ length: 20 }, () => clock.advanceBy(100, settle)));
    expect([clock.nowMs(), seen.length]).toEqual([3_000, 9]);
    await Promise.all([
      clock.advanceBy(500, settle),
      clock.advanceTo(5_000, settle),
      clock.advanceBy(1, settle),
    ]);
    expect(clock.nowMs()).toBe(5_001);
  });

  it("one that fails affects no other; none goes beyond the year 9999", async () => {
    const clock = await openManualClock({ store: createMemoryStore().keyValue, startMs: 0 });
    const end = 253_402_300_799_000;
    const beyond = clock.advanceBy(end + 1, settle);
    const next = clock.advanceBy(5, settle);
    await expect(beyond).rejects.toThrow(`the clock cannot go beyond ${end}`);
    await next;
    expect(clock.nowMs()).toBe(5);
  });
});

describe("a manual clock after a restart", () => {
  it("continues from the stored time, whatever the start setting", async () => {
    const disk = createMemoryDisk();
    const clock = await openManualClock({ store: createMemoryStore({ disk }).keyValue, startMs: 1_000 });
    await clock.advanceTo(5_000, settle);
    const again = await openManualClock({ store: createMemoryStore({ disk }).keyValue, startMs: 9_000 });
    expect(again.nowMs()).toBe(5_000);
    const first = await openManualClock({ store: createMemoryStore().keyValue, startMs: 9_000 });
    expect(first.nowMs()).toBe(9_000);
  });

  it("a time is stored before anything happens at it, so that no crash goes back before it", async () => {
    const stored = createMemoryStore().keyValue;
    const clock = await openManualClock({ store: stored, startMs: 0 });
    const storedThen: (string | undefined)[] = [];
    for (const atMs of [10, 20]) {
      clock.schedule(atMs, () => void stored.get("clock.now").then((value) => storedThen.push(value)));
    }
    await clock.advanceTo(40, settle);
    expect(storedThen).toEqual(["10", "20"]);
    expect(await stored.get("clock.now")).toBe("40");
  });

  it("a time that cannot be stored is not reached", async () => {
    const broken: KeyValueStore = { get: async () => "7", set: () => Promise.reject(new Error("disk full")) };
    const clock = await openManualClock({ store: broken, startMs: 0 });
    const seen: number[] = [];
    clock.schedule(8, () => seen.push(8));
    await expect(clock.advanceTo(9, settle)).rejects.toThrow("disk full");
    expect([clock.nowMs(), seen]).toEqual([7, []]);
  });

  it("an invalid stored time stops the start", async () => {
    const store: KeyValueStore = { get: async () => "yesterday", set: async () => undefined };
    await expect(openManualClock({ store, startMs: 0 })).rejects.toThrow("clock.now cannot be read");
  });

  it("a timer canceled, or an earlier one set, while a time is being stored", async () => {
    const values = new Map<string, string>();
    let whileKeeping: () => void = () => undefined;
    const store: KeyValueStore = {
      get: async (key) => values.get(key),
      set: async (key, value) => {
        values.set(key, value);
        whileKeeping();
      },
    };
    const clock = await openManualClock({ store, startMs: 0 });
    const seen: string[] = [];
    const cancel = clock.schedule(20, () => seen.push("canceled"));
    clock.schedule(30, () => seen.push(`last ${clock.nowMs()}`));
    whileKeeping = () => {
      whileKeeping = () => undefined;
      cancel();
      clock.schedule(15, () => seen.push(`earlier ${clock.nowMs()}`));
    };
    await clock.advanceTo(40, settle);
    expect(seen).toEqual(["earlier 15", "last 30"]);
  });

  it("a timer set while the time of the end is being stored runs at its own time", async () => {
    const seen: string[] = [];
    const inner = createMemoryStore().keyValue;
    const store: KeyValueStore = {
      ...inner,
      async set(key, value) {
        await inner.set(key, value);
        if (value === "40") clock.schedule(25, () => seen.push(`set late ${clock.nowMs()}`));
      },
    };
    const clock = await openManualClock({ store, startMs: 0 });
    await clock.advanceTo(40, settle);
    expect([seen, clock.nowMs()]).toEqual([["set late 25"], 40]);
  });
});
